"""One request alone on a server: its times in closed form, and pass by pass."""

from bisect import bisect_left
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from sim import expect
from sim.clocks import pass_time, prompt_pairs, stretch_s
from sim.costs import UnitCosts

LONGEST_PROMPT = 2**53  # the last length up to which every whole number is a float
MOST_PASSES = 10**7  # of a frame: about a gigabyte


@dataclass(frozen=True)
class LoneRequest:
    """Seconds to the first token, for the later ones, and for the whole reply; and the passes of each."""

    ttft_s: float
    decode_s: float
    e2e_s: float
    prefill_passes: int
    decode_passes: int


def lone_request(
    costs: UnitCosts,
    prompt_tokens: int,
    output_tokens: int,
    *,
    cached_tokens: int = 0,
    max_num_batched_tokens: int | None = None,
) -> LoneRequest:
    """Return the times of a request that has the server to itself, in closed form.

    The prompt is read in one pass, or in pieces of `max_num_batched_tokens`; every later pass writes one
    token. Raises ValueError for counts below 1, or `cached_tokens` that leave nothing of the prompt.
    """
    expect.instance("costs", costs, UnitCosts)
    piece, pieces, rest = _pieces(prompt_tokens, output_tokens, cached_tokens, max_num_batched_tokens)
    prompt_tokens, output_tokens, cached_tokens = map(int, (prompt_tokens, output_tokens, cached_tokens))
    pairs, more_pairs = prompt_pairs(float(cached_tokens), float(piece)), piece * piece * (piece > 1)
    ttft_s = stretch_s(costs, pieces, piece, cached_tokens + piece, pairs, piece, more_pairs)
    if rest:
        rest_pairs = prompt_pairs(float(prompt_tokens - rest), float(rest))
        ttft_s += pass_time(costs, float(rest), float(prompt_tokens), rest_pairs).total_s
    decode_s = stretch_s(costs, output_tokens - 1, 1.0, prompt_tokens + 1.0, 0.0, 1.0, 0.0)
    return LoneRequest(
        float(ttft_s), float(decode_s), float(ttft_s + decode_s), pieces + (rest > 0), output_tokens - 1
    )


def lone_passes(
    costs: UnitCosts,
    prompt_tokens: int,
    output_tokens: int,
    *,
    cached_tokens: int = 0,
    max_num_batched_tokens: int | None = None,
) -> pd.DataFrame:
    """Return a row a pass of a request alone, from its arrival at 0 s.

    Columns `start_s, end_s, state` (prefill, decode), `tokens, kv_tokens, pairs`, and the parts of
    `PassTime`. Raises ValueError as `lone_request` does, and for more passes than fit in memory.
    """
    expect.instance("costs", costs, UnitCosts)
    piece, pieces, rest = _pieces(prompt_tokens, output_tokens, cached_tokens, max_num_batched_tokens)
    prefill_passes = pieces + (rest > 0)
    passes = prefill_passes + int(output_tokens) - 1
    if passes > MOST_PASSES:
        raise ValueError(
            f"expected a request of at most {MOST_PASSES:,} passes, got {passes:,}; ask for a shorter reply."
        )
    tokens = np.repeat([piece, rest, 1.0], [pieces, rest > 0, output_tokens - 1])  # [n_passes]
    kv_tokens = cached_tokens + np.cumsum(tokens)
    reads = np.arange(len(tokens)) < prefill_passes
    pairs = np.where(reads, prompt_pairs(kv_tokens - tokens, tokens), 0.0)
    return _pass_frame(costs, reads, tokens, kv_tokens, pairs)


def reading_breaks_even(costs: UnitCosts) -> int | None:
    """Return the shortest prompt whose arithmetic takes longer than its reading; None if no prompt's does.

    What arithmetic takes beyond reading is convex in the length and at most 0 without a prompt: it turns
    positive once and stays so, so that halving finds the place.
    """
    expect.instance("costs", costs, UnitCosts)
    lengths = range(1, LONGEST_PROMPT)
    place = bisect_left(lengths, True, key=lambda length: _arithmetic_is_longer(costs, float(length)))
    return lengths[place] if place < len(lengths) else None


def _arithmetic_is_longer(costs: UnitCosts, prompt_tokens: float) -> bool:
    time = pass_time(costs, prompt_tokens, prompt_tokens, prompt_pairs(0.0, prompt_tokens))
    return bool(time.arithmetic_s > time.weight_read_s + time.kv_read_s)


def _pieces(
    prompt_tokens: int, output_tokens: int, cached_tokens: int, max_num_batched_tokens: int | None
) -> tuple[int, int, int]:
    """Return the tokens of a whole piece, how many there are, and the tokens left for a last one."""
    expect.whole("output_tokens", output_tokens)
    most_cached = expect.whole("prompt_tokens", prompt_tokens) - 1
    to_compute = 1 + most_cached - expect.whole("cached_tokens", cached_tokens, least=0, most=most_cached)
    if max_num_batched_tokens is None:
        return to_compute, 1, 0
    piece = min(expect.whole("max_num_batched_tokens", max_num_batched_tokens), to_compute)
    return piece, to_compute // piece, to_compute % piece


def _pass_frame(
    costs: UnitCosts,
    reads: npt.NDArray[np.bool_],
    tokens: npt.NDArray[np.float64],
    kv_tokens: npt.NDArray[np.float64],
    pairs: npt.NDArray[np.float64],
) -> pd.DataFrame:
    time = pass_time(costs, tokens, kv_tokens, pairs)
    ends_s = np.cumsum(time.total_s)
    starts_s = np.concatenate(([0.0], ends_s[:-1]))
    counts = {"tokens": tokens.astype(np.int64), "kv_tokens": kv_tokens.astype(np.int64), "pairs": pairs}
    states = np.where(reads, "prefill", "decode")
    return pd.DataFrame({"start_s": starts_s, "end_s": ends_s, "state": states} | counts | vars(time))
