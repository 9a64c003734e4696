"""Guessing ahead: how many tokens a request guesses, which of them are right, and what the draft costs.

Speculative decoding: arXiv 2211.17192 (Leviathan et al.). The mix is the 32-bit one of engine rules: a
request's luck depends on seed, row and position alone, so that it is the same in every setting.
"""

from sim.clocks import stretch_s
from sim.kernel.records import DRAFT, Costs, Round, Seq, State

MASK = 0xFFFFFFFF


def mix(value: int) -> int:
    """Return a 32-bit number that depends on every bit of `value`."""
    value ^= value >> 16
    value = (value * 0x21F0AAAD) & MASK
    value ^= value >> 15
    value = (value * 0x735A2D97) & MASK
    return value ^ (value >> 15)


def guesses_of(state: State, seq: Seq) -> int:
    """Return how many tokens a request that writes guesses in this pass."""
    return min(state.num_speculative_tokens, seq.output_tokens - seq.written - 1, state.left - 1)


def accepted(state: State, row: int, seq: Seq) -> int:
    """Return how many of the guesses of request `row` are right before the first wrong one."""
    luck = mix(mix(state.seed) ^ row)
    count = 0
    while count < seq.guesses:
        if not mix(luck ^ ((seq.written + count) & MASK)) / 4294967296.0 < state.acceptance_rate:
            break
        count += 1
    return count


def draft_s(state: State, costs: list[Costs], rounds: list[Round]) -> float:
    """Return the seconds of all passes of the draft; empties `rounds`.

    In its j-th pass each request with at least j guesses computes one token; the first also reads the
    pieces of prompts.
    """
    seconds, seqs, kv_tokens = 0.0, 0, 0
    for guess in range(state.most_guesses, 0, -1):
        seqs += rounds[guess].seqs
        kv_tokens += rounds[guess].kv_tokens
        rounds[guess].seqs = 0
        rounds[guess].kv_tokens = 0
        first = 1 if guess == 1 else 0
        tokens = float(seqs + first * state.piece_tokens)
        read = float(kv_tokens + guess * seqs + first * state.piece_kv_tokens)
        seconds += stretch_s(costs[DRAFT], 1, tokens, read, first * state.piece_pairs, 0.0, 0.0)
    return seconds
