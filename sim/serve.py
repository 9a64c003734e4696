"""Running the rules on a trace: what goes in, what comes out, and what is written down on the way."""

from dataclasses import dataclass
from threading import Event as Flag
from typing import Any

import numpy as np

from sim.arrays import Counts
from sim.compiler import Rules, rules_for
from sim.exchange import (
    Records,
    as_records,
    blank_rounds,
    blank_seqs,
    blank_state,
    cost_records,
    field,
    fill,
)
from sim.kernel.events import DONE, LOG_FULL
from sim.kernel.records import Event, Row, Seq
from sim.rows import check_rows
from sim.server import Server
from sim.settings import Settings
from sim.trace import Trace

PATIENCE = 20_000, 100  # events between two looks at `cancel`: compiled rules, and plain ones
PATIENT_ROWS = 2_000_000  # rows of requests in these events, where very many run at once
MOST_GUESSED = 2 * 10**9


class CancelledError(RuntimeError):
    """The run was given up because its `cancel` was set."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """What happened: arrays [n_requests] in seconds from the first arrival, NaN where nothing happened.

    `events` and `rows` [n] are what was written down on the way (see `sim.kernel.records`), if anything.
    """

    requests: Records  # with the fields of `Seq`
    events: Records
    rows: Records
    event_replica: Counts
    num_blocks: int
    peak_blocks: int
    num_passes: int


@dataclass(frozen=True, eq=False)
class Room:
    """Where one server keeps its lists; the same for every replica and setting."""

    running: Any
    placed: Any
    rounds: Any
    line: Any
    aside: Any

    @classmethod
    def of(cls, rules: Rules, trace: Trace, guesses: int) -> "Room":
        """Return room for all requests of `trace`, each with up to so many guesses a pass."""
        running, placed, line, aside = (rules.numbers(len(trace) + 1) for _ in range(4))
        return cls(running, placed, blank_rounds(rules, trace.output_tokens, guesses), line, aside)

    def lists(self) -> tuple[Any, Any, Any, Any, Any]:
        """Return the lists in the order in which the rules take them."""
        return self.running, self.placed, self.rounds, self.line, self.aside


def serve(
    trace: Trace, server: Server, settings: Settings, records: int = 0, cancel: Flag | None = None
) -> Outcome:
    """Serve `trace`; write down nothing (0), events (1), or also what each request does in them (2).

    Raises ValueError where guessing has no draft or no end in sight, or the log would not fit in memory,
    and CancelledError when `cancel` is set.
    """
    check_guessing(trace, settings)
    rules = rules_for(len(trace))
    seqs = blank_seqs(rules, trace)
    costs = cost_records(rules, server, settings)
    room = Room.of(rules, trace, settings.num_speculative_tokens)
    most_running = min(-(-len(trace) // server.replicas), settings.max_num_seqs)
    logs = [Log(rules, records, most_running) for _ in range(server.replicas)]
    states = []
    for replica, log in enumerate(logs):
        state = blank_state(rules, server, settings, records)
        rules.enroll(state, seqs, room.line, replica, server.replicas)
        _run(rules, (state, seqs, *room.lists(), costs), log, cancel)
        states.append(state)
    return Outcome(
        requests=as_records(Seq, seqs),
        **joined(logs),
        num_blocks=server.num_blocks(settings),
        peak_blocks=max(field(state, "peak_blocks") for state in states),
        num_passes=sum(field(state, "num_passes") for state in states),
    )


def _run(rules: Rules, arguments: tuple[Any, ...], log: "Log", cancel: Flag | None) -> None:
    state, stop = arguments[0], rules.numbers(1)
    patience = max(min(PATIENCE), PATIENT_ROWS // max(1, log.most_running))
    patience = min(patience, PATIENCE[0] if rules.compiled else PATIENCE[1])
    ended = -1
    while ended != DONE:
        if cancel is not None and cancel.is_set():
            raise CancelledError("The run was given up.")
        ended = rules.advance(*arguments, log.events, log.rows, stop, patience)
        log.empty(state, grow=ended == LOG_FULL)


class Log:
    """What one server writes down: room for a while, emptied into arrays whenever it is full."""

    def __init__(self, rules: Rules, records: int, most_running: int) -> None:
        self.rules = rules
        self.size = 64
        self.most_running = most_running
        self.records = records
        self.kept: list[tuple[Records, Records]] = []
        self.num_events = self.num_rows = 0
        self._make_room()

    def _make_room(self) -> None:
        events, rows = (self.size if self.records >= level else 0 for level in (1, 2))
        self.events = self.rules.records(Event, events)
        self.rows = self.rules.records(Row, rows * 8 + self.most_running if rows else 0)

    def empty(self, state: Any, *, grow: bool) -> None:
        """Keep what `state` wrote down, and make more room if it ran out."""
        events = as_records(Event, self.events[: field(state, "num_events")]).copy()
        rows = as_records(Row, self.rows[: field(state, "num_rows")]).copy()
        rows["event"] += self.num_events
        self.kept.append((events, rows))
        self.num_events += len(events)
        self.num_rows += len(rows)
        fill(state, {"num_events": 0, "num_rows": 0})
        check_rows(self.num_events + self.num_rows)
        if grow:
            self.size = min(4 * self.size, 2**18)
            self._make_room()


def joined(logs: list[Log]) -> dict[str, Records]:
    """Return events and rows of all replicas, each replica's after the other's."""
    first_event = np.cumsum([0] + [log.num_events for log in logs])
    events = [events for log in logs for events, _ in log.kept]
    rows = [rows for log in logs for _, rows in log.kept]
    offsets = np.repeat(first_event[:-1], [log.num_rows for log in logs])
    all_rows = np.concatenate(rows)
    all_rows["event"] += offsets
    replica = np.repeat(np.arange(len(logs)), [log.num_events for log in logs])
    return {"events": np.concatenate(events), "rows": all_rows, "event_replica": replica}


def check_guessing(trace: Trace, settings: Settings) -> None:
    """Raise ValueError where guessing passes, which are stepped one by one, would take forever."""
    later_tokens = (trace.output_tokens - 1).astype(np.float64)
    guessed = float((later_tokens * np.minimum(settings.num_speculative_tokens, later_tokens)).sum())
    if guessed > MOST_GUESSED:
        raise ValueError(
            f"num_speculative_tokens: expected at most {MOST_GUESSED:,} guesses (output tokens × guesses a "
            f"pass), got {guessed:,.0f}; take fewer guesses or a shorter trace."
        )
