"""Who waits for whom: Monday's customers under two schedulers, one above the other, and a line through both."""

from functools import lru_cache
from typing import Any

import altair as alt
import numpy as np
import pyarrow as pa

from pages.ui import blamed, palette
from pages.ui.charts import KEPT, TEXT_SIZE, Chart, columns, columns_table, layer, text
from pages.ui.ladder import felt, heeded, rush, served, step, topics

EDGE_S = 21.0
LINE_S = 9.0  # where the line stands before it is moved
HEADER = 2  # lanes above the customers of a panel
PANEL = HEADER + len(rush())  # lanes of a panel
ROW_PX = 12
TICKS = alt.Axis(values=list(range(0, 21, 5)))
SECONDS = alt.Scale(domain=[0, EDGE_S], clamp=True)
SCHEMA = columns("panel", "lane", "kind", "x", "x_end", "label", "customer", "waits", "because")


@lru_cache(maxsize=KEPT)
def lanes(above: str, below: str, budget: str) -> pa.Table:
    """Return what two schedulers do with Monday's customers, a panel each."""
    panels = [panel(word, heeded(word, budget), place) for place, word in enumerate((above, below))]
    return pa.concat_tables(panels)


@lru_cache(maxsize=KEPT)
def panel(word: str, budget: str, place: int) -> pa.Table:
    """Return the lanes of one scheduler: its name, and of each customer its stretches and what to say of it."""
    parts = [
        columns_table(1, SCHEMA, panel=place, lane=place * PANEL, kind="title", label=name_of(word)),
        stretches(word, budget, place),
        persons(word, budget, place),
    ]
    return pa.concat_tables(parts)


def stretches(word: str, budget: str, place: int) -> pa.Table:
    """Return a row a stretch of a customer's time: what it means, from when to when."""
    segments = served(word, budget).segments
    return columns_table(
        len(segments),
        SCHEMA,
        panel=place,
        lane=place * PANEL + HEADER + segments["request"],
        kind=segments["state"],
        x=segments["start_s"],
        x_end=segments["end_s"],
    )


def persons(word: str, budget: str, place: int) -> pa.Table:
    """Return a row a customer, over its whole lane: who it is, how long it waits, and for whom."""
    requests = served(word, budget).requests
    return columns_table(
        len(requests),
        SCHEMA,
        panel=place,
        lane=place * PANEL + HEADER + np.arange(len(requests)),
        kind="customer",
        x=requests["arrival_s"],
        x_end=requests["finish_s"],
        customer=[f"{number}: {topic}" for number, topic in enumerate(topics(), 1)],
        waits=[f"{seconds:.1f} s" for seconds in requests["ttft_s"]],
        because=blamed.reasons(word, budget),
    )


def name_of(word: str) -> str:
    """Return the name of a scheduler as it stands above its panel."""
    return f"{word} ({step(word).system.partition(',')[0]}, {step(word).year})".replace(
        " 2024, 2024", ", 2024"
    )


def waiting_at(word: str, budget: str, at_s: float) -> int:
    """Return how many customers wait for their seat at a moment."""
    segments = served(word, budget).segments
    stands = (segments["start_s"] <= at_s) & (at_s < segments["end_s"])
    return int((stands & (segments["state"] == "waiting")).sum())


@lru_cache(maxsize=KEPT)
def waits_alt(above: str, below: str, budget: str) -> str:
    """Say what the chart of who waits for whom shows now."""
    told = f"{len(rush())} customers by arrival, over seconds; two schedulers one above the other."
    for place, word in (("Above", above), ("Below", below)):
        feels, waiting = felt(word, budget), waiting_at(word, budget, LINE_S)
        told += (
            f" {place}, {word}: the first word after {feels.first_word_s:.1f} s on average and "
            f"{feels.longest_wait_s:.1f} s at most, everything done at {feels.last_s:.1f} s, "
            f"{waiting} waiting at {LINE_S:.0f} s."
        )
    return told


