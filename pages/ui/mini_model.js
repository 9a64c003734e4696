// GPT-2's forward pass with a KV cache, as published (Radford et al. 2019), over one block of bytes.

const GELU_SLOPE = 0.7978845608028654; // sqrt(2 / π); Hendrycks & Gimpel 2016, arXiv 1606.08415
const GELU_CUBE = 0.044715;
const VIEWS = { f4: Float32Array, u2: Uint16Array, u1: Uint8Array };

// The block's small header and its arrays by name; `pages/ui/mini_bytes.py` packs it.
function unpack(block) {
  const bytes = block.slice(); // aligned, and ours
  const headerBytes = new DataView(bytes.buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + headerBytes)));
  const arrays = {};
  for (const [name, [kind, offset, count]] of Object.entries(header.arrays)) {
    arrays[name] = new VIEWS[kind](bytes.buffer, 4 + headerBytes + offset, count);
  }
  return { header, arrays };
}

// out [n_rows, n_out] = x [n_rows, n_in] @ weight [n_in, n_out] + bias
function linear(out, x, rows, weight, bias) {
  const nOut = bias.length;
  const nIn = weight.length / nOut;
  for (let row = 0; row < rows; row++) {
    const at = row * nOut;
    out.set(bias, at);
    for (let i = 0; i < nIn; i++) {
      const factor = x[row * nIn + i];
      for (let j = 0, w = i * nOut; j < nOut; j++, w++) out[at + j] += factor * weight[w];
    }
  }
}

// Each row of x at mean 0 and variance 1, times gain, plus bias (arXiv 1607.06450).
function layerNorm(out, x, rows, gain, bias, epsilon) {
  const d = gain.length;
  for (let at = 0; at < rows * d; at += d) {
    let mean = 0;
    let square = 0;
    for (let i = 0; i < d; i++) mean += x[at + i] / d;
    for (let i = 0; i < d; i++) square += (x[at + i] - mean) ** 2 / d;
    const scale = 1 / Math.sqrt(square + epsilon);
    for (let i = 0; i < d; i++) out[at + i] = (x[at + i] - mean) * scale * gain[i] + bias[i];
  }
}

function add(x, update, count) {
  for (let i = 0; i < count; i++) x[i] += update[i];
}

// GPT-2's activation, the tanh approximation of GELU, in place.
function geluNew(x, count) {
  for (let i = 0; i < count; i++) {
    const v = x[i];
    x[i] = 0.5 * v * (1 + Math.tanh(GELU_SLOPE * (v + GELU_CUBE * v * v * v)));
  }
}

// Weights that sum to 1, over the first `count` scores, in place.
function softmax(scores, count) {
  let most = -Infinity;
  let sum = 0;
  for (let i = 0; i < count; i++) most = Math.max(most, scores[i]);
  for (let i = 0; i < count; i++) sum += scores[i] = Math.exp(scores[i] - most);
  for (let i = 0; i < count; i++) scores[i] /= sum;
}

class Model {
  constructor(config, params) {
    this.config = config;
    this.params = params; // flat arrays under GPT-2's names
    const { n_ctx: rows, n_embd: d } = config;
    const room = (width) => new Float32Array(rows * width);
    this.work = { x: room(d), normal: room(d), qkv: room(3 * d), gathered: room(d), update: room(d) };
    this.work.hidden = room(4 * d);
    this.work.scores = new Float32Array(rows);
    this.work.logits = new Float32Array(config.n_vocab);
  }

  // An empty KV cache with room for the whole context; setting `length` lower forgets the tokens after it.
  newCache() {
    const { n_layer, n_ctx, n_embd } = this.config;
    const room = () => Array.from({ length: n_layer }, () => new Float32Array(n_ctx * n_embd));
    return { length: 0, keys: room(), values: room() }; // each layer's [n_ctx, n_embd]
  }

  // Logits [n_vocab] of the token after the last of `ids`, until the next pass; the cache grows by them.
  forward(ids, cache) {
    const { n_ctx, n_layer } = this.config;
    if (ids.length < 1 || cache.length + ids.length > n_ctx) {
      throw new RangeError(`expected 1 to ${n_ctx - cache.length} token ids, got ${ids.length}`);
    }
    this.embed(ids, cache.length);
    for (let layer = 0; layer < n_layer; layer++) this.block(layer, ids.length, cache);
    cache.length += ids.length;
    return this.head(ids.length);
  }

