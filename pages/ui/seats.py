"""The batch, pass by pass: who sits in which seat, and where every pass ends, in a window that the reader moves."""

from functools import lru_cache
from typing import Any, NamedTuple

import altair as alt
import numpy as np
import pandas as pd
import pyarrow as pa

from pages.ui import palette
from pages.ui.charts import KEPT, TEXT_SIZE, Chart, columns_table, layer, text
from pages.ui.ladder import SEATS, heeded, served
from pages.ui.waits import EDGE_S, name_of
from sim import Run
from sim.arrays import Counts, Seconds
from sim.holdings import after_passes_s
from sim.sitting import Sitting

WINDOW_MS = 600.0
LAST_LABEL_MS = 550.0  # a number further right would be cut
WINDOW_AT_S = 5.5  # where the window begins before it is moved
HEADER = 2
PANEL = HEADER + SEATS  # lanes of a panel
ROW_PX = 22
LEFT_MS = -30.0  # room for the numbers of those who sit there as the window begins
MILLISECONDS = alt.Scale(domain=[LEFT_MS, WINDOW_MS], clamp=True)
LANES = alt.Scale(paddingInner=0.2, paddingOuter=0.2, domain=list(range(2 * PANEL)))
SEATED = ("prefill", "decode", "stalled", "riding")


@lru_cache(maxsize=KEPT)
def lanes(above: str, below: str, budget: str) -> pa.Table:
    """Return the seats of two schedulers and the ends of their passes, in seconds; `y` is the panel."""
    panels = [panel(word, heeded(word, budget), place) for place, word in enumerate((above, below))]
    return pa.concat_tables(panels)


@lru_cache(maxsize=KEPT)
def panel(word: str, budget: str, place: int) -> pa.Table:
    """Return the seats of one scheduler: what happens in each, who sits there, and where passes end."""
    sat, stay, ends_s = stretches(word, budget), stays(word, budget), ends_of(word, budget)
    first, y = place * PANEL + HEADER, float(place)
    parts = [
        columns_table(1, lane=place * PANEL, kind="title", y=y, label=name_of(word)),
        columns_table(
            len(sat), lane=first + sat["seat"], kind=sat["state"], x=sat["start_s"], x_end=sat["end_s"], y=y
        ),
        columns_table(
            len(stay.seat),
            lane=first + stay.seat,
            kind="person",
            x=stay.start_s,
            x_end=stay.end_s,
            y=y,
            label=[str(request + 1) for request in stay.request],
        ),
        columns_table(len(ends_s), lane=first, kind="pass", x=ends_s, x_end=ends_s, y=y),
    ]
    return pa.concat_tables(parts)


class Stays(NamedTuple):
    """Who sits in which seat, from when to when; all [n_requests], by request."""

    request: Counts
    seat: Counts  # from 0
    start_s: Seconds
    end_s: Seconds


@lru_cache(maxsize=KEPT)
def stays(word: str, budget: str) -> Stays:
    """Return who sits where: whoever enters takes the first seat that is free."""
    sat = seated(word, budget)
    request, first = np.unique(sat["request"], return_index=True)
    start_s, end_s = sat["start_s"].to_numpy()[first], np.maximum.reduceat(sat["end_s"].to_numpy(), first)
    seat, free_s = np.zeros_like(request), np.full(SEATS, -np.inf)  # when each seat falls free
    for one in np.argsort(start_s, kind="stable"):
        seat[one] = np.argmax(free_s <= start_s[one])
        free_s[seat[one]] = end_s[one]
    return Stays(request, seat, start_s, end_s)


def seated(word: str, budget: str) -> pd.DataFrame:
    """Return the stretches that customers spend seated, `request, start_s, end_s, state`, by request and time."""
    segments = served(word, budget).segments
    return segments[segments["state"].isin(SEATED)]


def stretches(word: str, budget: str) -> pd.DataFrame:
    """Return the stretches that customers spend seated, `request, start_s, end_s, state, seat` (from 0)."""
    sat, stay = seated(word, budget), stays(word, budget)
    return sat.assign(seat=stay.seat[np.searchsorted(stay.request, sat["request"])])


@lru_cache(maxsize=KEPT)
def ends_of(word: str, budget: str) -> Seconds:
    """Return when each pass of a scheduler ends, in seconds from the first arrival, [n_passes]."""
    return pass_ends_s(served(word, budget))


def pass_ends_s(run: Run) -> Seconds:
    """Return when each pass of a run ends, in seconds from the first arrival, [n_passes]."""
    events = run.detail.events
    event = np.repeat(np.arange(len(events)), events["passes"])
    firsts = np.cumsum(events["passes"]) - events["passes"]
    number = np.arange(len(event)) - firsts[event] + 1
    sitting = Sitting(run.detail, run.server, run.settings)
    return np.asarray(events["start_s"][event] + after_passes_s(sitting, event, number))


