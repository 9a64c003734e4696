// What a reader who follows a link expects: to stand at the top of the next page, and on a phone with the menu closed.
const OVER_THE_PAGE = "(max-width: 768px)"; // where the menu lies
const ARRIVAL_MS = 3000; // after the press, within which Streamlit may still move what is drawn
const ARRIVAL_LOOK_MS = 100;
let hasMoved = false; // the reader, by hand
for (const kind of ["wheel", "touchmove", "keydown", "pointerdown"]) {
  addEventListener(kind, () => (hasMoved = true), { capture: true, passive: true });
}

function closeMenu(link) {
  const isInMenu = link.closest('[data-testid="stSidebar"]');
  if (!isInMenu || !matchMedia(OVER_THE_PAGE).matches) return;
  setTimeout(() => document.querySelector('[data-testid="stSidebarCollapseButton"] button')?.click());
}

function keepAtTop(from, until_ms) {
  if (hasMoved || performance.now() > until_ms) return;
  if (location.pathname !== from) document.querySelector('[data-testid="stMain"]')?.scrollTo({ top: 0, behavior: "instant" });
  setTimeout(keepAtTop, ARRIVAL_LOOK_MS, from, until_ms);
}

whenLeaving((from, link) => {
  if (!link) return;
  hasMoved = false;
  closeMenu(link);
  keepAtTop(from, performance.now() + ARRIVAL_MS);
});
