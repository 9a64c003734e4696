"""What passes cost, worked out again from what was written down: for one request alone, or pass by pass."""

from sim.kernel.jump import equal_passes_s, guessing_pass_s
from sim.kernel.records import DECODE, RIDING, Costs, Round, Row, Seq, State
from sim.kernel.schedulers import begin_pass, give_piece, give_token


def give_again(state: State, rounds: list[Round], seq: Seq, row: Row) -> None:
    """Count what `row` says of one request into the pass in the making."""
    seq.computed = row.computed
    if row.state == RIDING:
        state.tokens += 1
    elif row.tokens > 0 and row.state == DECODE:
        give_token(state, rounds, seq, row.guesses)
    elif row.tokens > 0:
        give_piece(state, seq, row.tokens)


def alone_s(
    state: State,
    seqs: list[Seq],
    rounds: list[Round],
    costs: list[Costs],
    rows: list[Row],
    passes: list[int],
    seconds: list[float],
) -> None:
    """Put into `seconds` what the passes of each row would have cost with its request alone.

    `passes` are those of each row's event; `state` and the one of `seqs` are scratch.
    """
    for place in range(len(rows)):
        row = rows[place]
        begin_pass(state)
        give_again(state, rounds, seqs[0], row)
        if row.tokens == 0:
            seconds[place] = 0.0
        elif row.guesses > 0:
            seconds[place] = guessing_pass_s(state, costs, rounds)
        else:
            seconds[place] = equal_passes_s(state, costs, passes[place])


def first_passes_s(
    state: State,
    seqs: list[Seq],
    rounds: list[Round],
    costs: list[Costs],
    rows: list[Row],
    first_row: list[int],
    event: list[int],
    passes: list[int],
    seconds: list[float],
) -> None:
    """Put into `seconds` how long the first so many `passes` of each `event` took.

    Events come in order and without guesses; the rows of event e are those from `first_row[e]` on.
    """
    for place in range(len(event)):
        if place == 0 or event[place] != event[place - 1]:
            begin_pass(state)
            for row in range(first_row[event[place]], first_row[event[place] + 1]):
                give_again(state, rounds, seqs[0], rows[row])
        seconds[place] = equal_passes_s(state, costs, passes[place])