def passes_table(above: str, below: str, budget: str) -> pd.DataFrame:
    """Return a row a pass, or a run of equal ones, of two schedulers: who reads, writes and waits."""
    frames = []
    for word in (above, below):
        passes = served(word, budget).passes
        columns = {
            "scheduler": word,
            "start_s": passes["start_s"],
            "passes": passes["passes"],
            "each_ms": (passes["end_s"] - passes["start_s"]) / passes["passes"] * 1e3,
            "read_tokens": passes["prefill_tokens"],
            "writing": passes["decode_seqs"],
            "waiting_at_first_pass": passes["waiting"],
        }
        frames.append(pd.DataFrame(columns))
    return pd.concat(frames, ignore_index=True)


@lru_cache(maxsize=KEPT)
def seats_alt(above: str, below: str, budget: str) -> str:
    """Say what the chart of the seats shows where its window begins."""
    told = f"The {SEATS} seats of two schedulers over {WINDOW_MS:.0f} milliseconds from {WINDOW_AT_S:g} s on."
    for place, word in (("Above", above), ("Below", below)):
        ends_s = ends_of(word, heeded(word, budget))
        seen = np.flatnonzero((ends_s > WINDOW_AT_S) & (ends_s <= WINDOW_AT_S + WINDOW_MS / 1e3))
        longest_ms = np.diff(ends_s)[seen - 1].max() * 1e3
        told += f" {place}, {word}: {len(seen)} passes end, the longest takes {longest_ms:.0f} ms."
    return told


def seats() -> Chart:
    """Return the chart of the batch, pass by pass; the slider inside it moves the window."""
    slider = alt.binding_range(min=0, max=EDGE_S, step=0.05, name="Move the window through Monday (s) ")
    at = alt.param(name="from_s", value=WINDOW_AT_S, bind=slider)
    return (
        alt.layer(*seat_layers(), *pass_layers(), *person_layers())
        .add_params(at)
        .properties(height={"step": ROW_PX})
    )


def axes() -> tuple[alt.X, alt.Y]:
    """Return the axes: milliseconds of the window, and a lane a seat."""
    ticks = alt.Axis(values=list(range(0, int(WINDOW_MS) + 1, 100)))
    x = alt.X("from_ms:Q", scale=MILLISECONDS, axis=ticks, title="milliseconds since the window begins")
    return x, alt.Y("lane:O", axis=None, scale=LANES)


def seen(kind: str, meaning: str) -> alt.Chart:
    """Return a chart of the marks of one kind that reach into the window."""
    marks = layer(kind, meaning).transform_calculate(
        from_ms="max(0, (datum.x - from_s) * 1000)", to_ms="(datum.x_end - from_s) * 1000"
    )
    window: alt.Chart = marks.transform_filter(f"datum.to_ms > 0 && datum.from_ms < {WINDOW_MS}")
    return window


def seat_layers() -> list[alt.Chart]:
    """Return what happens in the seats, and whose they are: the scheduler's name."""
    place, to = axes(), alt.X2("to_ms:Q")
    drawn = [seen(kind, kind).mark_bar().encode(*place, to) for kind in ("prefill", "decode")]
    for kind in ("stalled", "riding"):
        edge = seen(kind, "decode").mark_bar(filled=False, strokeDash=[3, 2], strokeWidth=1)
        drawn += [seen(kind, "standing still").mark_bar().encode(*place, to), edge.encode(*place, to)]
    title = text("title", fontWeight=600, dy=8).transform_calculate(from_ms=str(LEFT_MS)).encode(*place)
    return [*drawn, title]


def person_layers() -> list[alt.Chart]:
    """Return who sits in each seat: at the left those seated as the window begins, newcomers where they begin."""
    style: dict[str, Any] = {"align": "left", "baseline": "middle", "fontSize": TEXT_SIZE}
    before = (
        seen("person", "ink").transform_filter("datum.x <= from_s").transform_calculate(from_ms=str(LEFT_MS))
    )
    after = seen("person", "free").transform_filter(f"datum.x > from_s && datum.from_ms < {LAST_LABEL_MS}")
    return [
        before.mark_text(**style).encode(*axes(), text="label:N"),
        after.mark_text(dx=4, fontWeight=600, **style).encode(*axes(), text="label:N"),
    ]


def pass_layers() -> list[alt.Chart]:
    """Return a line at the end of every pass, and how many passes end in the window."""
    x, y = axes()
    first = alt.Y("lane:O", axis=None, scale=LANES, bandPosition=0)
    last = alt.Y2("last:O", bandPosition=1)
    ends = seen("pass", "ink").transform_calculate(last=f"datum.lane + {SEATS - 1}")
    counted = (
        alt.Chart()
        .transform_filter("datum.kind == 'pass' || datum.kind == 'title'")
        .transform_calculate(from_ms="(datum.x - from_s) * 1000")
        .transform_calculate(
            ends_here=f"datum.kind == 'pass' && datum.from_ms > 0 && datum.from_ms <= {WINDOW_MS} ? 1 : 0"
        )
        .transform_aggregate(passes="sum(ends_here)", lane="min(lane)", groupby=["y"])
        .transform_calculate(label="datum.passes + ' passes end here'", from_ms=str(WINDOW_MS))
    )
    label = palette.painted(counted, "ink").mark_text(
        align="right", baseline="middle", fontSize=TEXT_SIZE, dy=8
    )
    return [
        ends.mark_rule(strokeWidth=1.2, opacity=0.7).encode(x=x, y=first, y2=last),
        label.encode(x=x, y=y, text="label:N"),
    ]
