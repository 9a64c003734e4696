"""The strip of other Mondays: a row a setting, a dot a Monday, where it stands by customers on target."""

from collections.abc import Callable
from functools import cache, lru_cache, partial

import altair as alt
import pandas as pd
import pyarrow as pa

from pages.ui.charts import KEPT, Chart, Mark, layer, marks_table, text
from pages.ui.plan_held import MONDAYS, Held, Trust
from sim import monday

SPREAD = (0.7548776662466927, 0.5698402909980532)  # whose multiples, after the point, cover a square evenly
TOP, BOTTOM, WIDE = 0.6, 0.95, 0.38  # where in its row a dot lies, and how far from its number
EMPTY = ("the steadiest", "the best", "mine", "vLLM's defaults")
ROW_PX = 108


@lru_cache(maxsize=KEPT)
def strip_marks(trust: Trust | None) -> pa.Table:
    """Return a dot a Monday and a mark for this one, row by row; before anything was run only the rows' names."""
    if trust is None:
        rows = [mark for lane, name in enumerate(EMPTY) for mark in names(lane, name, "not shown yet")]
        return marks_table(rows)
    rows = []
    for lane, row in enumerate(trust.rows):
        rows += names(lane, row.name, read_out(row, trust.answer.most))
        rows += dots(lane, row, trust.answer.most)
        rows.append((lane, "here", float(row.here), float(row.here), lane + (TOP + BOTTOM) / 2, ""))
    return marks_table(rows)


def names(lane: int, name: str, told: str) -> list[Mark]:
    """Return what stands above a row's dots."""
    return [(lane, "name", 0.0, 0.0, lane + 0.17, name), (lane, "told", 0.0, 0.0, lane + 0.36, told)]


def dots(lane: int, row: Held, most: int) -> list[Mark]:
    """Return a dot a Monday: filled where as many as here are on target."""
    marks: list[Mark] = []
    for number, count in enumerate(row.counts):
        x = count + WIDE * (2 * ((number * SPREAD[0]) % 1) - 1)
        y = lane + TOP + (BOTTOM - TOP) * ((number * SPREAD[1]) % 1)
        marks.append((lane, "held" if count >= most else "fewer", x, float(count), y, ""))
    return marks


def read_out(row: Held, most: int) -> str:
    """Return what a row says of its Mondays."""
    least, largest = row.range
    return (
        f"{row.here} here · median {row.median:g}, {least} to {largest} · {most} or more on {row.held(most)}"
    )


@lru_cache(maxsize=KEPT)
def strip_alt(trust: Trust | None) -> str:
    """Say what the strip shows now."""
    told = f"Customers on target, of {len(monday())}, on {MONDAYS} other Mondays, a row a setting, a dot a Monday. "
    if trust is None:
        return told + "Nothing is shown yet: the rows are empty."
    most = trust.answer.most
    rows = (f"{row.name}: {read_out(row, most)}." for row in trust.rows)
    return told + " ".join(rows).replace(" · ", ", ")


def column_name(row: Held) -> str:
    """Return a row's name as that of a column: steadiest_best_here."""
    return row.name.replace(", ", "_").replace(" ", "_").replace("'", "")


def strip_numbers(trust: Trust) -> pd.DataFrame:
    """Return a row a Monday, this one first, a column a setting: customers on target."""
    columns = {f"{column_name(row)}_requests": (row.here, *row.counts) for row in trust.rows}
    which = ["this Monday", *(f"other Monday {number}" for number in range(1, MONDAYS + 1))]
    return pd.DataFrame({"monday": which} | columns)


@cache
def strip_of(rows: int) -> Callable[[], Chart]:
    """Return the function that makes the chart of so many rows; the same one each time."""
    return partial(strip, rows)


def num_rows(trust: Trust | None) -> int:
    """Return the rows of the chart."""
    return len(EMPTY if trust is None else trust.rows)


def strip(rows: int) -> Chart:
    """Return the chart of other Mondays, of so many settings."""
    customers = len(monday())
    scale = alt.Scale(domain=[-0.6, customers + 0.6], nice=False)
    axis = alt.Axis(values=list(range(0, customers + 1, 4)), format="d", grid=True)
    x = alt.X("x:Q", scale=scale, axis=axis, title=f"customers on target, of {customers}")
    y = alt.Y("y:Q", scale=alt.Scale(domain=[rows, 0], nice=False), axis=None)
    left = alt.XDatum(-0.6)
    return alt.layer(
        layer("fewer", "decode")
        .mark_point(size=16, filled=False, strokeWidth=1, tooltip=None)
        .encode(x=x, y=y),
        layer("held", "decode").mark_point(size=18, filled=True, opacity=0.75, tooltip=None).encode(x=x, y=y),
        layer("here", "ink")
        .mark_tick(orient="vertical", size=40, thickness=3, tooltip=None)
        .encode(x=x, y=y),
        text("name", fontWeight=600).encode(x=left, y=y),
        text("told").encode(x=left, y=y),
    ).properties(height=rows * ROW_PX)
