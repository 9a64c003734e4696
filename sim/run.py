"""What a run leaves behind: frames, built when they are first asked for."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from sim.targets import Targets
from sim.trace import Trace

Seconds = npt.NDArray[np.float64]
EVENT_COLUMNS = {
    "start_s": np.float64,
    "end_s": np.float64,
    "passes": np.int64,
    "prefill_tokens": np.int64,
    "decode_seqs": np.int64,
    "waiting": np.int64,
    "kv_tokens": np.int64,
    "kv_blocks": np.int64,
}


@dataclass(frozen=True, eq=False)
class Outcome:
    """What happened, as arrays; times in seconds from the first arrival, NaN where nothing happened.

    All but `events` have one element a request; `events` has the columns of `Run.passes`.
    """

    admitted_s: Seconds
    first_token_s: Seconds
    finish_s: Seconds
    longest_gap_s: Seconds
    reasons: list[str]  # why a request was rejected; empty for one that was served
    preemptions: npt.NDArray[np.int64]
    events: dict[str, npt.NDArray[Any]]


@dataclass(frozen=True, eq=False)
class Run:
    """One simulated run of `trace`; times in its frames are on the trace's own clock."""

    trace: Trace
    outcome: Outcome
    targets: Targets | None = None

    @property
    def origin_s(self) -> float:
        """Return the first arrival, from which the outcome counts its seconds."""
        return float(self.trace.arrival_s[0]) if len(self.trace) else 0.0

    @cached_property
    def requests(self) -> pd.DataFrame:
        """Return a row a request, in the order of arrival; all times in seconds.

        Columns `arrival_s, admitted_s, first_token_s, finish_s, ttft_s, tpot_s, e2e_s, longest_gap_s,
        preemptions, status` (done, rejected), `reason, on_target` (missing without targets). TPOT and the
        longest gap of a one-token reply, and all times of a rejected request, are NaN.
        """
        outcome, arrival_s = self.outcome, self.trace.arrival_s
        since_first_s = arrival_s - self.origin_s
        times = self._durations(since_first_s)
        columns = {
            "arrival_s": arrival_s,
            "admitted_s": outcome.admitted_s + self.origin_s,
            "first_token_s": outcome.first_token_s + self.origin_s,
            "finish_s": outcome.finish_s + self.origin_s,
            **times,
            "preemptions": outcome.preemptions,
            "status": pd.array(["rejected" if reason else "done" for reason in outcome.reasons], dtype="str"),
            "reason": pd.array(outcome.reasons, dtype="str"),
            "on_target": self._on_target(times),
        }
        return pd.DataFrame(columns, index=pd.RangeIndex(len(self.trace), name="request"))

    @cached_property
    def passes(self) -> pd.DataFrame:
        """Return a row an event: a pass, or `passes` equal ones in a row.

        Columns `start_s, end_s, passes, prefill_tokens, decode_seqs, waiting, kv_tokens, kv_blocks`; waiting
        and KV are as at the event's first pass, with what that pass writes.
        """
        events = dict(self.outcome.events)
        moved = {name: events[name] + self.origin_s for name in ("start_s", "end_s")}
        return pd.DataFrame(events | moved)

    def _durations(self, since_first_s: Seconds) -> dict[str, Seconds]:
        outcome = self.outcome
        later_tokens = self.trace.output_tokens - 1.0
        later_tokens[later_tokens == 0] = np.nan  # one token has no time per later token
        return {
            "ttft_s": outcome.first_token_s - since_first_s,
            "tpot_s": (outcome.finish_s - outcome.first_token_s) / later_tokens,
            "e2e_s": outcome.finish_s - since_first_s,
            "longest_gap_s": outcome.longest_gap_s,
        }

    def _on_target(self, times: dict[str, Seconds]) -> pd.arrays.BooleanArray:
        missing = np.full(len(self.trace), self.targets is None)
        met = np.zeros(len(self.trace), dtype=np.bool_) if self.targets is None else self.targets.met(**times)
        return pd.arrays.BooleanArray(met, missing)
