// Holds back what a component would tell the server while the reader is walking on: a message that is sent between
// the press on a link (or Back) and the page that follows would bring the old page back instead.
const WALK_MS = 2000;
let leftAt_ms = -Infinity;

const leave = () => (leftAt_ms = performance.now());
addEventListener("popstate", leave);
document.addEventListener("click", ({ target }) => target.closest?.("a") && leave(), true);

// A page that stands anew: the walk is over.
const arrive = () => (leftAt_ms = -Infinity);

// Return `tell` such that it waits out a walk, and says nothing once its page is gone.
function tellWhenHere(tell, { host }) {
  return function say(name, value) {
    const wait_ms = leftAt_ms + WALK_MS - performance.now();
    if (wait_ms > 0) setTimeout(() => host.isConnected && say(name, value), wait_ms);
    else tell(name, value);
  };
}
