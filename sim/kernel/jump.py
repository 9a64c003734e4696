"""Runs of equal passes: how often the pass just made up repeats before anything changes, and how long.

While every request computes as many tokens as before and nobody enters, finishes, completes its prompt or
runs out of blocks, both clocks of a pass grow in equal steps, so that the run has a closed form.
"""

from sim.clocks import stretch_s
from sim.kernel.guessing import draft_s
from sim.kernel.memory import blocks_for
from sim.kernel.records import (
    DRAFT,
    MODEL,
    PAGED,
    REQUEST_LEVEL,
    TIE_S,
    Costs,
    Round,
    Seq,
    State,
)


def equal_passes_s(state: State, costs: list[Costs], passes: int) -> float:
    """Return the seconds of `passes` passes like the one made up, without guesses; the first reads least."""
    seconds = stretch_s(
        costs[MODEL],
        passes,
        float(state.tokens),
        float(state.kv_tokens),
        state.pairs,
        float(state.more_kv_tokens),
        state.more_pairs,
    )
    if state.num_speculative_tokens > 0 and state.piece_tokens > 0:
        seconds += stretch_s(
            costs[DRAFT],
            passes,
            float(state.piece_tokens),
            float(state.piece_kv_tokens),
            state.piece_pairs,
            float(state.more_piece_kv_tokens),
            state.more_piece_pairs,
        )
    return seconds


def guessing_pass_s(state: State, costs: list[Costs], rounds: list[Round]) -> float:
    """Return the seconds of a pass with guesses: the draft's passes, then the model's."""
    tokens, kv_tokens = float(state.tokens), float(state.kv_tokens)
    checking_s = stretch_s(costs[MODEL], 1, tokens, kv_tokens, state.pairs, 0.0, 0.0)
    return draft_s(state, costs, rounds) + checking_s


def blocks_of_later_passes(state: State, seqs: list[Seq], running: list[int], later: int) -> int:
    """Return the blocks that `later` passes take after the one made up."""
    blocks = 0
    for place in range(state.num_running):
        seq = seqs[running[place]]
        wanted = seq.computed + seq.given * (1 + later) - seq.blocks * state.block_size
        if wanted > 0:
            blocks += blocks_for(wanted, state.block_size)
    return blocks


def passes_until_full(state: State, seqs: list[Seq], running: list[int], passes: int) -> int:
    """Return how many of `passes` equal passes find the blocks they need (the first has taken its own)."""
    later = passes - 1
    at_most = state.num_running + state.more_kv_tokens * later // state.block_size
    if at_most <= state.free_blocks:
        return passes
    if blocks_of_later_passes(state, seqs, running, later) <= state.free_blocks:
        return passes
    enough, too_many = 0, later
    while too_many - enough > 1:
        middle = (enough + too_many) // 2
        if blocks_of_later_passes(state, seqs, running, middle) <= state.free_blocks:
            enough = middle
        else:
            too_many = middle
    return 1 + enough


def passes_until_arrival(state: State, costs: list[Costs], arrival_s: float, passes: int) -> int:
    """Return after how many of `passes` equal passes a request that arrives at `arrival_s` is seen."""
    wait_s = arrival_s - TIE_S - state.now_s
    if wait_s <= 0:
        return 1
    all_s, shortest_s = equal_passes_s(state, costs, passes), equal_passes_s(state, costs, 1)
    if not all_s >= wait_s:
        return passes
    too_few = max(0, int(wait_s / all_s * passes) - 1)  # passes only grow longer: their sum is convex
    enough = passes
    if wait_s < shortest_s * passes:
        enough = min(passes, int(wait_s / shortest_s) + 2)
    while enough - too_few > 1:
        middle = (too_few + enough) // 2
        if equal_passes_s(state, costs, middle) >= wait_s:
            enough = middle
        else:
            too_few = middle
    return enough


def somebody_could_enter(state: State) -> bool:
    """Return whether a request that arrives now would find a seat, a budget, and nobody before it."""
    if state.scheduler == REQUEST_LEVEL or state.num_aside > 0 or state.entered < state.arrived:
        return False
    return state.num_running < state.max_num_seqs and state.left > 0


def equal_passes(
    state: State, seqs: list[Seq], running: list[int], line: list[int], costs: list[Costs]
) -> int:
    """Return how often the pass made up can run, unchanged, in one event."""
    if state.victims > 0 or state.most_guesses > 0:
        return 1
    passes = state.repeats
    if passes > 1 and state.kv_layout == PAGED and not state.promises:
        passes = passes_until_full(state, seqs, running, passes)
    if passes > 1 and state.arrived < state.enrolled and somebody_could_enter(state):
        passes = passes_until_arrival(state, costs, seqs[line[state.arrived]].arrival_s, passes)
    return passes