def waits() -> Chart:
    """Return the chart of who waits for whom; the slider inside it moves a line that counts who waits."""
    slider = alt.binding_range(min=0, max=EDGE_S, step=0.1, name="Move the line through Monday (s) ")
    at = alt.param(name="at_s", value=LINE_S, bind=slider)
    drawn = [*stretch_layers(), *line_layers(), customer_layer()]
    return alt.layer(*drawn).add_params(at).properties(height={"step": ROW_PX})


def axes() -> tuple[alt.X, alt.Y]:
    """Return the axes: seconds, and a lane a customer with its number."""
    return alt.X("x:Q", scale=SECONDS, axis=TICKS, title="seconds since the first customer came"), in_lane(
        "lane"
    )


def in_lane(field: str, **more: Any) -> alt.Y:
    """Return the place in the lane that `field` names."""
    number = f"datum.value % {PANEL} < {HEADER} ? '' : datum.value % {PANEL} - {HEADER - 1}"
    labels = alt.Axis(
        title=None,
        labelExpr=number,
        ticks=False,
        domain=False,
        labelFontSize=11,
        labelOverlap=False,
        grid=False,
    )
    lanes_shown = alt.Scale(paddingInner=0.15, paddingOuter=0.2, domain=list(range(2 * PANEL)))
    return alt.Y(f"{field}:O", axis=labels, scale=lanes_shown, **more)


def stretch_layers() -> list[alt.Chart]:
    """Return the stretches of each customer's time, by what they mean."""
    place, x_end = axes(), alt.X2("x_end:Q")
    drawn = [layer("waiting", "waiting").mark_rule(strokeWidth=2).encode(*place, x_end)]
    drawn += [layer(kind, kind).mark_bar().encode(*place, x_end) for kind in ("prefill", "decode")]
    for kind in ("stalled", "riding"):
        edge = layer(kind, "decode").mark_bar(filled=False, strokeDash=[2, 2], strokeWidth=0.8)
        drawn += [layer(kind, "standing still").mark_bar().encode(*place, x_end), edge.encode(*place, x_end)]
    return [*drawn, text("title", fontWeight=600, dy=6).encode(*place)]


def line_layers() -> list[alt.Chart]:
    """Return the line that the slider moves, and how many wait there in each panel."""
    counted = (
        alt.Chart()
        .transform_filter("datum.kind == 'waiting' || datum.kind == 'title'")
        .transform_calculate(
            waits_now="datum.kind == 'waiting' && datum.x <= at_s && at_s < datum.x_end ? 1 : 0", at="at_s"
        )
        .transform_aggregate(now="sum(waits_now)", at="max(at)", lane="min(lane)", groupby=["panel"])
        .transform_calculate(
            label="'waiting now ' + datum.now",
            edge=str(EDGE_S),
            first=f"datum.lane + {HEADER}",
            last=f"datum.lane + {PANEL - 1}",
        )
    )
    shown = palette.painted(counted, "ink")
    label = shown.mark_text(align="right", baseline="middle", fontSize=TEXT_SIZE, fontWeight=600, dy=6)
    at_x, edge_x = alt.X("at:Q", scale=SECONDS), alt.X("edge:Q", scale=SECONDS)
    return [
        shown.mark_rule(strokeWidth=1.5).encode(
            x=at_x, y=in_lane("first", bandPosition=0), y2=alt.Y2("last:O", bandPosition=1)
        ),
        label.encode(x=edge_x, y=axes()[1], text="label:N"),
    ]


def customer_layer() -> alt.Chart:
    """Return the lanes as a whole, unseen: under the pointer they say who waits for whom."""
    said = [
        alt.Tooltip("customer:N", title="customer"),
        alt.Tooltip("waits:N", title="first word after"),
        alt.Tooltip("because:N", title="waited for"),
    ]
    whole: alt.Chart = (
        layer("customer", "ink").mark_bar(opacity=0).encode(*axes(), alt.X2("x_end:Q"), tooltip=said)
    )
    return whole
