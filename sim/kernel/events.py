"""The loop: a pass is made up, runs (with the equal ones after it), and everyone moves on."""

from sim.kernel.guessing import accepted
from sim.kernel.jump import equal_passes, equal_passes_s, guessing_pass_s
from sim.kernel.memory import blocks_for, forget_placed, promised_tokens, release, take
from sim.kernel.records import (
    DECODE,
    PAGED,
    REQUEST_LEVEL,
    TIE_S,
    Costs,
    Event,
    Round,
    Row,
    Seq,
    State,
)
from sim.kernel.schedulers import make_up, todo

RUNNING, DONE, LOG_FULL, STOPPED = range(4)


def enroll(state: State, seqs: list[Seq], line: list[int], first: int, step: int) -> None:
    """Line up every `step`-th request from `first` on; reject those that can never be served."""
    state.free_blocks = state.num_blocks
    for row in range(first, len(seqs), step):
        seq = seqs[row]
        tokens = promised_tokens(state.kv_layout, seq.prompt_tokens, seq.output_tokens, state.max_model_len)
        seq.final_blocks = blocks_for(tokens, state.block_size)
        too_long = seq.prompt_tokens + seq.output_tokens > state.max_model_len
        if too_long or seq.final_blocks > state.num_blocks:
            seq.rejected = 1
        else:
            line[state.enrolled] = row
            state.enrolled += 1


def open_doors(state: State, seqs: list[Seq], line: list[int]) -> bool:
    """Set the start of the next pass and let in who has arrived by then; False when all are served."""
    if state.num_running == 0 and state.num_aside == 0 and state.entered == state.arrived:
        if state.arrived == state.enrolled:
            return False
        state.now_s = max(state.now_s, seqs[line[state.arrived]].arrival_s)
    latest_s = state.now_s + TIE_S
    while state.arrived < state.enrolled and seqs[line[state.arrived]].arrival_s <= latest_s:
        state.now_s = max(state.now_s, seqs[line[state.arrived]].arrival_s)
        state.arrived += 1
    return True


def write(seq: Seq, tokens: int, first_at_s: float, last_at_s: float, longest_inside_s: float) -> None:
    """Let `seq` write `tokens`, first and last at these times; gaps between are no longer than said."""
    if seq.written == 0:
        seq.first_token_s = first_at_s
    else:
        gap_s = first_at_s - seq.last_token_s
        if gap_s > seq.longest_gap_s:
            seq.longest_gap_s = gap_s
        if longest_inside_s > seq.longest_gap_s:
            seq.longest_gap_s = longest_inside_s
    seq.last_token_s = last_at_s
    seq.written += tokens


def move_on(
    state: State, row: int, seq: Seq, passes: int, first_end_s: float, end_s: float, last_pass_s: float
) -> None:
    """Let `seq` compute what `passes` passes gave it, and write."""
    if seq.state == DECODE:
        tokens = passes + (accepted(state, row, seq) if seq.guesses > 0 else 0)
        seq.computed += tokens
        write(seq, tokens, first_end_s, end_s, last_pass_s)
    else:
        seq.computed += passes * seq.given
        if todo(seq) == 0:
            write(seq, 1, end_s, end_s, 0.0)
    if state.kv_layout == PAGED and seq.computed > seq.blocks * state.block_size:
        take(state, seq, seq.computed)


def leave(state: State, seqs: list[Seq], running: list[int], placed: list[int]) -> None:
    """Free the memory of those who are done: each by itself, or the whole batch at its end."""
    seated, kept = state.num_running, 0
    whole_batch = state.scheduler == REQUEST_LEVEL
    if state.num_finished == 0 or (whole_batch and state.num_finished < seated):
        return
    for place in range(seated):
        seq = seqs[running[place]]
        if seq.written == seq.output_tokens:
            release(state, seq)
        else:
            running[kept] = running[place]
            kept += 1
    state.num_running = kept
    state.num_finished = 0
    if state.kv_layout != PAGED:
        forget_placed(state, seqs, placed, seated)


