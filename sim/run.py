"""What a run leaves behind: frames, built when they are first asked for."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from sim import expect
from sim.arrays import Seconds
from sim.blame import blame_frame
from sim.freezes import freeze_frame
from sim.holdings import memory_frame
from sim.lateness import lateness_frame
from sim.memory import reason_to_reject
from sim.segments import segments_frame
from sim.serve import Outcome, serve
from sim.server import Server
from sim.settings import Settings
from sim.sitting import Sitting
from sim.summary import METHOD, summarize, times_of
from sim.targets import Targets
from sim.trace import Trace

COUNTS = ("passes", "prefill_tokens", "decode_seqs", "waiting", "kv_tokens", "kv_blocks")


@dataclass(frozen=True, eq=False)
class Run:
    """One simulated run of `trace`; times in its frames are on the trace's own clock.

    What is not kept from the first run is had by running again: equal inputs give equal runs.
    """

    trace: Trace
    server: Server
    settings: Settings
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
        happened = self.outcome.requests
        times = vars(times_of(self.trace, happened))
        columns = {
            "arrival_s": self.trace.arrival_s,
            "admitted_s": happened["admitted_s"] + self.origin_s,
            "first_token_s": happened["first_token_s"] + self.origin_s,
            "finish_s": happened["finish_s"] + self.origin_s,
            **times,
            "preemptions": happened["preemptions"],
            "status": pd.array(np.where(happened["rejected"] == 1, "rejected", "done"), dtype="str"),
            "reason": pd.array(self._reasons(), dtype="str"),
            "on_target": self._on_target(times),
        }
        return pd.DataFrame(columns, index=pd.RangeIndex(len(self.trace), name="request"))

    @cached_property
    def passes(self) -> pd.DataFrame:
        """Return a row an event: a pass, or `passes` equal ones in a row.

        Columns `start_s, end_s, passes, prefill_tokens, decode_seqs, waiting, kv_tokens, kv_blocks`; waiting
        and KV are as at the event's first pass, with what that pass writes. With several replicas a column
        `replica` says whose pass it is.
        """
        outcome = serve(self.trace, self.server, self.settings, records=1)
        events = outcome.events
        times = {name: events[name] + self.origin_s for name in ("start_s", "end_s")}
        frame = pd.DataFrame(times | {name: events[name] for name in COUNTS})
        if self.server.replicas == 1:
            return frame
        frame["replica"] = outcome.event_replica
        return frame.sort_values(["start_s", "replica"], kind="stable", ignore_index=True)

    @cached_property
    def detail(self) -> Outcome:
        """Return the run with all that each request does in each event."""
        return serve(self.trace, self.server, self.settings, records=2)

    @cached_property
    def segments(self) -> pd.DataFrame:
        """Return a row a stretch of a request's time: `request, start_s, end_s, state`.

        States are waiting, prefill, stalled (seated, not advanced), decode, riding (finished, seat kept) and
        preempted; a request's stretches follow one another and add up to its `e2e_s` (and riding).
        """
        return segments_frame(self.detail, self.origin_s)

    @cached_property
    def memory(self) -> pd.DataFrame:
        """Return a row a change: `at_s, request, first_block` (−1 when paged), `blocks, tokens`, by time.

        Blocks are taken, and tokens counted, at the start of the pass that needs them; between two rows of
        a request its tokens grow evenly, pass by pass. With several replicas each has addresses of its own.
        """
        return memory_frame(self._sitting, self.origin_s)

    @cached_property
    def _sitting(self) -> Sitting:
        return Sitting(self.detail, self.server, self.settings)

    def lateness(self) -> pd.DataFrame:
        """Return a row a request: seconds by cause, adding up to its `e2e_s`; NaN where it was rejected.

        `queue_s` until it was first admitted, `preempted_s` of each preemption until its tokens are back (the
        pass that brings the last of them included); of the passes it sat through `own_prefill_s` and
        `alone_s`, what they would have cost with it alone, `others_prefill_s` for others' prompts, `batch_s`
        for the rest.
        """
        return lateness_frame(self._sitting)

    def freezes(self) -> pd.DataFrame:
        """Return a row a request: the seconds of its longest gap by cause, adding up to `longest_gap_s`.

        Causes as in `lateness`, from what happened in that gap alone; NaN where there is no gap.
        """
        return freeze_frame(self._sitting)

    def blame(self) -> pd.DataFrame:
        """Return a row a pair: `request, by, cause, seconds`: whose work, or seat, made whom wait."""
        return blame_frame(self._sitting)

    def summary(self, targets: Targets | None = None) -> dict[str, Any]:
        """Return the run in numbers (see `sim.summary.summarize`), and `percentiles`: how they are taken.

        `targets` default to the run's own; without any, nothing is said about them. None where there is no
        such number.
        """
        targets = self.targets if targets is None else targets
        if targets is not None:
            expect.instance("targets", targets, Targets)
        columns = summarize(self.trace, self.outcome.requests.reshape(1, -1), targets)
        numbers = {name: column[0].item() for name, column in columns.items()}
        blocks, peak = self.outcome.num_blocks, self.outcome.peak_blocks
        numbers |= {"num_blocks": blocks, "peak_kv_blocks": peak, "peak_kv_share": peak / max(1, blocks)}
        known = {name: None if number != number else number for name, number in numbers.items()}
        return known | {"percentiles": METHOD}

    def _reasons(self) -> list[str]:
        """Return why each rejected request was rejected, and nothing for the others."""
        reasons = [""] * len(self.trace)
        for row in np.flatnonzero(self.outcome.requests["rejected"]):
            prompt, output = (
                int(column[row]) for column in (self.trace.prompt_tokens, self.trace.output_tokens)
            )
            reason = reason_to_reject(prompt, output, self.settings, self.outcome.num_blocks)
            reasons[row] = reason or ""
        return reasons

    def _on_target(self, times: dict[str, Seconds]) -> pd.arrays.BooleanArray:
        missing = np.full(len(self.trace), self.targets is None)
        met = np.zeros(len(self.trace), dtype=np.bool_) if self.targets is None else self.targets.met(**times)
        return pd.arrays.BooleanArray(met, missing)
