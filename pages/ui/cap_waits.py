"""Waits at a chosen rate: how long customers of steady traffic wait for the first token, cap by cap."""

from dataclasses import dataclass, replace
from functools import lru_cache

import altair as alt
import pandas as pd
import pyarrow as pa

from pages.ui import numbers
from pages.ui.batch_curve import monday_trace
from pages.ui.charts import KEPT, Chart, Mark, layer, marks_table, point, text
from pages.ui.served import server
from sim import MONDAY_TARGETS, Settings, Trace, simulate

CAPS = (1, 2, 4, 6, 8, 10, 12, 14, 16, 20, 32, 64)
CUSTOMERS = 500
LOW_S, HIGH_S = 0.05, 10_000.0
ABOVE = 3.0  # times the target: where its name stands, unless a line ends there
APART = 2.0  # by which names of lines stand apart, on a log axis
NAMES_ROOM = 4  # times the largest cap: room for the names of the lines
SHARES = {50: "1 in 2", 90: "9 in 10", 99: "99 in 100"}
SLOWEST, FASTEST, BEGIN = 6, 180, 60  # customers a minute


@dataclass(frozen=True)
class Wait:
    """Seconds to the first token within which so many customers in 100 have it, by cap; and preemptions."""

    cap: int
    p50_s: float
    p90_s: float
    p99_s: float
    preemptions: int

    def within_s(self, percent: int) -> float:
        """Return the seconds within which `percent` of the customers have their first token."""
        return {50: self.p50_s, 90: self.p90_s, 99: self.p99_s}[percent]


@lru_cache(maxsize=KEPT)
def waits(rate_per_minute: int) -> tuple[Wait, ...]:
    """Return the waits of steady traffic like Monday's at each of the caps, by the engine's percentiles."""
    trace = Trace.steady(rate_per_s=rate_per_minute / 60, num_requests=CUSTOMERS, like=monday_trace())
    runs = (simulate(trace, server(), Settings(max_num_seqs=cap)).summary() for cap in CAPS)
    names = (*(f"ttft_p{percent}_s" for percent in SHARES), "preemptions")
    return tuple(Wait(cap, *(run[name] for name in names)) for cap, run in zip(CAPS, runs, strict=True))


def idle_from(rate_per_minute: int) -> Wait:
    """Return the waits at the smallest of the caps from which on a larger one changes no wait at all."""
    swept = waits(rate_per_minute)
    return next(wait for wait in swept if replace(wait, cap=CAPS[-1]) == swept[-1])


@lru_cache(maxsize=KEPT)
def waits_lines(rate_per_minute: int) -> pa.Table:
    """Return a line a percentile, and from which cap on nothing changes."""
    idle, target_s = idle_from(rate_per_minute).cap, MONDAY_TARGETS.ttft_s
    side = "left" if idle > CAPS[-1] ** 0.5 else "right"
    last = waits(rate_per_minute)[-1]
    is_taken = any(target_s <= last.within_s(percent) < ABOVE * target_s for percent in SHARES)
    place = "below" if is_taken else "above"
    rows = [
        (0, "target", CAPS[0], CAPS[-1], target_s, ""),
        point(f"target label {place}", CAPS[-1], target_s, f"target: {target_s:g} s"),
        point("idle", idle, HIGH_S),
        point(f"idle label {side}", idle, HIGH_S, f"from {idle} on: no change"),
    ]
    for percent in SHARES:
        rows += [point(f"p{percent}", wait.cap, wait.within_s(percent)) for wait in waits(rate_per_minute)]
    return marks_table(rows + names(last))


def names(last: Wait) -> list[Mark]:
    """Return the names of the lines, each where its line ends or just so far off that none covers another."""
    places_s = {
        50: min(last.p50_s, last.p90_s / APART),
        90: last.p90_s,
        99: max(last.p99_s, last.p90_s * APART),
    }
    return [point("name", last.cap, at_s, SHARES[percent]) for percent, at_s in places_s.items()]


