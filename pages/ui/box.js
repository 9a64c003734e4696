// What both boxes for a reader's text share: Larkspur mini's own, and the one that asks it at every width.

const MOST_CHARACTERS = 10_000;
const screens = new WeakMap();
const failed = new WeakSet();

class Box {
  constructor(root, field) {
    this.root = root;
    this.field = this.find(field); // where the reader types
  }

  connect() {
    this.field.maxLength = MOST_CHARACTERS;
    this.field.onkeydown = (event) => this.press(event);
    this.find("form").onsubmit = (event) => this.press(event);
  }

  find(selector) {
    return this.root.querySelector(selector);
  }

  paint() {
    const { host } = this.root;
    const colors = getComputedStyle(host).getPropertyValue("--st-chart-categorical-colors").split(",");
    host.style.setProperty("--mini", colors[this.header.accent]);
  }

  // Ask on the button or on Enter; Shift + Enter and the Enter that ends a composed character are typing.
  press(event) {
    const isTyping = event.type === "keydown" && (event.key !== "Enter" || event.shiftKey || event.isComposing);
    if (isTyping) return;
    event.preventDefault();
    this.ask();
  }

  // The one polite live region.
  say(words, isProblem = false) {
    this.find(".status").textContent = words;
    this.find(".status").classList.toggle("problem", isProblem);
    this.field.setAttribute("aria-invalid", isProblem);
  }

  // This browser cannot run the model: say so here, and let the page's server stand in.
  fail(problem) {
    this.say(`Larkspur mini cannot run in this browser (${problem}).`, true);
    this.tell("problem", String(problem));
  }
}

// Show what the page sends in the screen of a place, which is made at first; what failed once is not tried again.
function inPlace({ data, parentElement, setStateValue }, make, show) {
  if (failed.has(parentElement)) return undefined;
  try {
    const block = unpack(data);
    const screen = screens.get(parentElement) ?? make(parentElement, block);
    screens.set(parentElement, screen);
    screen.tell = tellWhenHere(setStateValue, parentElement);
    return show(screen, block);
  } catch (problem) {
    failed.add(parentElement);
    tellWhenHere(setStateValue, parentElement)("problem", String(problem));
    return undefined;
  }
}
