// A button that copies; where there is no clipboard (no https, a refusal) the text is shown, ready to copy.
const SAID_MS = 3000;

function offerCopy(parentElement, textOf) {
  const [button, status, field] = ["button", "[role=status]", "input"].map((s) => parentElement.querySelector(s));
  button.onclick = async () => {
    const text = textOf();
    try {
      await navigator.clipboard.writeText(text);
      field.hidden = true;
      status.textContent = "Copied.";
    } catch {
      field.hidden = false;
      field.value = text;
      field.select();
      status.textContent = "Copy it from here:";
    }
    setTimeout(() => field.hidden && (status.textContent = ""), SAID_MS);
  };
}