def run_passes(
    state: State,
    seqs: list[Seq],
    running: list[int],
    placed: list[int],
    rounds: list[Round],
    costs: list[Costs],
    passes: int,
) -> None:
    """Run `passes` equal passes from now on."""
    if state.most_guesses > 0:
        first_end_s = state.now_s + guessing_pass_s(state, costs, rounds)
    else:
        first_end_s = state.now_s + equal_passes_s(state, costs, 1)
    if state.moved_blocks > 0:
        first_end_s += state.moved_blocks * state.block_move_s
        state.moved_blocks = 0
    end_s, last_pass_s = first_end_s, 0.0
    if passes > 1:
        end_s = state.now_s + equal_passes_s(state, costs, passes)
        state.kv_tokens += (passes - 1) * state.more_kv_tokens
        state.pairs += (passes - 1) * state.more_pairs
        state.piece_kv_tokens += (passes - 1) * state.more_piece_kv_tokens
        state.piece_pairs += (passes - 1) * state.more_piece_pairs
        last_pass_s = equal_passes_s(state, costs, 1)
    for place in range(state.num_running):
        row = running[place]
        seq = seqs[row]
        if seq.given > 0:
            move_on(state, row, seq, passes, first_end_s, end_s, last_pass_s)
            if seq.written == seq.output_tokens:
                seq.finish_s = end_s
                state.num_finished += 1
    state.now_s = end_s
    state.num_passes += passes
    state.peak_blocks = max(state.peak_blocks, state.num_blocks - state.free_blocks)


def note_event(
    state: State, seqs: list[Seq], running: list[int], events: list[Event], rows: list[Row], passes: int
) -> None:
    """Write down the event about to run, and what each seated request does in it."""
    event = events[state.num_events]
    event.start_s = state.now_s
    event.passes = passes
    event.prefill_tokens = state.piece_tokens
    event.decode_seqs = 0
    event.waiting = state.num_aside + state.arrived - state.entered
    event.kv_tokens = 0
    event.kv_blocks = state.num_blocks - state.free_blocks
    for place in range(state.num_running):
        seq = seqs[running[place]]
        event.kv_tokens += seq.computed + seq.given
        if seq.given > 0 and seq.state == DECODE:
            event.decode_seqs += 1
        if state.records == 2:
            note_row(state, running[place], seq, rows[state.num_rows + place])


def note_row(state: State, request: int, seq: Seq, row: Row) -> None:
    """Write down what one request does in the event about to run."""
    row.event = state.num_events
    row.request = request
    row.state = seq.state
    row.tokens = seq.given
    row.guesses = seq.guesses
    row.computed = seq.computed
    row.blocks = seq.blocks
    row.first_block = seq.first_block


def note_end(state: State, seqs: list[Seq], running: list[int], events: list[Event], rows: list[Row]) -> None:
    """Complete what was written down of an event that has run."""
    events[state.num_events].end_s = state.now_s
    state.num_events += 1
    if state.records == 2:
        for place in range(state.num_running):
            rows[state.num_rows + place].computed_after = seqs[running[place]].computed
        state.num_rows += state.num_running


def log_is_full(state: State, events: list[Event], rows: list[Row]) -> bool:
    """Return whether the next event might not find room in the log."""
    if state.records == 0:
        return False
    if state.num_events >= len(events):
        return True
    return state.records == 2 and state.num_rows + min(state.enrolled, state.max_num_seqs) > len(rows)


def advance(
    state: State,
    seqs: list[Seq],
    running: list[int],
    placed: list[int],
    rounds: list[Round],
    line: list[int],
    aside: list[int],
    costs: list[Costs],
    events: list[Event],
    rows: list[Row],
    stop: list[int],
    patience: int,
) -> int:
    """Run up to `patience` events, or until all are served, the log is full, or `stop` is set."""
    for _ in range(patience):
        if stop[0] != 0:
            return STOPPED
        if log_is_full(state, events, rows):
            return LOG_FULL
        if not open_doors(state, seqs, line):
            return DONE
        make_up(state, seqs, running, placed, rounds, line, aside)
        passes = equal_passes(state, seqs, running, line, costs)
        if state.records > 0:
            note_event(state, seqs, running, events, rows, passes)
        run_passes(state, seqs, running, placed, rounds, costs, passes)
        if state.records > 0:
            note_end(state, seqs, running, events, rows)
        leave(state, seqs, running, placed)
    return RUNNING
