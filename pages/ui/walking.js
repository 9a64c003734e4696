// Holds back what a component would tell the server once the reader has left its page: a message that is sent between
// the press on a link (or Back) and the page that follows would bring the old page back, or leave the new one empty.
const WALK_MS = 10_000; // a busy server may need as long until the next page begins
const LOOK_MS = 200;
const homes = new WeakMap(); // the page that each component stands on; it may be drawn once more on its way out
let leftFrom;
let leftAt_ms = -Infinity;

// The link to the overview has no path: Streamlit writes it as a query alone.
const leadsAway = (link) => link.getAttribute("href").startsWith("?") || link.pathname !== location.pathname;

function leave(from) {
  leftFrom = from;
  leftAt_ms = performance.now();
}
document.addEventListener("click", ({ target }) => {
  const link = target.closest?.("a[href]");
  if (link && leadsAway(link)) leave(location.pathname);
}, true);
addEventListener("popstate", () => leave(undefined)); // the address has changed already

// Return `tell` such that it waits while the reader walks away, and says nothing once its page is gone.
function tellWhenHere(tell, { host }) {
  if (!homes.has(host)) homes.set(host, location.pathname);
  const home = homes.get(host);
  return function say(name, value) {
    const isLeft = leftFrom === home && performance.now() < leftAt_ms + WALK_MS;
    if (isLeft || location.pathname !== home) setTimeout(() => host.isConnected && say(name, value), LOOK_MS);
    else tell(name, value);
  };
}
