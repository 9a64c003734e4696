"""What charts share: data of named marks in one table, and the way they are drawn.

A chart's specification is built and checked by Altair once, and kept; a rerun sends only its data, so that
nothing is drawn anew that did not change.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import altair as alt
import pyarrow as pa
import streamlit as st

from pages.ui import link, palette

WHOLE = ("panel", "lane")
WORDS = ("kind", "label", "customer", "waits", "because")


def columns(*names: str) -> pa.Schema:
    """Return the schema of a chart's table: whole numbers, words, and numbers under all other names."""
    kinds = dict.fromkeys(WHOLE, pa.int64()) | dict.fromkeys(WORDS, pa.string())
    return pa.schema({name: kinds.get(name, pa.float64()) for name in names})


SCHEMA = columns("lane", "kind", "x", "x_end", "y", "label")
TEXT_SIZE = 13
KEPT = 64  # charts' tables that are kept for the next visitor who asks for the same
Mark = tuple[int, str, float, float, float, str]
Chart = alt.LayerChart | alt.FacetChart  # what Altair says that properties() returns


def mark(lane: int, kind: str, x: float, x_end: float | None = None, label: str = "") -> Mark:
    """Return a row of a chart's table: what stands in a lane (0 at the top) from `x` to `x_end`."""
    return (lane, kind, float(x), float(x if x_end is None else x_end), 0.0, label)


def point(kind: str, x: float, y: float, label: str = "") -> Mark:
    """Return a row of a chart's table: what stands at one place."""
    return (0, kind, float(x), float(x), float(y), label)


def marks_table(rows: list[Mark]) -> pa.Table:
    """Return the table of a chart's marks, as Streamlit sends it; it cannot be changed, so visitors share it."""
    return table(rows, SCHEMA)


def table(rows: Sequence[tuple[Any, ...]], schema: pa.Schema) -> pa.Table:
    """Return a chart's table of `rows` in the columns of `schema`."""
    values = zip(*rows, strict=True) if rows else ([] for _ in schema)
    return pa.table(list(map(list, values)), schema=schema)


def columns_table(size: int, schema: pa.Schema = SCHEMA, **columns: Any) -> pa.Table:
    """Return a chart's table of `size` rows from whole columns, [size] each.

    One number or word is that of every row, and what is not given is 0 or nothing.
    """
    return pa.table([column(columns.get(field.name), field.type, size) for field in schema], schema)


def column(values: Any, kind: pa.DataType, size: int) -> pa.Array:
    """Return one column of a table."""
    blank = "" if pa.types.is_string(kind) else 0
    if values is None or isinstance(values, int | float | str):
        return pa.repeat(pa.scalar(blank if values is None else values, kind), size)
    return pa.array(values, kind)


def layer(kind: str, meaning: str) -> alt.Chart:
    """Return a chart of the marks of one kind, in the color of what they mean."""
    return palette.painted(alt.Chart().transform_filter(f"datum.kind == '{kind}'"), meaning)


def text(kind: str, **properties: Any) -> alt.Chart:
    """Return a layer of labels, in the color of text."""
    style: dict[str, Any] = {
        "align": "left",
        "baseline": "middle",
        "fontSize": TEXT_SIZE,
        "clip": False,
    } | properties
    labels: alt.Chart = layer(kind, "ink").mark_text(**style).encode(text="label:N")
    return labels


def draw(make: Callable[[], Chart], marks: pa.Table, alt_text: str, name: str) -> None:
    """Draw `marks` by the specification that `make` builds once; `alt_text` says what it shows now."""
    st.vega_lite_chart(marks, dict(specification(make)), key=link.key(name), alt=alt_text)


@lru_cache(maxsize=128)
def specification(make: Callable[[], Chart]) -> dict[str, Any]:
    """Return a chart's specification without its data."""
    spec: dict[str, Any] = make().properties(data=alt.NamedData(name="marks")).to_dict()
    del spec["data"], spec["config"]
    for drawn in spec["layer"]:
        # Screen readers get the chart's one sentence and the table beside it, not hundreds of unnamed marks.
        drawn["mark"]["aria"] = False
        if "tooltip" not in drawn["encoding"]:  # else the pointer is told the raw rows of the table
            drawn["mark"]["tooltip"] = None
            if "point" in drawn["mark"]:
                drawn["mark"]["point"]["tooltip"] = None
    return spec
