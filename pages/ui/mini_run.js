// Writing a reply: one pass reads the prompt, then one pass a token, each timed with the cache and without.

const ENOUGH_TICKS = 20; // of the browser's clock, for one pass and its repeats
const LEAST_MS = 2;
const BATCHES = 3; // a device that is busy for a moment spoils one of them
const MOST_MS = 200; // where a browser's clock is made coarse on purpose
const WARM_UP_MS = 200;
const BREATHE_MS = 12; // a frame: the page stays alive and Stop is heard

// The browser's clock: its smallest step, and how long a pass is repeated.
function readClock(now = () => performance.now()) {
  let tick_ms = Infinity;
  for (let i = 0; i < 3; i++) {
    const before = now();
    let after = now();
    while (after === before) after = now();
    tick_ms = Math.min(tick_ms, after - before);
  }
  return { now, tick_ms, enough_ms: Math.min(MOST_MS, Math.max(LEAST_MS, ENOUGH_TICKS * tick_ms)) };
}

// One pass, timed in three batches of repeats: its logits, the middle one of the three means, and all repeats.
function timedPass(model, ids, cache, clock) {
  const { length } = cache;
  const batches = Array.from({ length: BATCHES }, () => {
    cache.length = length; // every batch begins where the pass begins
    return timedBatch(model, ids, cache, clock);
  });
  const means_us = batches.map((batch) => batch.us).sort((a, b) => a - b);
  const repeats = batches.reduce((sum, batch) => sum + batch.repeats, 0);
  return { ...batches[0], us: means_us[(BATCHES - 1) / 2], repeats };
}

// One pass, run again on the same cache until enough ticks have gone by: its logits, mean time and repeats.
function timedBatch(model, ids, cache, clock) {
  const { length } = cache;
  let repeats = 0;
  let elapsed_ms = 0;
  let logits;
  const start_ms = clock.now();
  do {
    cache.length = length;
    logits = model.forward(ids, cache);
    repeats++;
    elapsed_ms = clock.now() - start_ms;
  } while (elapsed_ms < clock.enough_ms);
  return { logits, us: (elapsed_ms / repeats) * 1000, repeats, tokens_read: ids.length };
}

const breathe = () => new Promise((resolve) => setTimeout(resolve));

// Run passes that count for nothing until the browser has compiled them.
async function warmUp(model, prompt, clock) {
  const cache = model.newCache();
  const start_ms = clock.now();
  while (clock.now() - start_ms < WARM_UP_MS) {
    const breath_ms = clock.now();
    while (clock.now() - breath_ms < BREATHE_MS) {
      cache.length = 0;
      model.forward(prompt, cache);
      model.forward([MARKER], cache);
    }
    await breathe();
  }
}

// Each token's chance, [n_vocab]; at temperature 0 (greedy) the model's own, as at 1.
function probabilities(logits, temperature) {
  const probs = logits.map((logit) => (temperature === 0 ? logit : logit / temperature));
  softmax(probs, probs.length);
  return probs;
}

// The likeliest token at temperature 0 (ties to the lower id), else one drawn with `random` in [0, 1).
function choose(probs, temperature, random) {
  if (temperature === 0) return probs.indexOf(Math.max(...probs));
  const bounds = new Float64Array(probs.length);
  probs.reduce((sum, prob, id) => (bounds[id] = sum + prob), 0);
  const drawn = random() * bounds[bounds.length - 1];
  return bounds.findIndex((bound) => bound > drawn);
}

// The likeliest tokens and their chances, ties to the lower id.
function likeliest(probs, count) {
  const ids = Array.from(probs.keys()).sort((a, b) => probs[b] - probs[a] || a - b);
  return ids.slice(0, count).map((id) => [id, probs[id]]);
}

// Yields a pass at a time; a reply ends with the end of text or at `maxNewTokens`.
function* passes(model, prompt, { temperature, random, clock, maxNewTokens, nLikeliest }) {
  const ids = [...prompt];
  const cache = model.newCache();
  const again = model.newCache();
  for (let n = 0; n < maxNewTokens; n++) {
    const cached = timedPass(model, ids.slice(cache.length), cache, clock);
    again.length = 0;
    const uncached = n === 0 ? cached : timedPass(model, ids, again, clock); // the first pass is the same either way
    const probs = probabilities(cached.logits, temperature);
    const id = choose(probs, temperature, random);
    yield { id, likeliest: likeliest(probs, nLikeliest), cached, uncached };
    if (id === MARKER) return;
    ids.push(id);
  }
}

// All passes of a reply, letting the page breathe in between; null if `isStopped` says so.
async function runAll(model, prompt, options, isStopped) {
  const made = [];
  let breath_ms = options.clock.now();
  for (const pass of passes(model, prompt, options)) {
    made.push(pass);
    if (options.clock.now() - breath_ms < BREATHE_MS) continue;
    await breathe();
    if (isStopped()) return null;
    breath_ms = options.clock.now();
  }
  return isStopped() ? null : made;
}

// What the page's server hears of a finished run: nothing of what was typed but its length.
function report(promptTokens, temperature, clock, made) {
  const column = (kind, name) => made.map((pass) => pass[kind][name]);
  return {
    prompt_tokens: promptTokens,
    temperature,
    tick_us: clock.tick_ms * 1000,
    ids: made.map((pass) => pass.id),
    likeliest: made.map((pass) => pass.likeliest),
    cached_us: column("cached", "us"),
    cached_repeats: column("cached", "repeats"),
    uncached_us: column("uncached", "us"),
    uncached_repeats: column("uncached", "repeats"),
  };
}
