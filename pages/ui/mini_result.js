// A finished run on the page: tokens read, tokens written with the time of each pass, the likeliest of one pass.

const plural = (count, word) => `${count.toLocaleString("en-US")} ${word}${count === 1 ? "" : "s"}`;
const percent = (share) => `${(share * 100).toFixed(share > 0 && share < 0.0995 ? 1 : 0)} %`;

// A time in the unit that suits it: 84 µs, 1.6 ms, 16 ms.
function brief(us) {
  if (us < 999.5) return `${us.toFixed(0)} µs`;
  return `${(us / 1000).toFixed(us < 9950 ? 1 : 0)} ms`;
}

// A token with its white space made visible.
function visible(token) {
  return token.replaceAll(" ", "␣").replaceAll("\n", "⏎").replaceAll("\t", "⇥") || "∅";
}

function element(name, className, ...children) {
  const made = document.createElement(name);
  made.className = className;
  made.append(...children);
  return made;
}

class Result {
  constructor(root, tokenizer) {
    this.root = root;
    this.tokenizer = tokenizer;
    this.run = null; // { prompt, made, temperature }
    this.usesCache = true;
    this.find(".written").onchange = (event) => this.showPass(Number(event.target.value));
  }

  find(selector) {
    return this.root.querySelector(selector);
  }

  token(id) {
    return visible(this.tokenizer.tokenText(id));
  }

  // The pass as it is watched: with the cache or without.
  timing(pass) {
    return this.usesCache ? pass.cached : pass.uncached;
  }

  // Begin to show a run: what was read, and the places of what was written, still empty.
  begin(run) {
    this.run = run;
    const { ids, notes } = run.prompt;
    this.find(".result").hidden = false;
    this.find(".notes").replaceChildren(...notes.map((note) => element("li", "", note)));
    this.find(".read").replaceChildren(...ids.map((id) => element("li", "chip", this.token(id))));
    this.find(".written").replaceChildren(...run.made.map((pass, n) => this.chip(pass, n)));
    const took = brief(this.timing(run.made[0]).us);
    this.find(".read-count").textContent =
      `(${plural(ids.length, "token")}, the start marker counted, in ${took})`;
    this.find(".written-count").textContent = `(${plural(run.made.length, "token")}${this.ending()})`;
    this.words(0);
  }

  ending() {
    const isEnded = this.run.made[this.run.made.length - 1].id === MARKER;
    return isEnded ? ", the last is the end of the text" : "; it is stopped here, the most it may write";
  }

  chip(pass, n) {
    const radio = element("input", "");
    Object.assign(radio, { type: "radio", name: "pass", value: n });
    const took = element("small", "", brief(this.timing(pass).us));
    return element("label", "chip hidden", radio, this.token(pass.id), took);
  }

  // Show the token that pass `n` wrote.
  reveal(n) {
    this.find(".written").children[n].classList.remove("hidden");
    this.words(n + 1);
    this.showPass(n);
  }

  // Show all that was written, with the first pass open.
  revealAll() {
    for (const chip of this.find(".written").children) chip.classList.remove("hidden");
    this.words(this.run.made.length);
    this.showPass(0);
  }

  // The reply as text: its first `count` tokens, and the room that the others will take.
  words(count) {
    const ids = this.run.made.map((pass) => pass.id);
    const [shown, rest] = [ids.slice(0, count), ids.slice(count)].map((part) => this.tokenizer.decode(part));
    this.find(".reply").replaceChildren(shown, element("span", "hidden", rest));
  }

  // Open one pass: what it read, what it wrote, and what it held likeliest.
  showPass(n) {
    const pass = this.run.made[n];
    const { us, repeats, tokens_read } = this.timing(pass);
    const times = repeats === 1 ? "measured once" : `mean of ${plural(repeats, "run")}`;
    this.find(".pass").textContent =
      `Pass ${n + 1} read ${plural(tokens_read, "token")} in ${brief(us)} (${times}) and wrote ` +
      `“${this.token(pass.id)}”. Its five likeliest tokens, with their chances:`;
    this.find(".likeliest").replaceChildren(...pass.likeliest.map((pair) => this.bar(...pair)));
    this.find(".written").children[n].querySelector("input").checked = true;
  }

  bar(id, share) {
    const bar = element("span", "bar");
    bar.style.width = `${share * 100}%`;
    return element(
      "li",
      "",
      element("span", "", this.token(id)),
      element("span", "share-of", percent(share)),
      bar,
    );
  }

  // The run in one sentence, for the eye and for a screen reader.
  summary() {
    const { made } = this.run;
    const later = made.slice(1).map((pass) => this.timing(pass).us);
    const mean = later.reduce((sum, us) => sum + us, 0) / later.length;
    return (
      `Larkspur mini wrote ${plural(made.length, "token")}: “${this.find(".reply").textContent.trim()}” ` +
      `Reading took ${brief(this.timing(made[0]).us)}` +
      (later.length ? `, each later pass ${brief(mean)} on average.` : ".")
    );
  }
}
