// Larkspur mini before the reader: the prompt box, a run at full speed, its replay, and a link on request.

const MOST_SHARED = 200; // characters of a prompt in a link
const ANSWERS = ["guess", "first", "shown", "check", "more", "done"]; // of the sender: a friend guesses afresh
const memory = { text: null, shared: "" }; // of this tab, while the reader visits other pages

class Screen extends Box {
  constructor(root, { header, arrays }) {
    super(root, "#text");
    this.header = header;
    this.tokenizer = new Tokenizer(arrays);
    this.model = new Model(header.config, arrays);
    this.result = new Result(root, this.tokenizer);
    this.clock = readClock();
    this.isFresh = true;
    this.isWarm = false;
    this.running = null; // the run that goes on, from pressing Run to the end of its replay
    this.timers = [];
    this.connect();
    this.end();
    this.find(".starting").hidden = true;
  }

  connect() {
    super.connect();
    this.field.oninput = () => (memory.text = this.field.value);
    for (const button of this.root.querySelectorAll(".examples button")) button.onclick = () => this.tryOut(button);
    this.find(".stop").onclick = () => this.stop();
    this.find(".share").onclick = () => this.share();
    this.find(".share").disabled = false;
    this.find("#cache").onchange = () => this.changeWay();
    this.find("#temperature").oninput = (event) => this.sayTemperature(Number(event.target.value));
  }

  // Take what the page sends: a text to begin with, or one that a link has brought.
  receive({ shared, example }) {
    const isNews = shared !== "" && shared !== memory.shared;
    memory.shared = shared;
    if (!isNews && !this.isFresh) return;
    this.isFresh = false;
    memory.text = isNews ? shared : (memory.text ?? (shared || example));
    this.field.value = memory.text;
    this.end();
    this.run({ isAsked: false });
  }

  // Take one of the messages to try, and run it.
  tryOut({ textContent }) {
    if (this.running) this.stop();
    this.field.value = memory.text = textContent;
    this.run({ isAsked: true });
  }

  ask() {
    if (!this.running) this.run({ isAsked: true });
  }

  async run({ isAsked }) {
    const mine = (this.running = { isAsked, isReplayed: false });
    this.begin();
    try {
      const made = await this.make(() => this.running !== mine);
      if (made) this.show(made);
    } catch (problem) {
      this.end();
      if (problem instanceof Refusal) this.complain(problem.message);
      else this.fail(problem);
    }
  }

  // The run itself, at full speed; null if it was stopped.
  async make(isStopped) {
    const { max_prompt_tokens, max_new_tokens: maxNewTokens, n_likeliest: nLikeliest } = this.header;
    const { tokenizer, model, clock } = this;
    const prompt = readPrompt(tokenizer, this.field.value, max_prompt_tokens);
    const temperature = Number(this.find("#temperature").value);
    const options = { temperature, random: Math.random, clock, maxNewTokens, nLikeliest };
    await new Promise((resolve) => setTimeout(resolve)); // so that the page says that it runs
    if (!this.isWarm) await warmUp(model, prompt.ids, clock);
    this.isWarm = true;
    const made = await runAll(model, prompt.ids, options, isStopped);
    return made && { prompt, made, temperature };
  }

  begin() {
    this.switchTo(".stop", ".run");
    this.find("#cache").disabled = true;
    this.say("Running …");
  }

  end() {
    this.running = null;
    this.timers.splice(0).forEach(clearTimeout);
    this.switchTo(".run", ".stop");
    this.find("#cache").disabled = false;
  }

  // Make one button usable and the other not; the keyboard's focus goes along.
  switchTo(usable, other) {
    const hasFocus = this.root.activeElement === this.find(other);
    this.find(usable).disabled = false;
    if (hasFocus) this.find(usable).focus();
    this.find(other).disabled = true;
  }

  show(run) {
    const { isAsked } = this.running;
    const slower = Number(this.find("#slower").value);
    const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.result.begin(run);
    if (!isAsked) this.settle("Shown all at once. Press Run to watch it token by token.");
    else if (isStill) this.settle("Shown all at once, because your system asks for less motion.");
    else if (slower === 0) this.settle("Shown as it ran: too fast to watch.");
    else this.replay(slower);
  }

  // Show the tokens one by one, each as late as it was written, times `slower`.
  replay(slower) {
    const pace = `Shown ${slower.toLocaleString("en-US")} × slower than it ran.`;
    this.running.isReplayed = true;
    this.say(pace);
    let at_ms = 0;
    this.result.run.made.forEach((pass, n) => {
      at_ms += (this.result.timing(pass).us / 1000) * slower;
      this.timers.push(setTimeout(() => this.result.reveal(n), at_ms));
    });
    this.timers.push(setTimeout(() => this.settle(pace), at_ms));
  }

  // The whole run is on show: say so, and tell the page's server of it.
  settle(pace) {
    const { prompt, made, temperature } = this.result.run;
    const { isAsked } = this.running;
    this.end();
    this.result.revealAll();
    this.say(isAsked ? `${pace} ${this.result.summary()}` : pace);
    this.tell("run", report(prompt.ids.length, temperature, this.clock, made));
  }

  // Stopping a replay shows the rest at once; stopping the run itself gives it up.
  stop() {
    if (this.running.isReplayed) this.settle("The replay was stopped: all is shown.");
    else {
      this.end();
      this.say("Stopped before the reply was finished.");
    }
  }

  changeWay() {
    this.result.usesCache = this.find("#cache").checked;
    if (!this.result.run || this.running) return;
    this.result.begin(this.result.run);
    this.result.revealAll();
    this.say(this.result.summary());
  }

  sayTemperature(temperature) {
    const words = temperature === 0 ? "0: always the likeliest token" : `${temperature}: drawn by chance`;
    this.find("output").textContent = words;
  }

  async share() {
    const text = this.field.value;
    const count = Array.from(text).length;
    if (BLANK.test(text) || count > MOST_SHARED) {
      return this.complain(
        `Expected 1 to ${MOST_SHARED} characters to share, got ${count.toLocaleString("en-US")}; ` +
          "a longer text stays here. Change the prompt and try again.",
      );
    }
    const link = shareable();
    for (const name of ANSWERS) link.searchParams.delete(name);
    link.searchParams.set("ask", text);
    return this.copy(link.href);
  }

  async copy(address) {
    const field = this.find(".link");
    field.value = address;
    field.hidden = false;
    try {
      await navigator.clipboard.writeText(address);
      this.say("Link copied. Whoever opens it, and the server they open it from, can read your prompt.");
    } catch {
      field.select(); // no clipboard here: ready to copy by hand
      this.say("The link with your prompt is ready to copy.");
    }
  }

  complain(words) {
    this.say(words, true);
  }
}

export { Model, Tokenizer, choose, probabilities, readClock, readPrompt, timedPass, unpack, warmUp };

export default function (component) {
  const make = (root, block) => new Screen(root, block);
  return inPlace(component, make, (screen, { header }) => {
    screen.paint();
    screen.receive(header);
    // Streamlit also calls this after a quick second rerun, while the box is still there.
    return () => component.parentElement.host.isConnected || screen.end();
  });
}
