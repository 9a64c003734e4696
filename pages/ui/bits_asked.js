// Names over the replies the question that they answer; bits.js tells it within this tab, and it leaves by no way.

const ASKED = "larkspur:asked";
const listening = new WeakSet();

export default function ({ parentElement }) {
  const words = parentElement.querySelector(".asked");
  const show = () => {
    if (!words.isConnected) document.removeEventListener(ASKED, show);
    else if (globalThis[ASKED]) words.textContent = `To the question “${globalThis[ASKED]}”`;
  };
  show();
  if (listening.has(words)) return;
  listening.add(words);
  document.addEventListener(ASKED, show);
}
