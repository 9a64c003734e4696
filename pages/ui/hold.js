// A link that leads away waits until the server has heard what the reader has just set: Streamlit's request for another
// page takes the place of those before it, and says nothing of the controls that are left.
const DEBOUNCE_MS = 250; // after which a control has sent what it was set to
const HEARING_MS = 400; // by when a run has begun where the control asks for one
const BEGUN_MS = 60; // from a run's first word until it has taken up what was set
const HOLD_MS = 5000; // at most: a server that is busy for longer lets the reader go
const HOLD_LOOK_MS = 20;
const TOUCHES = ["input", "change", "click", "keydown", "pointerup"];
let touchedAt_ms = -Infinity;
let begunAt_ms = -Infinity; // the latest run of the server, as far as seen here
let wasRunning = false;
let isGoing = false;
let holdTimer;

function isRunning() {
  return document.querySelector("[data-test-script-state]")?.dataset.testScriptState === "running";
}

function noteRuns() {
  const isNow = isRunning();
  if (isNow && !wasRunning) begunAt_ms = performance.now();
  wasRunning = isNow;
}

// What is asked while a run goes on waits for its end, so that only a run begun since then tells that it was heard.
function isHeard() {
  const now_ms = performance.now();
  if (now_ms < touchedAt_ms + DEBOUNCE_MS) return false;
  if (begunAt_ms > touchedAt_ms) return now_ms > begunAt_ms + BEGUN_MS;
  return !isRunning() && now_ms > touchedAt_ms + HEARING_MS;
}

function linkOf({ target }) {
  return target.closest?.("a[href]");
}

// A page that is drawn anew meanwhile may have another link in this one's place.
function inPlaceOf(link) {
  if (link.isConnected) return link;
  const links = [...document.querySelectorAll("a[href]")];
  return links.find((one) => one.pathname === link.pathname && leadsAway(one)) ?? link;
}

function goWhenHeard(link, until_ms) {
  if (!isHeard() && performance.now() < until_ms) {
    holdTimer = setTimeout(goWhenHeard, HOLD_LOOK_MS, link, until_ms);
    return;
  }
  isGoing = true;
  inPlaceOf(link).click();
  isGoing = false;
}

function onPress(event) {
  const link = linkOf(event);
  const isToStay = !link || !leadsAway(link) || event.ctrlKey || event.metaKey || event.shiftKey;
  if (isGoing || isToStay) return;
  clearTimeout(holdTimer);
  if (isHeard()) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  goWhenHeard(link, performance.now() + HOLD_MS);
}

document.addEventListener("click", onPress, true);
for (const kind of TOUCHES) {
  document.addEventListener(kind, (event) => linkOf(event) || (touchedAt_ms = performance.now()), true);
}
new MutationObserver(noteRuns).observe(document.body, { subtree: true, attributeFilter: ["data-test-script-state"] });
