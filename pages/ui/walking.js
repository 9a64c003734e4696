// Holds back what a component would tell the server once the reader has left its page: a message that is sent between
// the press on a link (or Back) and the page that follows would bring the old page back, or leave the new one empty.
const WALK_MS = 10_000; // a busy server may need as long until the next page begins
const LOOK_MS = 200;
const places = new WeakMap(); // of each component: the page that it stands on, and what it has not told yet, by name
let leftFrom;
let leftAt_ms = -Infinity;

whenLeaving((from) => {
  leftFrom = from;
  leftAt_ms = performance.now();
});

// A component may be drawn once more on its way out, when the address is the next page's.
function placeOf(host) {
  if (!places.has(host)) places.set(host, { home: location.pathname, held: new Map() });
  return places.get(host);
}

// Return `tell` such that it waits while the reader walks away, and says nothing once its page is gone.
function tellWhenHere(tell, { host }) {
  const { home, held } = placeOf(host);
  const isLeft = () => leftFrom === home && performance.now() < leftAt_ms + WALK_MS;

  function tellHeld() {
    if (host.isConnected && (isLeft() || location.pathname !== home)) return setTimeout(tellHeld, LOOK_MS);
    if (host.isConnected && held.size) document.dispatchEvent(new Event("change")); // as a control's: a link waits for it
    if (host.isConnected) for (const [name, value] of held) tell(name, value);
    return held.clear();
  }

  return function say(name, value) {
    const isWaiting = held.size > 0;
    held.set(name, value);
    if (!isWaiting) tellHeld();
  };
}
