"""Who is in the next pass, and how many tokens each computes: four schedulers, first come first served.

request-level: FasterTransformer. iteration-level: Orca (OSDI 2022). prefill-first: vLLM V0. chunked:
Sarathi-Serve (arXiv 2403.02310), vLLM V1.
"""

from sim.kernel.guessing import guesses_of
from sim.kernel.memory import blocks_for, fits, grow, reserve, take
from sim.kernel.records import (
    CHUNKED,
    DECODE,
    ENDLESS,
    NOBODY,
    PAGED,
    PREFILL,
    PREFILL_FIRST,
    REQUEST_LEVEL,
    RIDING,
    STALLED,
    Round,
    Seq,
    State,
)


def begin_pass(state: State) -> None:
    """Start making up a pass: nobody is in it yet."""
    limited = state.scheduler == CHUNKED or state.scheduler == PREFILL_FIRST
    state.left = state.budget if limited else ENDLESS
    state.newcomers = 0
    state.victims = 0
    state.most_guesses = 0
    state.repeats = ENDLESS
    state.tokens = 0
    state.kv_tokens = 0
    state.pairs = 0.0
    state.more_kv_tokens = 0
    state.more_pairs = 0.0
    state.piece_tokens = 0
    state.piece_kv_tokens = 0
    state.piece_pairs = 0.0
    state.more_piece_kv_tokens = 0
    state.more_piece_pairs = 0.0


def todo(seq: Seq) -> int:
    """Return the tokens that `seq` must compute before it can write its next one."""
    return seq.prompt_tokens + seq.written - seq.computed


def writes(seq: Seq) -> bool:
    """Return whether all that `seq` has to compute is the token it wrote last."""
    return seq.written > 0 and todo(seq) == 1


def give(state: State, seq: Seq, tokens: int, guesses: int, what: int, repeats: int) -> None:
    """Let `seq` compute `tokens` in this pass, of which `guesses` are guessed, and count them."""
    seq.given = tokens
    seq.guesses = guesses
    seq.state = what
    state.left -= tokens
    state.tokens += tokens
    state.kv_tokens += seq.computed + tokens
    state.more_kv_tokens += tokens
    state.repeats = min(state.repeats, repeats)


def give_token(state: State, rounds: list[Round], seq: Seq, guesses: int) -> None:
    """Let `seq`, whose prompt is read, write on: one token and what is right of `guesses`."""
    give(state, seq, 1 + guesses, guesses, DECODE, seq.output_tokens - seq.written)
    if guesses > 0:
        state.pairs += (1 + guesses) * (seq.computed + (1 + guesses) / 2)
        rounds[guesses].seqs += 1
        rounds[guesses].kv_tokens += seq.computed
        state.most_guesses = max(state.most_guesses, guesses)


