"""Monday under the reader's setting: each customer's time from left to right, misses marked at the end."""

from functools import lru_cache

import altair as alt
import numpy as np
import pandas as pd
import pyarrow as pa

from pages.ui import palette
from pages.ui.charts import KEPT, TEXT_SIZE, Chart, columns, layer, table
from pages.ui.ladder import rush
from pages.ui.monday_misses import persons
from pages.ui.monday_try import CUSTOMERS, attempt, kept, met
from sim import Settings, Targets

EDGE_S = 32.0
LINE_S = 4.0  # where the line stands before it is moved
ROW_PX = 15
EXTENT_PX = (
    28  # of the labels beside the timeline and the memory below it, so that their seconds stand in line
)
SECONDS = alt.Scale(domain=[0, EDGE_S], clamp=True)
SCHEMA = columns("lane", "kind", "x", "x_end", "customer", "because")


@lru_cache(maxsize=KEPT)
def lanes(settings: Settings, targets: Targets) -> pa.Table:
    """Return each customer's stretches, and a mark at its end: filled on target, open where missed."""
    segments, requests = attempt(settings).segments, attempt(settings).requests
    stretches = zip(
        *(segments[name].tolist() for name in ("request", "state", "start_s", "end_s")), strict=True
    )
    rows = [(0, "title", 0.0, 0.0, "", "")]
    rows += [(request + 1, state, start_s, end_s, "", "") for request, state, start_s, end_s in stretches]
    came_s, done_s = requests["arrival_s"], requests["finish_s"].fillna(requests["arrival_s"])
    each = zip(
        came_s.tolist(),
        done_s.tolist(),
        met(settings, targets).tolist(),
        persons(settings, targets),
        strict=True,
    )
    for lane, (start_s, end_s, is_met, (customer, why)) in enumerate(each, 1):
        rows.append((lane, "on target" if is_met else "missed", end_s, end_s, "", ""))
        rows.append((lane, "customer", start_s, end_s, customer, why))
    return table(rows, SCHEMA)


def lane_numbers(settings: Settings, targets: Targets) -> pd.DataFrame:
    """Return a row a stretch of a customer's time: `customer, state, start_s, end_s`."""
    segments = attempt(settings).segments
    return pd.DataFrame(
        {
            "customer": segments["request"] + 1,
            "state": segments["state"],
            "start_s": segments["start_s"],
            "end_s": segments["end_s"],
        }
    )


def alt_text(settings: Settings, targets: Targets) -> str:
    """Say what the timeline shows now."""
    requests = attempt(settings).requests
    missed = [str(number + 1) for number in np.flatnonzero(~met(settings, targets))]
    who = f"missed: customers {', '.join(missed)}" if missed else "nobody missed"
    return (
        f"{CUSTOMERS} customers by arrival, over seconds. {kept(settings, targets)} on target; {who}. "
        f"The last reply is done at {requests['finish_s'].max():.1f} s."
    )


def timeline() -> Chart:
    """Return the timeline; the slider inside it moves a line that counts who waits and who is done."""
    slider = alt.binding_range(min=0, max=EDGE_S, step=0.1, name="Move through Monday (s) ")
    at = alt.param(name="at_s", value=LINE_S, bind=slider)
    drawn = [*stretch_layers(), *end_layers(), *line_layers(), customer_layer()]
    return alt.layer(*drawn).add_params(at).properties(height={"step": ROW_PX})


def axes() -> tuple[alt.X, alt.Y]:
    """Return the axes: seconds, and a lane a customer with its number."""
    labels = alt.Axis(
        title=None,
        labelExpr="datum.value == 0 ? '' : datum.value",
        ticks=False,
        domain=False,
        labelFontSize=11,
        labelOverlap=False,
        grid=False,
        minExtent=EXTENT_PX,
        maxExtent=EXTENT_PX,
    )
    x = alt.X("x:Q", scale=SECONDS, title="seconds since the first customer came")
    shown = alt.Scale(paddingInner=0.15, paddingOuter=0.2, domain=list(range(len(rush()) + 1)))
    return x, alt.Y("lane:O", axis=labels, scale=shown)


def stretch_layers() -> list[alt.Chart]:
    """Return the stretches of each customer's time, by what they mean."""
    place, x_end = axes(), alt.X2("x_end:Q")
    drawn = [
        layer("waiting", "waiting").mark_rule(strokeWidth=2).encode(*place, x_end),
        layer("preempted", "preempted").mark_rule(strokeWidth=1, strokeDash=[2, 3]).encode(*place, x_end),
        layer("preempted", "preempted")
        .mark_point(shape="triangle-down", size=34, filled=True)
        .encode(*place),
    ]
    drawn += [layer(kind, kind).mark_bar().encode(*place, x_end) for kind in ("prefill", "decode")]
    for kind in ("stalled", "riding"):
        edge = layer(kind, "decode").mark_bar(filled=False, strokeDash=[2, 2], strokeWidth=0.8)
        drawn += [layer(kind, "standing still").mark_bar().encode(*place, x_end), edge.encode(*place, x_end)]
    return drawn


def end_layers() -> list[alt.Chart]:
    """Return the marks at the end of each reply."""
    return [
        layer(kind, "ink")
        .mark_point(size=46, filled=is_met, strokeWidth=1.6, xOffset=7)
        .encode(*axes(), opacity=alt.value(1))
        for kind, is_met in (("on target", True), ("missed", False))
    ]


def line_layers() -> list[alt.Chart]:
    """Return the line that the slider moves, and how many wait there and are done."""
    counted = (
        alt.Chart()
        .transform_filter("datum.kind != 'customer'")
        .transform_calculate(
            waits="datum.kind == 'waiting' && datum.x <= at_s && at_s < datum.x_end ? 1 : 0",
            done="(datum.kind == 'on target' || datum.kind == 'missed') && datum.x <= at_s ? 1 : 0",
            good="datum.kind == 'on target' && datum.x <= at_s ? 1 : 0",
            at="at_s",
        )
        .transform_aggregate(
            waits="sum(waits)", done="sum(done)", good="sum(good)", at="max(at)", lane="min(lane)"
        )
        .transform_calculate(
            label="'waiting ' + datum.waits + ' · done ' + datum.done + ', on target ' + datum.good",
            edge=str(EDGE_S),
        )
    )
    shown = palette.painted(counted, "ink")
    label = shown.mark_text(align="right", baseline="middle", fontSize=TEXT_SIZE, fontWeight=600)
    return [
        shown.mark_rule(strokeWidth=1.5).encode(x=alt.X("at:Q", scale=SECONDS)),
        label.encode(x=alt.X("edge:Q", scale=SECONDS), y=axes()[1], text="label:N"),
    ]


def customer_layer() -> alt.Chart:
    """Return the lanes as a whole, unseen: under the pointer they say who it is, and why it missed."""
    said = [alt.Tooltip("customer:N"), alt.Tooltip("because:N", title="why")]
    whole: alt.Chart = (
        layer("customer", "ink").mark_bar(opacity=0).encode(*axes(), alt.X2("x_end:Q"), tooltip=said)
    )
    return whole
