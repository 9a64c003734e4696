// Streamlit leaves a page empty where a part of the page before it still reports once the reader has walked on: its
// report is run after the new page, finds no such part there, and what stands is taken away. Ask for that page anew.
const REFILL_MS = 30_000; // after a walk began
const REFILL_LOOK_MS = 400;
let untilRefill_ms = 0;
let refillTimer;
let wasEmpty = false;
let asking = "not yet";

function isEmpty() {
  const app = document.querySelector("[data-test-script-state]");
  const page = app?.querySelector('[data-testid="stMainBlockContainer"]');
  return app?.dataset.testScriptState === "notRunning" && page?.textContent.trim() === "";
}

// As Back does: the visit goes on, and nothing that the reader has done is lost. Where that has not helped, load it.
function askAnew() {
  if (asking === "done") return location.reload();
  asking = "now";
  dispatchEvent(new PopStateEvent("popstate", { state: history.state }));
  asking = "done";
}

function lookForEmpty() {
  const nowEmpty = isEmpty();
  const isStill = wasEmpty && nowEmpty;
  wasEmpty = nowEmpty && !isStill;
  if (isStill) askAnew();
  watch();
}

function watch() {
  clearTimeout(refillTimer);
  if (performance.now() < untilRefill_ms) refillTimer = setTimeout(lookForEmpty, REFILL_LOOK_MS);
}

whenLeaving(() => {
  if (asking === "now") return;
  untilRefill_ms = performance.now() + REFILL_MS;
  asking = "not yet";
  wasEmpty = false;
  watch();
});
