// Streamlit leaves a page empty where a part of the page before it still reports once the reader has walked on: its
// report is run after the new page, finds no such part there, and what stands is taken away. Load that page anew.
const REFILL_MS = 30_000; // after a walk began
const REFILL_LOOK_MS = 400;

function isEmpty() {
  const app = document.querySelector("[data-test-script-state]");
  const page = app?.querySelector('[data-testid="stMainBlockContainer"]');
  return app?.dataset.testScriptState === "notRunning" && page?.innerText.trim() === "";
}

function refill(until_ms, wasEmpty = false) {
  const nowEmpty = isEmpty();
  if (wasEmpty && nowEmpty) location.reload();
  else if (performance.now() < until_ms) setTimeout(refill, REFILL_LOOK_MS, until_ms, nowEmpty);
}

const watch = () => refill(performance.now() + REFILL_MS);
addEventListener("popstate", watch);
document.addEventListener("click", ({ target }) => target.closest?.("a[href]") && watch(), true);
