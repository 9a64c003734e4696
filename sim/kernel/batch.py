"""Many settings on the same requests, one after another: what a search runs."""

from sim.kernel.events import STOPPED, advance, enroll
from sim.kernel.records import NOBODY, STALLED, Costs, Event, Result, Round, Row, Seq, State


def set_back(seqs: list[Seq]) -> None:
    """Forget what happened to the requests."""
    never = float("nan")
    for row in range(len(seqs)):
        seq = seqs[row]
        seq.computed = 0
        seq.written = 0
        seq.blocks = 0
        seq.first_block = NOBODY
        seq.given = 0
        seq.guesses = 0
        seq.state = STALLED
        seq.admitted_s = never
        seq.first_token_s = never
        seq.finish_s = never
        seq.last_token_s = never
        seq.longest_gap_s = 0.0
        seq.preemptions = 0
        seq.rejected = 0


def serve_many(
    states: list[State],
    costs: list[list[Costs]],
    replicas: int,
    seqs: list[Seq],
    running: list[int],
    placed: list[int],
    rounds: list[Round],
    line: list[int],
    aside: list[int],
    events: list[Event],
    rows: list[Row],
    stop: list[int],
    patience: int,
    results: list[list[Result]],
) -> int:
    """Serve all requests under each setting, `replicas` states for each; return the settings finished.

    `patience` is the most events of one run; `stop` ends it early.

    `results` [settings, requests] keeps what happened to each request.
    """
    settings = len(states) // replicas
    for setting in range(settings):
        set_back(seqs)
        for replica in range(replicas):
            state = states[setting * replicas + replica]
            enroll(state, seqs, line, replica, replicas)
            ended = advance(
                state,
                seqs,
                running,
                placed,
                rounds,
                line,
                aside,
                costs[setting],
                events,
                rows,
                stop,
                patience,
            )
            if ended == STOPPED:
                return setting
        keep(seqs, results[setting])
    return settings


def keep(seqs: list[Seq], results: list[Result]) -> None:
    """Copy what happened to the requests."""
    for row in range(len(seqs)):
        seq, result = seqs[row], results[row]
        result.rejected = seq.rejected
        result.admitted_s = seq.admitted_s
        result.first_token_s = seq.first_token_s
        result.finish_s = seq.finish_s
        result.longest_gap_s = seq.longest_gap_s
        result.preemptions = seq.preemptions
