"""What the four cost assumptions are, and what the example becomes where one of them is off."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from types import MappingProxyType
from typing import Any

import altair as alt
import pandas as pd
import pyarrow as pa

from pages.ui import mini, numbers
from pages.ui.charts import Chart, Mark, layer, mark, marks_table, text
from pages.ui.served import costs, server
from sim import Settings, UnitCosts, lone_request

OFF = 0.2  # each way
LETTER = 700  # tokens of chapter 1's long prompt
FIRST, TOKEN, LONG = "first token", "time per token", "first token of a long letter"
SHOWN = (FIRST, TOKEN, LONG)


@dataclass(frozen=True)
class Assumption:
    """One of the four: its name in `sim.Assumptions`, and what readers call it."""

    name: str
    words: str


FOUR = (
    Assumption("bandwidth_share", "share of the bandwidth"),
    Assumption("flops_share", "share of the arithmetic"),
    Assumption("overhead_s", "fixed part of a pass"),
    Assumption("overlap", "overlap"),
)


def value_of(one: Assumption) -> float:
    """Return the assumed value: a share, or seconds."""
    return float(getattr(server().assumptions, one.name))


def changed(one: Assumption, times: float) -> float:
    """Return the value when it is so many times the assumed one; a share is at most 1."""
    value = value_of(one) * times
    return value if one.name == "overhead_s" else min(1.0, value)


def in_words(one: Assumption, value: float) -> str:
    """Return a value of an assumption as readers see it."""
    return numbers.brief(value) if one.name == "overhead_s" else numbers.percent(value)


@cache
def costs_with(one: Assumption, times: float) -> UnitCosts:
    """Return Larkspur's unit costs with one assumption changed."""
    change: dict[str, Any] = {one.name: changed(one, times)}
    assumed = replace(server().assumptions, **change)
    return replace(server(), assumptions=assumed).unit_costs(Settings())


def result_s(shown: str, unit: UnitCosts) -> float:
    """Return the seconds of one of the three results at some unit costs."""
    example = mini.example()
    alone = lone_request(unit, LETTER if shown == LONG else example.prompt_tokens, example.reply_tokens)
    return alone.decode_s / alone.decode_passes if shown == TOKEN else alone.ttft_s


@cache
def ends_s(shown: str, one: Assumption) -> tuple[float, float]:
    """Return a result in seconds with one assumption less and more by `OFF`."""
    less, more = (result_s(shown, costs_with(one, times)) for times in (1 - OFF, 1 + OFF))
    return less, more


def widest(shown: str) -> tuple[Assumption, float]:
    """Return the assumption that moves a result most, and by which share of it."""
    assumed_s = result_s(shown, costs())
    moves = {one: max(abs(end / assumed_s - 1) for end in ends_s(shown, one)) for one in FOUR}
    return max(moves.items(), key=lambda item: item[1])


@cache
def lanes(shown: str) -> pa.Table:
    """Return a lane an assumption: percent of the assumed result where it is less and where it is more."""
    assumed_s = result_s(shown, costs())
    rows: list[Mark] = []
    for lane, one in enumerate(FOUR):
        less, more = (100 * (end / assumed_s - 1) for end in ends_s(shown, one))
        rows += [
            mark(lane, "title", -25, label=f"{one.words}: {in_words(one, value_of(one))}"),
            mark(lane, "less", 0, less),
            mark(lane, "more", 0, more),
            mark(lane, side(less), less, label=signed(less)),
            mark(lane, side(more), more, label=signed(more)),
        ]
    return marks_table(rows)


def side(percent: float) -> str:
    """Return on which side of its bar a label stands."""
    return "right" if percent >= 0 else "left"


def signed(percent: float) -> str:
    """Return a change with its sign; nothing where it is too small to be told."""
    return "" if abs(percent) < 0.05 else f"{percent:+.1f}%"


def numbers_of(shown: str) -> pd.DataFrame:
    """Return a row an assumption and way: its value, and the result in milliseconds and percent of the assumed."""
    assumed_s = result_s(shown, costs())
    rows = []
    for one in FOUR:
        for times, end_s in zip((1 - OFF, 1 + OFF), ends_s(shown, one), strict=True):
            value = in_words(one, changed(one, times))
            rows.append((one.words, value, end_s * 1e3, 100 * (end_s / assumed_s - 1)))
    return pd.DataFrame(rows, columns=["what", "assumed_value", "result_ms", "change_percent"])


@cache
def alt_of(shown: str) -> str:
    """Say what the chart of changed assumptions shows now."""
    told = []
    for one in FOUR:
        less_s, more_s = ends_s(shown, one)
        told.append(f"{one.words} {numbers.ms(less_s, 1)} and {numbers.ms(more_s, 1)}")
    assumed = numbers.ms(result_s(shown, costs()), 1)
    return (
        f"{shown.capitalize()}, {assumed} as assumed. With one assumption {numbers.percent(OFF)} less and "
        "the same more: "
        f"{'; '.join(told)}."
    )


def what_if() -> Chart:
    """Return the chart of changed assumptions: a lane each, from less to more, in percent of the result."""
    x = alt.X("x:Q", scale=alt.Scale(domain=[-25, 32]), title="percent more or less time")
    place = (x, alt.Y("lane:O", axis=None, scale=alt.Scale(paddingInner=0.6, paddingOuter=0.5)))
    return alt.layer(
        layer("less", "ink").mark_bar(opacity=0.3).encode(*place, alt.X2("x_end:Q")),
        layer("more", "ink").mark_bar(opacity=0.75).encode(*place, alt.X2("x_end:Q")),
        text("title", dy=-24, fontWeight=600).encode(*place),
        text("left", align="right", dx=-6).encode(*place),
        text("right", dx=6).encode(*place),
    ).properties(height={"step": 58})


TOLD: Mapping[str, str] = MappingProxyType({FIRST: "short", TOKEN: "token", LONG: "long"})
