"""What charts share: data of named marks in one table, and the way they are drawn.

A chart's specification is built and checked by Altair once, and kept; a rerun sends only its data, so that
nothing is drawn anew that did not change.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import altair as alt
import pandas as pd
import streamlit as st

from pages.ui import link, palette

COLUMNS = ("lane", "kind", "start", "end", "label")
TEXT_SIZE = 13
Mark = tuple[int, str, float, float, str]
Chart = alt.LayerChart | alt.FacetChart  # what Altair says that properties() returns


def mark(lane: int, kind: str, start: float, end: float | None = None, label: str = "") -> Mark:
    """Return a row of a chart's table: what stands in a lane (0 at the top) from `start` to `end`."""
    return (lane, kind, float(start), float(start if end is None else end), label)


def marks_frame(rows: list[Mark]) -> pd.DataFrame:
    """Return the table of a chart's marks."""
    return pd.DataFrame.from_records(rows, columns=COLUMNS)


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


def draw(make: Callable[[], Chart], frame: pd.DataFrame, alt_text: str, name: str) -> None:
    """Draw `frame` by the specification that `make` builds once; `alt_text` says what it shows now."""
    st.vega_lite_chart(frame, specification(make), key=link.key(name), alt=alt_text)


@cache
def specification(make: Callable[[], Chart]) -> dict[str, Any]:
    """Return a chart's specification without its data."""
    spec: dict[str, Any] = make().properties(data=alt.NamedData(name="marks")).to_dict()
    del spec["data"], spec["config"]
    for drawn in spec["layer"]:
        # Screen readers get the chart's one sentence and the table beside it, not hundreds of unnamed marks.
        drawn["mark"]["aria"] = False
    return spec