def give_piece(state: State, seq: Seq, tokens: int) -> None:
    """Let `seq` read the next `tokens` of its prompt, or of what it lost when it was preempted."""
    give(state, seq, tokens, 0, PREFILL, todo(seq) // tokens)
    pairs = tokens * (seq.computed + tokens / 2) if tokens > 1 else 0.0
    more_pairs = float(tokens) * tokens if tokens > 1 else 0.0
    state.piece_tokens += tokens
    state.piece_kv_tokens += seq.computed + tokens
    state.more_piece_kv_tokens += tokens
    state.pairs += pairs
    state.more_pairs += more_pairs
    state.piece_pairs += pairs
    state.more_piece_pairs += more_pairs


def skip(seq: Seq, what: int) -> None:
    """Leave `seq` out of this pass: it is stalled, or has finished and rides."""
    seq.given = 0
    seq.guesses = 0
    seq.state = what


def front(state: State, line: list[int], aside: list[int]) -> int:
    """Return the request at the front of the queue, or NOBODY."""
    if state.num_aside > 0:
        return aside[state.num_aside - 1]
    return line[state.entered] if state.entered < state.arrived else NOBODY


def somebody_is_out(state: State) -> bool:
    """Return whether the front of the queue was swapped out, and has what it computed to come back to."""
    return state.swaps == 1 and state.num_aside > 0


def enter(state: State, seqs: list[Seq], running: list[int], placed: list[int], row: int) -> None:
    """Seat the request at the front of the queue, and let it go on as far as the budget allows."""
    seq = seqs[row]
    if somebody_is_out(state):
        state.moved_blocks += blocks_for(seq.computed, state.block_size)
        state.repeats = 1  # the next pass moves nothing
    else:
        seq.computed = seq.cached_tokens
    if state.num_aside > 0:
        state.num_aside -= 1
    else:
        state.entered += 1
        seq.admitted_s = state.now_s
    tokens = min(todo(seq), state.left)
    if state.kv_layout == PAGED:
        take(state, seq, seq.computed + tokens)
    else:
        reserve(state, seqs, placed, row)
    state.promised_blocks += seq.final_blocks
    running[state.num_running] = row
    state.num_running += 1
    state.newcomers += 1
    if writes(seq):  # swapped in; nobody guesses as he enters
        give(state, seq, 1, 0, DECODE, seq.output_tokens - seq.written)
    else:
        give_piece(state, seq, tokens)


def admit(
    state: State,
    seqs: list[Seq],
    running: list[int],
    placed: list[int],
    line: list[int],
    aside: list[int],
) -> None:
    """Let the queue in from its front while budget, seats and memory last; nobody passes the front."""
    while state.left > 0 and state.num_running < state.max_num_seqs:
        row = front(state, line, aside)
        if row == NOBODY or not fits(state, seqs, placed, seqs[row]):
            return
        if state.scheduler == PREFILL_FIRST and not has_turn(state, seqs[row]):
            return
        enter(state, seqs, running, placed, row)


def has_turn(state: State, seq: Seq) -> bool:
    """Return whether prefill-first lets `seq` in: to read its prompt, or swapped in, to write with the others."""
    if somebody_is_out(state):
        return not state.only_reads
    return state.only_reads == 1 and read_whole(state, seq)


def read_whole(state: State, seq: Seq) -> bool:
    """Return whether `seq` fits what is left of the budget; one longer than all of it is read alone."""
    tokens = seq.prompt_tokens + seq.written - seq.cached_tokens
    if tokens > state.budget and state.newcomers == 0:
        state.left = tokens
    return tokens <= state.left


def advance_one(
    state: State, seqs: list[Seq], running: list[int], aside: list[int], rounds: list[Round], place: int
) -> None:
    """Give the request at `place` one token (and guesses) or its next piece, unless it has to leave."""
    seq = seqs[running[place]]
    if writes(seq):
        guesses = guesses_of(state, seq) if state.num_speculative_tokens > 0 else 0
        if grow(state, seqs, running, aside, place, 1 + guesses):
            give_token(state, rounds, seq, guesses)
    else:
        tokens = min(todo(seq), state.left)
        if grow(state, seqs, running, aside, place, tokens):
            give_piece(state, seq, tokens)


def serve_running(
    state: State, seqs: list[Seq], running: list[int], aside: list[int], rounds: list[Round]
) -> None:
    """Give each running request, oldest first, one token (and guesses) or the next piece of its prompt."""
    place = 0
    while place < state.num_running:
        seq = seqs[running[place]]
        if seq.written == seq.output_tokens:
            skip(seq, RIDING)
            state.tokens += 1
        elif state.left == 0:
            skip(seq, STALLED)
        else:
            advance_one(state, seqs, running, aside, rounds, place)
        place += 1


def stall_running(state: State, seqs: list[Seq], running: list[int]) -> None:
    """Let those who were seated before this pass stand still."""
    for place in range(state.num_running - state.newcomers):
        skip(seqs[running[place]], STALLED)


def make_up(
    state: State,
    seqs: list[Seq],
    running: list[int],
    placed: list[int],
    rounds: list[Round],
    line: list[int],
    aside: list[int],
) -> None:
    """Make up the next pass by the rules of the scheduler."""
    begin_pass(state)
    if state.scheduler == PREFILL_FIRST:
        state.only_reads = 1
        admit(state, seqs, running, placed, line, aside)
        if state.newcomers > 0:
            stall_running(state, seqs, running)
            return
        state.only_reads = 0
        state.left = ENDLESS
    serve_running(state, seqs, running, aside, rounds)
    batch_is_closed = state.scheduler == REQUEST_LEVEL and state.num_running > 0
    if state.victims == 0 and not batch_is_closed:
        admit(state, seqs, running, placed, line, aside)
