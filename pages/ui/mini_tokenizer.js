// Byte-level BPE (Sennrich et al. 2016, arXiv 1508.07909): the same ids as data/larkspur-mini/tokenizer.json.

// GPT-2's way of cutting text. \s and \S are spelled out: JavaScript's own differ from Unicode's White_Space.
const WORDS =
  /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\p{White_Space}\p{L}\p{N}]+|\p{White_Space}+(?!\P{White_Space})|\p{White_Space}+/gu;
const LONE_SURROGATE = /[\ud800-\udfff]/gu;
const BLANK = /^[\p{White_Space}\x1c-\x1f]*$/u; // what Python's strip() takes away
const MARKER = 0;
const MARKER_TEXT = "<|endoftext|>";

class Refusal extends Error {} // a sentence for the reader: what was expected, what came, what to do

class Tokenizer {
  constructor({ token_lengths, token_bytes, merges }) {
    this.tokens = []; // the bytes of each token
    let at = 0;
    for (const length of token_lengths) this.tokens.push(token_bytes.subarray(at, (at += length)));
    this.idOfByte = new Uint16Array(256);
    this.tokens.forEach((bytes, id) => bytes.length === 1 && (this.idOfByte[bytes[0]] = id));
    this.merges = merges; // [n_merges × (left, right, merged)], the earliest first
    this.rank = new Map();
    for (let i = 0; i < merges.length; i += 3) this.rank.set(this.pair(merges[i], merges[i + 1]), i);
  }

  pair(left, right) {
    return left * this.tokens.length + right;
  }

  // The start marker and the text's token ids; lone surrogates are read as U+FFFD.
  encode(text) {
    const ids = [MARKER];
    for (const word of this.cut(text)) for (const id of this.encodeWord(word)) ids.push(id);
    return ids;
  }

  // The pieces that are encoded each by itself.
  cut(text) {
    return text.replace(LONE_SURROGATE, "\ufffd").match(WORDS) ?? [];
  }

  encodeWord(word) {
    let ids = Array.from(new TextEncoder().encode(word), (byte) => this.idOfByte[byte]);
    for (let rank = this.earliest(ids); rank < Infinity; rank = this.earliest(ids)) {
      ids = this.merge(ids, rank);
    }
    return ids;
  }

  // The rank of the earliest merge that applies anywhere, or Infinity.
  earliest(ids) {
    let best = Infinity;
    for (let i = 1; i < ids.length; i++) {
      const rank = this.rank.get(this.pair(ids[i - 1], ids[i]));
      if (rank < best) best = rank;
    }
    return best;
  }

  merge(ids, rank) {
    const [left, right, merged] = this.merges.subarray(rank, rank + 3);
    const shorter = [];
    for (let i = 0; i < ids.length; i++) {
      const meets = ids[i] === left && ids[i + 1] === right;
      shorter.push(meets ? merged : ids[i]);
      if (meets) i++;
    }
    return shorter;
  }

  // The text of the ids, markers dropped; bytes that are no UTF-8 become U+FFFD.
  decode(ids) {
    const bytes = ids.filter((id) => id !== MARKER).flatMap((id) => Array.from(this.tokens[id]));
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(new Uint8Array(bytes));
  }

  // One token as a chip shows it; bytes that are no whole character look like \xf0\x9f.
  tokenText(id) {
    if (id === MARKER) return MARKER_TEXT;
    try {
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(this.tokens[id]);
    } catch {
      return Array.from(this.tokens[id], (byte) =>
        byte < 128 ? String.fromCharCode(byte) : `\\x${byte.toString(16)}`,
      ).join("");
    }
  }
}

// What the model reads of a reader's text, with a sentence for each change; refuses a text that says nothing.
function readPrompt(tokenizer, text, maxTokens) {
  if (BLANK.test(text)) {
    throw new Refusal(
      "Expected some text, got an empty prompt; type a question such as: Where is my order?",
    );
  }
  let ids = tokenizer.encode(text);
  const notes = [];
  const strange = text.match(LONE_SURROGATE)?.length;
  if (strange) {
    notes.push(`Half a character (${strange} in all) cannot be read; each became the sign \ufffd.`);
  }
  if (ids.length > maxTokens) {
    notes.push(
      `The text has ${ids.length.toLocaleString("en-US")} tokens; only its end is read: the start marker ` +
        `and the last ${maxTokens - 1} tokens, so that there is room for the reply.`,
    );
    ids = [ids[0], ...ids.slice(1 - maxTokens)];
  }
  return { ids, notes };
}
