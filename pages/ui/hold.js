// A link that leads away waits until the server has heard what the reader has just set, and the page says so: Streamlit's
// request for another page replaces the one that is waiting, and carries no control of the page that is left.
const SENT_MS = 250; // after which a control has sent what it was set to: a slider of Streamlit's waits 200 ms
const UNHEARD_MS = 600; // where no run has begun by then, what was touched asks for none
const DRAWN_MS = 60; // after a run, until links and address are as it says, or a run that follows it has begun
const DRAWING_MS = 2000; // at most for a run that goes on once it has heard
const HOLD_MS = 5000; // at most in all: a server that is busy for longer lets the reader go
const HOLD_LOOK_MS = 20;
const TOUCHES = ["input", "change", "click", "keydown", "pointerup"];
let touchedAt_ms = -Infinity;
let begunAt_ms = -Infinity; // the latest run of the server, as far as seen here
let endedAt_ms = -Infinity;
let wasRunning = false;
let pressed; // the link that waits, and since when
let isGoing = false;

function noteRuns() {
  const isRunning = scriptState() === "running";
  if (isRunning && !wasRunning) begunAt_ms = performance.now();
  if (!isRunning && wasRunning) endedAt_ms = performance.now();
  wasRunning = isRunning;
}

function noteTouch(event) {
  if (!linkOf(event) && event.key !== "Tab") touchedAt_ms = performance.now();
}

function isHeard() {
  const now_ms = performance.now();
  if (now_ms < touchedAt_ms + SENT_MS) return false;
  const hasBegun = begunAt_ms > touchedAt_ms;
  const isOver = scriptState() !== "running" && now_ms > endedAt_ms + DRAWN_MS;
  if (isOver) return hasBegun || now_ms > touchedAt_ms + UNHEARD_MS;
  return hasBegun && now_ms > (pressed?.at_ms ?? now_ms) + DRAWING_MS;
}

function mayGo() {
  return touchedAt_ms === -Infinity || isHeard() || performance.now() > (pressed?.at_ms ?? Infinity) + HOLD_MS;
}

// Where a link leads and where it stands: React may give its element to another link, and it another element.
function placeOfLink(link) {
  const isHome = link.getAttribute("href").startsWith("?") || link.pathname.endsWith("/");
  const isInMenu = link.closest('[data-testid="stSidebar"]') !== null;
  return `${isInMenu} ${isHome ? "" : link.pathname}`;
}

function whereabouts(link) {
  return { link, place: placeOfLink(link), words: link.textContent };
}

// The link that was pressed, or the one in its place since the page was drawn anew, if there is one.
function asItStands({ link, place, words }) {
  if (link.isConnected && placeOfLink(link) === place) return link;
  const links = [...document.querySelectorAll("a[href]")].filter((one) => placeOfLink(one) === place);
  return links.find((one) => one.textContent === words) ?? links[0];
}

function letGo() {
  if (pressed) pressed.link.ariaBusy = null;
  clearTimeout(pressed?.timer);
  pressed = undefined;
}

function goWhenHeard() {
  if (!mayGo()) {
    pressed.timer = setTimeout(goWhenHeard, HOLD_LOOK_MS);
    return;
  }
  const link = asItStands(pressed);
  letGo();
  isGoing = true;
  link?.click();
  isGoing = false;
}

function onPress(event) {
  const link = linkOf(event);
  if (isGoing || !link || !leadsAway(link) || mayGo()) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  const at_ms = pressed?.at_ms ?? performance.now(); // pressing again makes nobody wait anew
  letGo();
  link.ariaBusy = "true";
  pressed = { ...whereabouts(link), at_ms };
  goWhenHeard();
}

addEventListener("click", onPress, true); // of the window: before all that listens at the document
for (const kind of TOUCHES) document.addEventListener(kind, noteTouch, true);
new MutationObserver(noteRuns).observe(document.body, { subtree: true, attributeFilter: ["data-test-script-state"] });
whenLeaving(() => {
  letGo();
  touchedAt_ms = -Infinity;
});