def waits_numbers(rate_per_minute: int) -> pd.DataFrame:
    """Return the waits, a row a cap, with units in the names of the columns."""
    names = ["batch", *(f"first_token_p{percent}_s" for percent in SHARES), "preempted_repeats"]
    return pd.DataFrame([tuple(vars(wait).values()) for wait in waits(rate_per_minute)], columns=names)


def figures(rate_per_minute: int) -> dict[str, str]:
    """Return the figures of the sentences about the waits."""
    idle, alone = idle_from(rate_per_minute), waits(rate_per_minute)[0]
    return {
        "rate": numbers.count(rate_per_minute),
        "idle": numbers.count(idle.cap),
        "idle_waits": ", ".join(
            f"{share} at most **{waited(idle.within_s(percent))}**" for percent, share in SHARES.items()
        ),
        "alone_p50": waited(alone.p50_s),
        "half": SHARES[50],
    }


def waited(seconds: float) -> str:
    """Return a wait as a reader says it: 148 ms, 2.4 s, 35 s, 12 minutes."""
    if seconds < 9.95:
        return numbers.brief(seconds)
    return f"{seconds:.0f} s" if seconds < 119.5 else f"{seconds / 60:.0f} minutes"


def is_full(rate_per_minute: int) -> bool:
    """Return whether memory runs out at times, so that even without a cap somebody has to start over."""
    return waits(rate_per_minute)[-1].preemptions > 0


@lru_cache(maxsize=KEPT)
def waits_alt(rate_per_minute: int) -> str:
    """Say what the chart of the waits shows now."""
    first, last = waits(rate_per_minute)[0], waits(rate_per_minute)[-1]
    return (
        f"Wait for the first token over the cap on the batch, 1 to {CAPS[-1]}, both axes logarithmic, at "
        f"{rate_per_minute} customers a minute. At a cap of 1 half wait up to {waited(first.p50_s)} and "
        f"99 in 100 up to {waited(first.p99_s)}; at {CAPS[-1]} {waited(last.p50_s)} and "
        f"{waited(last.p99_s)}. From {idle_from(rate_per_minute).cap} on nothing changes."
    )


def waits_by_cap() -> Chart:
    """Return the chart of waits: x is the cap on the batch, y the seconds to the first token."""
    x = alt.X(
        "x:Q",
        scale=alt.Scale(type="log", base=2, domain=[1, CAPS[-1] * NAMES_ROOM], nice=False),
        axis=alt.Axis(values=[1, 2, 4, 8, 16, 32, 64], format="d"),
        title="cap on the batch (log scale)",
    )
    y = alt.Y(
        "y:Q",
        scale=alt.Scale(type="log", domain=[LOW_S, HIGH_S], clamp=True),
        axis=alt.Axis(values=[0.1, 1, 10, 100, 1000], format=",~g"),
        title="seconds to the first token (log scale)",
    )
    dashes = {50: [1, 0], 90: [6, 3], 99: [2, 2]}
    lines = [
        layer(f"p{percent}", "waiting").mark_line(strokeWidth=2.5, strokeDash=dash).encode(x=x, y=y)
        for percent, dash in dashes.items()
    ]
    return alt.layer(
        layer("target", "ink").mark_rule(strokeWidth=1).encode(x=x, x2="x_end:Q", y=y),
        layer("idle", "waiting").mark_rule(strokeDash=[4, 4]).encode(x=x),
        *lines,
        text("target label above", align="right", dy=-9).encode(x=x, y=y),
        text("target label below", align="right", dy=10).encode(x=x, y=y),
        text("idle label left", dx=-6, dy=10, align="right").encode(x=x, y=y),
        text("idle label right", dx=6, dy=10).encode(x=x, y=y),
        text("name", dx=6).encode(x=x, y=y),
    ).properties(height=320)
