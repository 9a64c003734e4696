"""A run in numbers: counts, goodput, and how long customers waited.

Goodput is requests on target a second, from the first arrival to the last finish (as in DistServe, arXiv
2401.09670); percentiles are NumPy's default, linear between the two nearest.
"""

from dataclasses import dataclass

import numpy as np

from sim.arrays import Counts, Seconds
from sim.exchange import Columns, Records
from sim.targets import Targets
from sim.trace import Trace

PERCENTILES = (50, 90, 95, 99)
METHOD = "linear"


@dataclass(frozen=True)
class Times:
    """Seconds of every request, [n_runs, n_requests]; NaN where there is no such time."""

    ttft_s: Seconds
    tpot_s: Seconds
    e2e_s: Seconds
    longest_gap_s: Seconds


def times_of(trace: Trace, happened: Records) -> Times:
    """Return the times of requests from what `happened` to them: records [n_requests] or
    [n_runs, n_requests].

    TPOT and the longest gap of a one-token reply are NaN, and all times of a rejected request.
    """
    arrival_s = trace.arrival_s - trace.arrival_s[:1]
    later_tokens = trace.output_tokens - 1.0
    later_tokens[later_tokens == 0] = np.nan  # one token has no time per later token
    no_gap = (happened["rejected"] == 1) | np.isnan(later_tokens)
    return Times(
        ttft_s=happened["first_token_s"] - arrival_s,
        tpot_s=(happened["finish_s"] - happened["first_token_s"]) / later_tokens,
        e2e_s=happened["finish_s"] - arrival_s,
        longest_gap_s=np.where(no_gap, np.nan, happened["longest_gap_s"]),
    )


def summarize(trace: Trace, happened: Records, targets: Targets | None) -> Columns:
    """Return a column a measure, [n_runs], from records [n_runs, n_requests]; NaN where there is none.

    Counts `requests, done, rejected, on_target`; `attainment`, on target ÷ all sent; `goodput_per_s` and
    `tokens_per_s` over `span_s`, first arrival to last finish; mean and percentiles of ttft, tpot, e2e and
    longest_gap; `preemptions`.
    """
    times = times_of(trace, happened)
    rejected = happened["rejected"].sum(axis=1)
    done = happened["rejected"] == 0
    span_s = _last(happened["finish_s"])
    requests = np.full(len(happened), len(trace))
    with np.errstate(divide="ignore", invalid="ignore"):
        columns = {
            "requests": requests,
            "done": requests - rejected,
            "rejected": rejected,
            "tokens_per_s": _rate((trace.output_tokens * done).sum(axis=1), span_s),
            "span_s": span_s,
        }
    for name, seconds in vars(times).items():
        columns |= _distribution(name.removesuffix("_s"), seconds)
    columns |= {"preemptions": happened["preemptions"].sum(axis=1)}
    return columns if targets is None else judged(columns, targets.met(**vars(times)).sum(axis=1))


def judged(columns: Columns, on_target: Counts) -> Columns:
    """Return a summary without targets and, behind its counts, what becomes of it with so many on target [n_runs]."""
    with np.errstate(divide="ignore", invalid="ignore"):
        attainment = on_target / columns["requests"]
    goodput = _rate(on_target, columns["span_s"])
    told = {"on_target": on_target, "attainment": attainment, "goodput_per_s": goodput}
    return {name: columns[name] for name in ("requests", "done", "rejected")} | told | columns


def _rate(count: Counts, span_s: Seconds) -> Seconds:
    """Return counts a second; NaN where no time passed, infinite where hardly any did."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.where(span_s > 0, count / span_s, np.nan)


def _last(seconds: Seconds) -> Seconds:
    """Return the largest of each row that is no NaN; NaN where all are."""
    if seconds.shape[1] == 0:
        return np.full(len(seconds), np.nan)
    return np.asarray(np.fmax.reduce(seconds, axis=1))


def _distribution(name: str, seconds: Seconds) -> dict[str, Seconds]:
    """Return `name`_mean_s and `name`_p50_s … of each row, over what is no NaN."""
    ordered = np.sort(seconds, axis=1)  # NaN last
    count = (~np.isnan(seconds)).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        columns = {f"{name}_mean_s": np.nansum(seconds, axis=1) / count}
    for percent in PERCENTILES:
        columns[f"{name}_p{percent}_s"] = _percentile(ordered, count, percent)
    return columns


def _percentile(ordered: Seconds, count: Counts, percent: int) -> Seconds:
    """Return the linear percentile of the first `count` of each row; NaN where there are none."""
    if ordered.shape[1] == 0:
        return np.full(len(ordered), np.nan)
    place = np.maximum(count - 1, 0) * (percent / 100)
    below = np.floor(place).astype(np.int64)
    above = np.minimum(below + 1, np.maximum(count - 1, 0))
    rows = np.arange(len(ordered))
    low, high = ordered[rows, below], ordered[rows, above]
    return np.asarray(low + (high - low) * (place - below))
