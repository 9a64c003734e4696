"""How the trade is drawn: dots over two axes of tokens a second, of which one can be dragged."""

import altair as alt

from pages.ui.batch_curve import MOST
from pages.ui.charts import Chart, layer, text
from sim import monday

EDGE_PER_S, TOP_PER_S, MONDAY_TOP_PER_S = 70.0, 1600.0, 500.0
HEADROOM = 1.15  # of the highest tick: above it stands what the dragged dot says
BEGIN = 8  # where the dot stands before it is dragged


def trade() -> Chart:
    """Return the chart of the saturated server."""
    return dragged(TOP_PER_S, MOST)


def trade_alone() -> Chart:
    """Return the chart of the saturated server while one dot is all that stands there: nothing to drag."""
    x, y = axes(TOP_PER_S)
    return alt.layer(*behind(x, y, TOP_PER_S), *points(x, y), *beside(x, y)).properties(height=380)


def monday_trade() -> Chart:
    """Return the chart of Monday."""
    return dragged(MONDAY_TOP_PER_S, len(monday()))


def dragged(top_per_s: float, most: int) -> Chart:
    """Return a chart of dots of which one can be dragged, by the finger or by the slider below."""
    x, y = axes(top_per_s)
    slider = alt.binding_range(min=1, max=most, step=1, name="Drag the dot: customers at once ")
    at = alt.selection_point(
        name="at_once",
        fields=["lane"],
        value=[{"lane": BEGIN}],
        bind=slider,
        nearest=True,
        on="[pointerdown, window:pointerup] > pointermove, click",
        clear=False,
        empty=False,
    )
    held = layer("told", "ink").mark_point(size=260, opacity=0, tooltip=None).encode(x=x, y=y).add_params(at)
    here = layer("told", "ink").transform_filter(at)
    layers = [
        *behind(x, y, top_per_s),
        *points(x, y),
        *beside(x, y),
        *dragged_dot(here, x, y, top_per_s),
        held,
    ]
    return alt.layer(*layers).properties(height=380)


def axes(top_per_s: float) -> tuple[alt.X, alt.Y]:
    """Return the two axes: one customer's pace across, the server's throughput in height."""
    x = alt.X(
        "x:Q",
        scale=alt.Scale(domain=[0, EDGE_PER_S]),
        axis=alt.Axis(values=list(range(0, 71, 10))),
        title="tokens a second for one customer",
    )
    y = alt.Y(
        "y:Q",
        scale=alt.Scale(domain=[0, top_per_s * HEADROOM], nice=False),
        axis=alt.Axis(values=[top_per_s * tick / 8 for tick in range(9)], format=",d"),
        title="tokens a second for the server",
    )
    return x, y


def behind(x: alt.X, y: alt.Y, top_per_s: float) -> list[alt.Chart]:
    """Return the shade, and the promised pace."""
    low, high = alt.YDatum(0), alt.Y2Datum(top_per_s)
    return [
        layer("slow", "waiting").mark_rect(opacity=0.14).encode(x=x, x2="x_end:Q", y=low, y2=high),
        layer("promise", "ink").mark_rule(strokeWidth=1.5).encode(x=x, y=low, y2=high),
        text("promise right", dx=6, dy=-10).encode(x=x, y=y),
        text("promise left", dx=-6, dy=-28, align="right").encode(x=x, y=y),
        text("too slow", dx=-6, dy=-10, align="right").encode(x=x, y=y),
    ]


def points(x: alt.X, y: alt.Y) -> list[alt.Chart]:
    """Return the dots: filled or open, and gray where only the whole card has room."""
    whole = alt.value(1)
    return [
        layer("roomy", "waiting")
        .mark_point(size=22, filled=True, tooltip=None)
        .encode(x=x, y=y, opacity=whole),
        layer("broken", "decode")
        .mark_point(size=46, filled=False, tooltip=None)
        .encode(x=x, y=y, opacity=whole),
        layer("kept", "decode")
        .mark_point(size=52, filled=True, tooltip=None)
        .encode(x=x, y=y, opacity=whole),
        layer("knee", "ink")
        .mark_point(size=130, shape="square", filled=False)
        .encode(x=x, y=y, opacity=whole),
    ]


def beside(x: alt.X, y: alt.Y) -> list[alt.Chart]:
    """Return what is written beside dots: their number, the knee, and where they go."""
    return [
        text("number", dx=8, dy=-8).encode(x=x, y=y),
        text("number below", align="center", dy=15).encode(x=x, y=y),
        text("full", dx=12, dy=-16, align="right").encode(x=x, y=y),
        text("roomy label", dx=-10, align="right").encode(x=x, y=y),
        text("knee label", dx=-12, dy=2, align="right", fontWeight=600).encode(x=x, y=y),
    ]


def dragged_dot(here: alt.Chart, x: alt.X, y: alt.Y, top_per_s: float) -> list[alt.Chart]:
    """Return the ring around the dragged dot, and what it says."""
    ring = here.mark_point(size=260, filled=False, strokeWidth=2.5, tooltip=None)
    says = here.mark_text(
        align="right", baseline="top", fontSize=14, lineBreak="\n", lineHeight=19, fontWeight=600
    )
    corner = {"x": alt.XDatum(EDGE_PER_S), "y": alt.YDatum(top_per_s * HEADROOM)}
    return [ring.encode(x=x, y=y, opacity=alt.value(1)), says.encode(**corner, text="label:N")]
