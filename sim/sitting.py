"""What each request sat through: event by event, how long, what it got, and how much work it was."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sim.arrays import Chosen, Counts, Seconds
from sim.compiler import rules_for
from sim.costs import UnitCosts
from sim.exchange import Records, blank_rounds, blank_state, cost_records
from sim.kernel.records import PREFILL, RIDING, Row, Seq
from sim.segments import absences, by_request
from sim.serve import Outcome
from sim.server import Server
from sim.settings import Settings


@dataclass(frozen=True, eq=False)
class Sitting:
    """The rows of a run, by request and time, [n_rows]."""

    outcome: Outcome
    server: Server
    settings: Settings

    @cached_property
    def rows(self) -> Records:
        """Return what was written down, by request and time."""
        return by_request(self.outcome.rows)

    @property
    def request(self) -> Counts:
        """Return whose row it is."""
        return np.asarray(self.rows["request"])

    @property
    def event(self) -> Counts:
        """Return in which event it is."""
        return np.asarray(self.rows["event"])

    @cached_property
    def departures(self) -> Counts:
        """Return the places of rows after which the request was preempted."""
        return np.asarray(absences(self.rows))

    @cached_property
    def begins(self) -> Chosen:
        """Return where a request sits down: for the first time, or again."""
        begins = np.ones(len(self.rows), dtype=np.bool_)
        begins[1:] = (np.diff(self.request) != 0) | (np.diff(self.event) != 1)
        return begins

    @cached_property
    def stay_end(self) -> Counts:
        """Return the event before which the request of each row leaves its seat."""
        lasts = np.append(np.flatnonzero(self.begins[1:]), len(self.rows) - 1)[: self.begins.sum()]
        return np.asarray(self.event[lasts][np.cumsum(self.begins) - 1] + 1)

    @cached_property
    def span_s(self) -> Seconds:
        """Return how long each row lasts: until the request's next one, if that follows at once."""
        events, event = self.outcome.events, self.event
        ends_s = events["end_s"][event]
        follows = (self.request[1:] == self.request[:-1]) & (np.diff(event) == 1)
        ends_s[:-1][follows] = events["start_s"][event[1:][follows]]
        return np.asarray(ends_s - events["start_s"][event])

    @cached_property
    def away_s(self) -> Seconds:
        """Return how long each preempted request was away, [n_departures]."""
        events = self.outcome.events
        back_s = events["start_s"][self.event[self.departures + 1]]
        return np.asarray(back_s - events["end_s"][self.event[self.departures]])

    @cached_property
    def moved_out(self) -> Seconds:
        """Return the work of moving each preempted request out, in the event in which it leaves.

        [n_departures], in seconds on both clocks; in tokens where all work in that event is free.
        """
        return self._moved(self.leaving_event)

    @cached_property
    def moved_in(self) -> Seconds:
        """Return the work of moving each row's request in; 0 where it sat there before.

        [n_rows], in seconds on both clocks; in tokens where all work in the row's event is free.
        """
        work = np.zeros(len(self.rows))
        work[self.departures + 1] = self._moved(self.event[self.departures + 1])
        return work

    @property
    def leaving_event(self) -> Counts:
        """Return the event in which each preempted request leaves, the one after its last, [n_departures]."""
        return np.asarray(self.event[self.departures] + 1)

    def _moved(self, event: Counts) -> Seconds:
        """Return the work of moving each preempted request in `event`; none but by swapping.

        [n_departures], in seconds on both clocks; in tokens where all work in that event is free.
        """
        if self.settings.preemption != "swap":
            return np.zeros(len(self.departures))
        tokens = self.rows["computed_after"][self.departures].astype(np.float64)
        seconds = np.ceil(tokens / self.settings.block_size) * self.server.block_move_s(self.settings)
        return np.where(self.free[event], tokens, seconds)

    @cached_property
    def recovering_from(self) -> Counts:
        """Return the last of `departures` from which a row still recovers, -1 where its tokens are back."""
        recovering = np.full(len(self.rows), -1)
        ends = np.append(np.flatnonzero(np.diff(self.request)), len(self.rows) - 1)
        after = self.rows["computed_after"]
        for number, left in enumerate(self.departures.tolist()):
            last = ends[np.searchsorted(ends, left)]
            back = np.flatnonzero(after[left + 1 : last + 1] >= after[left])
            until = left + 2 + back[0] if len(back) else last + 1
            recovering[left + 1 : until] = np.maximum(recovering[left + 1 : until], number)
        return recovering

    @cached_property
    def alone_s(self) -> Seconds:
        """Return what each row's passes would have cost with its request alone."""
        rules = rules_for(len(self.outcome.requests))
        seconds = np.zeros(len(self.rows)) if rules.compiled else [0.0] * len(self.rows)
        rules.alone_s(
            blank_state(rules, self.server, self.settings, 0),
            rules.records(Seq, 1),
            blank_rounds(rules, self.outcome.requests["output_tokens"], self.settings.num_speculative_tokens),
            cost_records(rules, self.server, self.settings),
            rules.given(Row, self.rows),
            rules.given(int, self.outcome.events["passes"][self.event]),
            seconds,
        )
        return np.asarray(seconds)

    @cached_property
    def rides(self) -> Chosen:
        """Return where a request has finished and keeps its seat."""
        return np.asarray(self.rows["state"] == RIDING)

    @cached_property
    def reads(self) -> Chosen:
        """Return where a row reads a piece of a prompt, or of what was lost."""
        return np.asarray((self.rows["state"] == PREFILL) & (self.rows["tokens"] > 0))

    @cached_property
    def work(self) -> Seconds:
        """Return how much each row adds to its event, in seconds on both clocks.

        In tokens where all work in the event is free.
        """
        return np.where(self.free[self.event], tokens_computed(self.rows) * self.repeats, self._work_s)

    @cached_property
    def free(self) -> Chosen:
        """Return the events in which no row's work costs anything, [n_events]."""
        return np.asarray(self.totals(self._work_s) == 0)

    @cached_property
    def repeats(self) -> Seconds:
        """Return the passes of each row's event."""
        return np.asarray(self.outcome.events["passes"][self.event].astype(np.float64))

    @cached_property
    def _work_s(self) -> Seconds:
        return work_of(self.server.unit_costs(self.settings), self.rows, self.repeats)

    def totals(self, amount: Seconds) -> Seconds:
        """Return the sum of an amount over the rows of each event, [n_events]."""
        return np.bincount(self.event, amount, len(self.outcome.events)).astype(np.float64)

    def per_request(self, amount: Seconds) -> Seconds:
        """Return the sum of an amount over the rows of each request, [n_requests]."""
        return np.bincount(self.request, amount, len(self.outcome.requests)).astype(np.float64)


def work_of(costs: UnitCosts, rows: Records, passes: Seconds) -> Seconds:
    """Return the seconds that rows add to both clocks over `passes` equal passes, before anything hides."""
    tokens, computed = rows["tokens"].astype(np.float64), rows["computed"].astype(np.float64)
    arithmetic_s = costs.token_s * tokens_computed(rows) * passes
    earlier = tokens * passes * (passes - 1) / 2  # tokens that earlier passes of the event added
    kv_tokens = (tokens > 0) * (passes * (computed + tokens) + earlier)
    pairs = (tokens > 1) * tokens * (passes * (computed + tokens / 2) + earlier)
    return np.asarray(arithmetic_s + costs.kv_token_s * kv_tokens + costs.pair_s * pairs)


def tokens_computed(rows: Records) -> Seconds:
    """Return the tokens that each row computes in a pass; a rider's one is for nothing."""
    return np.where(rows["state"] == RIDING, 1.0, rows["tokens"])
