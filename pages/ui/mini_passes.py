"""A reply that Larkspur mini has written, in the reader's browser or on the server: its passes as chart and table."""

from dataclasses import dataclass
from typing import Literal

import altair as alt
import numpy as np
import pandas as pd
import pyarrow as pa

from larkspur import load
from pages.ui import numbers
from pages.ui.charts import Chart, layer, marks_table, point, text
from pages.ui.chips import visible
from pages.ui.sums import Sum

HEIGHT_PX = 220
Likeliest = tuple[tuple[int, float], ...]  # token ids and their chances


@dataclass(frozen=True)
class Timing:
    """The seconds that each pass of a reply took, and how many times it was run to measure them."""

    passes_s: tuple[float, ...]
    repeats: tuple[int, ...]

    def __post_init__(self) -> None:
        if len(self.passes_s) != len(self.repeats) or not self.passes_s:
            raise ValueError(
                f"expected a time and a number of repeats for each of at least one pass, got "
                f"{len(self.passes_s)} and {len(self.repeats)}; take them from one run"
            )

    @property
    def later_s(self) -> float:
        """The mean time of the passes after the first, or of the first if it is alone."""
        return float(np.mean(self.passes_s[1:] or self.passes_s))


@dataclass(frozen=True)
class MiniRun:
    """A reply that mini has written: its passes with the KV cache and without, and where they ran."""

    where: Literal["browser", "server"]
    prompt_tokens: int  # the start marker counted
    ids: tuple[int, ...]  # of the reply, the end of text counted
    likeliest: tuple[Likeliest, ...]  # of each pass
    cached: Timing
    uncached: Timing
    tick_s: float  # smallest step of the clock that measured

    def __post_init__(self) -> None:
        columns = (self.likeliest, self.cached.passes_s, self.uncached.passes_s)
        if {len(column) for column in columns} != {len(self.ids)}:
            raise ValueError(
                f"expected one entry a pass in every column, got {[len(self.ids), *map(len, columns)]}; "
                "take them from one run"
            )

    @property
    def reply_tokens(self) -> int:
        """Tokens written, the end of text counted."""
        return len(self.ids)

    @property
    def written(self) -> list[str]:
        """The reply's tokens as text, the end of text included."""
        return [load("mini").token_text(token_id) for token_id in self.ids]


def pass_table(run: MiniRun) -> pd.DataFrame:
    """Return a row a pass: the token, the five likeliest, tokens read, µs and repeats, with the cache and without."""
    n = run.reply_tokens
    return pd.DataFrame(
        {
            "pass": range(1, n + 1),
            "token_written": [visible(token) for token in run.written],
            "five_likeliest": [in_words(likeliest) for likeliest in run.likeliest],
            "with_cache_tokens_read": [run.prompt_tokens] + [1] * (n - 1),
            "with_cache_us": micros(run.cached),
            "with_cache_repeats": run.cached.repeats,
            "without_cache_tokens_read": range(run.prompt_tokens, run.prompt_tokens + n),
            "without_cache_us": micros(run.uncached),
            "without_cache_repeats": run.uncached.repeats,
        }
    )


def in_words(likeliest: Likeliest) -> str:
    """Return the likeliest tokens of a pass, with their chances."""
    return ", ".join(
        f"“{visible(load('mini').token_text(token_id))}” {numbers.percent(share)}"
        for token_id, share in likeliest
    )


def micros(timing: Timing) -> list[float]:
    """Return the time of each pass in µs."""
    return [round(pass_s * 1e6, 1) for pass_s in timing.passes_s]


def pass_marks(run: MiniRun | None) -> pa.Table:
    """Return the times of all passes, with cache and without, and where their labels stand; none before a run."""
    if run is None:
        return marks_table([])
    words = {"with": "with the cache: one new token", "without": "without: everything again"}
    times = {"with": micros(run.cached), "without": micros(run.uncached)}
    rows = [point(kind, n, us) for kind, column in times.items() for n, us in enumerate(column, 1)]
    heights_us = {"with": times["with"][-1], "without": max(times["without"])}  # the upper clear of its line
    ends = [point("label", run.reply_tokens, heights_us[kind], said) for kind, said in words.items()]
    room = point("room", 1, max(map(max, times.values())) * 1.15)  # for the label over the highest line
    return marks_table([*rows, *ends, room])


def pass_times() -> Chart:
    """Return the chart of mini's passes; x is the pass, y the microseconds it took."""
    x = alt.X("x:Q", title="pass", axis=alt.Axis(tickMinStep=1, format="d"), scale=alt.Scale(zero=False))
    y = alt.Y("y:Q", title="microseconds", scale=alt.Scale(zero=True))
    lines = [
        layer("with", "Larkspur mini").mark_line(
            strokeWidth=2.5, point=alt.OverlayMarkDef(size=60, filled=True, aria=False)
        ),
        layer("without", "Larkspur mini").mark_line(
            strokeDash=[5, 4], point=alt.OverlayMarkDef(size=60, filled=False, aria=False)
        ),
    ]
    labels = text("label", align="right", dy=-14).encode(x=x, y=y)
    room = layer("room", "ink").mark_point(opacity=0).encode(x=x, y=y)
    return alt.layer(room, *(line.encode(x=x, y=y) for line in lines), labels).properties(height=HEIGHT_PX)


def pass_alt(run: MiniRun | None) -> str:
    """Say what the chart of mini's passes shows now."""
    if run is None:
        return "Time of each pass of Larkspur mini: empty until its first run is finished."
    return (
        f"Time of each of {run.reply_tokens} passes. The first reads the whole prompt in "
        f"{numbers.brief(run.cached.passes_s[0])}; later passes take {numbers.brief(run.cached.later_s)} on "
        f"average with the KV cache and {numbers.brief(run.uncached.later_s)} without."
    )


MEASURED = {
    "browser": (
        "Larkspur mini's forward pass in JavaScript, in your browser. Each pass is run again on the same cache "
        "until 20 ticks of the browser's clock and 2 ms have gone by (at most 200 ms), with the KV cache and "
        "without, three times over; the middle one of the three means is shown. What runs in the first 200 ms "
        "warms the browser up and is not counted."
    ),
    "server": (
        "Larkspur mini's forward pass in NumPy on the server that hosts this page, one thread, one visitor; "
        "each pass timed several times with a clock, the middle one shown, with the KV cache and without."
    ),
}
CLOCKS = {
    "browser": "your device's clock, this moment; the weights are in data/larkspur-mini",
    "server": "this machine's clock, this moment; the weights are in data/larkspur-mini",
}


def passes_sum(run: MiniRun) -> Sum:
    """Return what the times of mini's passes are."""
    repeats = sorted({*run.cached.repeats, *run.uncached.repeats})
    return Sum(
        "run for real here",
        "Larkspur mini's passes",
        MEASURED[run.where],
        (
            ("the pass that reads", numbers.brief(run.cached.passes_s[0])),
            ("a later pass with the cache, mean", numbers.brief(run.cached.later_s)),
            ("a later pass without, mean", numbers.brief(run.uncached.later_s)),
            ("runs of one pass", f"{repeats[0]:,} to {repeats[-1]:,}"),
            ("a tick of the clock", f"{run.tick_s * 1e6:,.3g} µs"),
            ("numbers in the model", numbers.count(load("mini").num_params)),
        ),
        f"{run.prompt_tokens} tokens read, {run.reply_tokens} written, in {run.reply_tokens} passes",
        CLOCKS[run.where],
    )
