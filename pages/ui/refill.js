// What a part of the page before still tells the server once the reader has walked on is run after the new page, and
// spoils it: it stands empty, since there is no such part, or the page before is back. Ask for the new page anew.
const REFILL_MS = 30_000; // after a walk began
const REFILL_LOOK_MS = 400;
const LASTING = { empty: 2, back: 4 }; // looks at a page that stands so; a busy server may not have begun the next one
let untilRefill_ms = 0;
let refillTimer;
let found = { trouble: "", looks: 0 };
let asking = "not yet";
let way; // from which page, by which link, when

function troubleNow() {
  if (scriptState() !== "notRunning") return "";
  const page = document.querySelector('[data-testid="stMainBlockContainer"]');
  if (page?.textContent.trim() === "") return "empty";
  const isIdle = way && touchedAt_ms < way.at_ms; // who sets something else there has turned to that
  return isIdle && location.pathname === way.from ? "back" : "";
}

// As Back does, or by the link once more: the visit goes on, and nothing that the reader has done is lost. Where that
// has not helped an empty page, load it.
function askAnew(trouble) {
  if (asking === "done") return trouble === "empty" ? location.reload() : undefined;
  const link = trouble === "back" ? asItStands(way) : undefined;
  asking = "now";
  if (link) link.click();
  else if (trouble === "empty") dispatchEvent(new PopStateEvent("popstate", { state: history.state }));
  asking = "done";
}

function lookForTrouble() {
  const trouble = troubleNow();
  const looks = trouble && trouble === found.trouble ? found.looks + 1 : 1;
  const isLasting = looks >= LASTING[trouble];
  found = { trouble, looks: isLasting ? 0 : looks };
  if (isLasting) askAnew(trouble);
  watch();
}

function watch() {
  clearTimeout(refillTimer);
  if (performance.now() < untilRefill_ms) refillTimer = setTimeout(lookForTrouble, REFILL_LOOK_MS);
}

whenLeaving((from, link) => {
  if (asking === "now") return;
  untilRefill_ms = performance.now() + REFILL_MS;
  asking = "not yet";
  found = { trouble: "", looks: 0 };
  way = link && { from, ...whereabouts(link), at_ms: performance.now() };
  watch();
});
