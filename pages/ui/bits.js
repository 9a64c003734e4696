// One question to Larkspur mini at every width, by both methods: typed here, answered here.

const MOST_NAMED = 200; // characters of a question that are named over the replies
const ASKED = "larkspur:asked"; // what bits_asked.js listens to
const memory = { text: null }; // of this tab, while the reader visits other pages

// The integers behind packed bytes: `bits` bits each, the lowest first, no gaps.
function unpackIntegers(packed, bits, count) {
  const integers = new Uint8Array(count);
  for (let i = 0; i < count; i++) {
    for (let bit = 0, at = i * bits; bit < bits; bit++, at++) {
      integers[i] |= ((packed[at >> 3] >> (at & 7)) & 1) << bit;
    }
  }
  return integers;
}

// The numbers that a packed matrix stands for, [n_in, n_out]: scale × (integer − zero point).
function dequantize(arrays, key, bits, [nIn, nOut, groupSize]) {
  const integers = unpackIntegers(arrays[`${key} integers`], bits, nIn * nOut);
  const scales = arrays[`${key} scales`];
  const zeros = unpackIntegers(arrays[`${key} zeros`], bits, scales.length);
  return Float32Array.from(integers, (integer, i) => {
    const place = Math.floor(Math.floor(i / nOut) / groupSize) * nOut + (i % nOut);
    return scales[place] * (integer - zeros[place]);
  });
}

// Mini with its linear layers in `bits` bits.
function modelAt({ config, matrices }, arrays, method, bits) {
  const params = { ...arrays };
  for (const [name, shape] of Object.entries(matrices)) {
    params[name] = dequantize(arrays, `${method} ${bits} ${name}`, bits, shape);
  }
  return new Model(config, params);
}

// The likeliest token each time (ties to the lower id), up to the end of the text.
function reply(model, prompt, maxNewTokens) {
  const cache = model.newCache();
  const ids = [];
  for (let unread = prompt; ids.length < maxNewTokens && ids[ids.length - 1] !== MARKER; ) {
    const logits = model.forward(unread, cache);
    unread = [logits.indexOf(Math.max(...logits))];
    ids.push(...unread);
  }
  return ids;
}

class Screen extends Box {
  constructor(root) {
    super(root, "#question");
    this.connect();
    this.field.oninput = () => (memory.text = this.field.value);
  }

  // Take what the page sends: mini in all widths, with other scales than before or for the first time.
  receive({ header, arrays }) {
    if (this.header?.scales === header.scales) return;
    this.header = header;
    this.arrays = arrays;
    this.tokenizer = new Tokenizer(arrays);
    this.full = new Model(header.config, arrays);
    this.models = null;
    this.offer(header.questions);
    this.field.value = memory.text ??= header.questions[0];
    this.find(".starting").hidden = true;
    this.find(".run").disabled = false;
    this.ask();
  }

  offer(questions) {
    const buttons = questions.map((words) => {
      const button = document.createElement("button");
      Object.assign(button, { type: "button", textContent: words });
      button.onclick = () => {
        this.field.value = memory.text = words;
        this.ask();
      };
      return button;
    });
    this.find(".examples").replaceChildren(...buttons);
  }

  ask() {
    try {
      this.answer();
    } catch (problem) {
      if (problem instanceof Refusal) this.say(`${problem.message} ${this.still()}`, true);
      else this.fail(problem);
    }
  }

  // Ask every model, and tell the page's server what they wrote; what was asked stays here.
  answer() {
    const { max_prompt_tokens, max_new_tokens, methods, widths, scales } = this.header;
    const { ids, notes } = readPrompt(this.tokenizer, this.field.value, max_prompt_tokens);
    const each = (model) => reply(model, ids, max_new_tokens);
    this.models ??= methods.map((method) =>
      widths.map((bits) => modelAt(this.header, this.arrays, method, bits)),
    );
    const replies = this.models.map((models) => models.map(each));
    const made = { scales, full: each(this.full), replies };
    this.find(".notes").replaceChildren(
      ...notes.map((note) => Object.assign(document.createElement("li"), { textContent: note })),
    );
    const count = 1 + methods.length * widths.length;
    this.say(`Asked ${count} times: at 16 bits, and at each other width by both methods.`);
    this.name(this.field.value);
    this.tell("run", made);
  }

  // Name the question that the replies below answer, in this tab alone.
  name(question) {
    const words = question.trim().replace(/\s+/g, " ");
    const signs = [...words];
    globalThis[ASKED] = signs.length > MOST_NAMED ? `${signs.slice(0, MOST_NAMED).join("")}…` : words;
    document.dispatchEvent(new Event(ASKED));
  }

  still() {
    return globalThis[ASKED] ? "The replies below are still those to the question before." : "";
  }
}

export { Model, Tokenizer, modelAt, readPrompt, reply, unpack };

export default function (component) {
  const make = (root) => new Screen(root);
  return inPlace(component, make, (screen, block) => {
    screen.receive(block);
    screen.paint();
  });
}