  embed(ids, start) {
    const d = this.config.n_embd;
    const { x } = this.work;
    const tokens = this.params["wte.weight"];
    const positions = this.params["wpe.weight"];
    ids.forEach((id, row) => {
      for (let i = 0; i < d; i++) x[row * d + i] = tokens[id * d + i] + positions[(start + row) * d + i];
    });
  }

  block(layer, rows, cache) {
    const { x, qkv, gathered, update, hidden } = this.work;
    const h = `h.${layer}.`;
    this.normThen(`${h}ln_1`, `${h}attn.c_attn`, qkv, rows);
    this.keep(layer, rows, cache);
    for (let row = 0; row < rows; row++) this.attend(layer, row, cache);
    this.linear(`${h}attn.c_proj`, update, gathered, rows);
    add(x, update, rows * this.config.n_embd);
    this.normThen(`${h}ln_2`, `${h}mlp.c_fc`, hidden, rows);
    geluNew(hidden, rows * 4 * this.config.n_embd);
    this.linear(`${h}mlp.c_proj`, update, hidden, rows);
    add(x, update, rows * this.config.n_embd);
  }

  linear(name, out, x, rows) {
    linear(out, x, rows, this.params[`${name}.weight`], this.params[`${name}.bias`]);
  }

  norm(name, x, rows) {
    const { params, config, work } = this;
    const [gain, bias] = [params[`${name}.weight`], params[`${name}.bias`]];
    layerNorm(work.normal, x, rows, gain, bias, config.layer_norm_epsilon);
  }

  normThen(norm, name, out, rows) {
    this.norm(norm, this.work.x, rows);
    this.linear(name, out, this.work.normal, rows);
  }

  // Put the new tokens' keys and values into the cache.
  keep(layer, rows, cache) {
    const d = this.config.n_embd;
    const { qkv } = this.work;
    for (let row = 0; row < rows; row++) {
      const at = row * 3 * d;
      cache.keys[layer].set(qkv.subarray(at + d, at + 2 * d), (cache.length + row) * d);
      cache.values[layer].set(qkv.subarray(at + 2 * d, at + 3 * d), (cache.length + row) * d);
    }
  }

  // What new token `row` gathers from itself and all before it, head by head.
  attend(layer, row, cache) {
    const { n_embd: d, n_head } = this.config;
    const headDim = d / n_head;
    const seen = cache.length + row + 1;
    for (let head = 0; head < d; head += headDim) {
      this.score(cache.keys[layer], row * 3 * d + head, head, seen, headDim);
      softmax(this.work.scores, seen);
      this.gather(cache.values[layer], row * d + head, head, seen, headDim);
    }
  }

  score(keys, query, head, seen, headDim) {
    const { qkv, scores } = this.work;
    const d = this.config.n_embd;
    const scale = 1 / Math.sqrt(headDim);
    for (let place = 0; place < seen; place++) {
      let sum = 0;
      for (let i = 0; i < headDim; i++) sum += qkv[query + i] * keys[place * d + head + i];
      scores[place] = sum * scale;
    }
  }

  gather(values, out, head, seen, headDim) {
    const { gathered, scores } = this.work;
    const d = this.config.n_embd;
    gathered.fill(0, out, out + headDim);
    for (let place = 0; place < seen; place++) {
      const share = scores[place];
      for (let i = 0; i < headDim; i++) gathered[out + i] += share * values[place * d + head + i];
    }
  }

  // Logits after the last row; the output embedding is the input's (tied).
  head(rows) {
    const { n_embd: d, n_vocab } = this.config;
    const { x, normal, logits } = this.work;
    const tokens = this.params["wte.weight"];
    this.norm("ln_f", x.subarray((rows - 1) * d, rows * d), 1);
    for (let id = 0; id < n_vocab; id++) {
      let sum = 0;
      for (let i = 0; i < d; i++) sum += normal[i] * tokens[id * d + i];
      logits[id] = sum;
    }
    return logits;
  }
}
