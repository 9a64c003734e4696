"""The trade: what one customer gets against what the server gives, a dot a batch; one dot can be dragged."""

from functools import lru_cache

import altair as alt
import pandas as pd
import pyarrow as pa

from pages.ui.batch_curve import MOST, Dot, curve, fitting, fullest, knee, largest, monday_curve
from pages.ui.batch_price import dollars, replies_dollars
from pages.ui.charts import KEPT, Chart, Mark, layer, mark, marks_table, point, text
from sim import monday

EDGE_PER_S, TOP_PER_S, MONDAY_TOP_PER_S = 70.0, 1600.0, 480.0
NAMED = (1, 4, 8, 12, 16, 20, 24, 28, 36)  # batches whose dots have their number beside them
MONDAY_NAMED = (1, 2, 4, 6, 8, 11)
MONDAY_MOST = len(monday())
COLUMNS = [
    "batch",
    "customer_tokens_per_s",
    "median_customer_tokens_per_s",
    "server_tokens_per_s",
    "thousand_replies_dollars",
    "preempted_repeats",
]
BEGIN = 8  # where the dot stands before it is dragged


def spot(kind: str, dot: Dot, label: str = "") -> Mark:
    """Return a row of the chart's table: what stands at a dot; its lane is the batch."""
    return (dot.batch, kind, dot.pace_per_s, dot.pace_per_s, dot.server_per_s, label)


@lru_cache(maxsize=KEPT)
def trade_marks(times: int, promise_per_s: int, price: float, is_revealed: bool) -> pa.Table:
    """Return the saturated server's dots, the promise, and what memory and the knee have to say."""
    swept = curve(times) if is_revealed else curve(times)[:1]
    rows = promise_marks(promise_per_s, TOP_PER_S) + dots(swept, promise_per_s, price, NAMED)
    if is_revealed:
        rows += roomy_marks(times)
    return marks_table(rows)


@lru_cache(maxsize=KEPT)
def monday_marks(promise_per_s: int, price: float) -> pa.Table:
    """Return Monday's dots, a dot a cap on the batch."""
    rows = promise_marks(promise_per_s, MONDAY_TOP_PER_S)
    return marks_table(rows + dots(monday_curve(), promise_per_s, price, MONDAY_NAMED))


def promise_marks(promise_per_s: int, top_per_s: float) -> list[Mark]:
    """Return the line of the promised pace, and the shade of what is too slow."""
    return [
        mark(0, "slow", 0, promise_per_s),
        point("promise", promise_per_s, 0, f"promised: {promise_per_s} →"),
        point("too slow", promise_per_s, top_per_s, "← too slow"),
    ]


def dots(swept: tuple[Dot, ...], promise_per_s: int, price: float, named: tuple[int, ...]) -> list[Mark]:
    """Return a dot a batch, filled where the promise is kept, with what the dragged one says."""
    rows = []
    for dot in swept:
        kind = "kept" if dot.pace_per_s >= promise_per_s else "broken"
        rows += [spot(kind, dot), spot("told", dot, read_out(dot, price))]
        rows += [spot("number", dot, str(dot.batch))] * (dot.batch in named)
    return rows


def read_out(dot: Dot, price: float) -> str:
    """Return what stands beside the dragged dot."""
    return "\n".join(
        (
            f"{dot.batch} at once",
            f"each {dot.pace_per_s:.0f} tokens/s",
            f"server {dot.server_per_s:,.0f} tokens/s",
            f"1,000 replies: {dollars(replies_dollars(dot.replies_per_s, price))}",
        )
    )


def roomy_marks(times: int) -> list[Mark]:
    """Return the dots of batches for which only the whole card has memory, and the knee."""
    swept, bend = curve(times, is_roomy=True), knee(times)
    return [
        *(spot("roomy", dot) for dot in swept[fitting(times) :]),
        spot("roomy label", swept[-1], "with the whole card"),
        spot("knee", bend),
        spot("knee label", bend, f"knee: {bend.batch}"),
    ]


def trade_numbers(times: int, price: float, is_revealed: bool) -> pd.DataFrame:
    """Return the dots of the saturated server, a row a batch, and those it would have with the whole card."""
    table, roomy = curve_numbers(curve(times), price), curve_numbers(curve(times, is_roomy=True), price)
    for name in ("customer_tokens_per_s", "server_tokens_per_s"):
        table[f"whole_card_{name}"] = roomy[name]
    return table if is_revealed else table.iloc[:1]


def monday_numbers(price: float) -> pd.DataFrame:
    """Return Monday's dots, a row a cap."""
    return curve_numbers(monday_curve(), price)


def curve_numbers(swept: tuple[Dot, ...], price: float) -> pd.DataFrame:
    """Return a row a dot, with units in the names of the columns."""
    rows = (
        (
            dot.batch,
            dot.pace_per_s,
            dot.median_pace_per_s,
            dot.server_per_s,
            replies_dollars(dot.replies_per_s, price),
            dot.preemptions,
        )
        for dot in swept
    )
    return pd.DataFrame(rows, columns=COLUMNS)


@lru_cache(maxsize=KEPT)
def trade_alt(times: int, promise_per_s: int, price: float, is_revealed: bool) -> str:
    """Say what the chart of the saturated server shows now."""
    dots = curve(times)
    told = "Tokens a second for the server over tokens a second for one customer, a dot a batch. "
    told += f"{said(dots[0], price)} Left of the promised {promise_per_s} the chart is shaded: too slow. "
    if not is_revealed:
        return told + "The other dots appear with your guess."
    most = largest(times, promise_per_s)
    told += f"Up to {most} at once keep the promise. {said(dots[most - 1], price)} " if most else ""
    told += f"From {fitting(times) + 1} on memory runs out, and the dots turn back. "
    return told + f"With the whole card they would go on, past the knee at {knee(times).batch} at once."


@lru_cache(maxsize=KEPT)
def monday_alt(promise_per_s: int, price: float) -> str:
    """Say what Monday's chart shows now."""
    dots = monday_curve()
    return (
        "Tokens a second for the server over tokens a second for one customer on Monday, a dot a cap. "
        f"{said(dots[0], price)} {said(fullest(dots), price)} {said(dots[-1], price)} "
        f"Left of the promised {promise_per_s} the chart is shaded: too slow."
    )


def said(dot: Dot, price: float) -> str:
    """Say what one dot shows."""
    return (
        f"{dot.batch} at once: {dot.pace_per_s:.0f} each, {dot.server_per_s:,.0f} for the server, "
        f"{dollars(replies_dollars(dot.replies_per_s, price))} for 1,000 replies."
    )


def trade() -> Chart:
    """Return the chart of the saturated server."""
    return dragged(TOP_PER_S, MOST)


def monday_trade() -> Chart:
    """Return the chart of Monday."""
    return dragged(MONDAY_TOP_PER_S, MONDAY_MOST)


def dragged(top_per_s: float, most: int) -> Chart:
    """Return a chart of dots of which one can be dragged, by the finger or by the slider below."""
    x = alt.X("x:Q", scale=alt.Scale(domain=[0, EDGE_PER_S]), title="tokens a second for one customer")
    y = alt.Y("y:Q", scale=alt.Scale(domain=[0, top_per_s]), title="tokens a second for the server")
    slider = alt.binding_range(min=1, max=most, step=1, name="Drag the dot: customers at once ")
    at = alt.param(name="at_once", value=BEGIN, bind=slider)
    layers = [*behind(x, y, top_per_s), *points(x, y), *beside(x, y, top_per_s)]
    return alt.layer(*layers).add_params(at).properties(height=380)


def behind(x: alt.X, y: alt.Y, top_per_s: float) -> list[alt.Chart]:
    """Return the shade, and the promised pace."""
    low, high = alt.YDatum(0), alt.Y2Datum(top_per_s)
    return [
        layer("slow", "waiting").mark_rect(opacity=0.14).encode(x=x, x2="x_end:Q", y=low, y2=high),
        layer("promise", "ink").mark_rule(strokeWidth=1.5).encode(x=x),
        text("promise", dx=6, dy=-10).encode(x=x, y=alt.YDatum(0)),
        text("too slow", dx=-6, dy=12, align="right").encode(x=x, y=y),
    ]


def points(x: alt.X, y: alt.Y) -> list[alt.Chart]:
    """Return the dots: filled or open, and grey where only the whole card has room."""
    whole = alt.value(1)
    return [
        layer("roomy", "waiting").mark_point(size=22, filled=True).encode(x=x, y=y, opacity=whole),
        layer("broken", "decode").mark_point(size=46, filled=False).encode(x=x, y=y, opacity=whole),
        layer("kept", "decode").mark_point(size=52, filled=True).encode(x=x, y=y, opacity=whole),
        layer("knee", "ink")
        .mark_point(size=130, shape="square", filled=False)
        .encode(x=x, y=y, opacity=whole),
    ]


def beside(x: alt.X, y: alt.Y, top_per_s: float) -> list[alt.Chart]:
    """Return what is written: numbers of dots, the knee, and what the dragged dot says."""
    here = layer("told", "ink").transform_filter("datum.lane == at_once")
    return [
        text("number", dx=8, dy=8).encode(x=x, y=y),
        text("roomy label", dx=-10, align="right").encode(x=x, y=y),
        text("knee label", dx=12, dy=-4, fontWeight=600).encode(x=x, y=y),
        here.mark_point(size=260, filled=False, strokeWidth=2.5).encode(x=x, y=y, opacity=alt.value(1)),
        here.mark_text(
            align="right", baseline="top", fontSize=14, lineBreak="\n", lineHeight=19, fontWeight=600
        ).encode(x=alt.XDatum(EDGE_PER_S), y=alt.YDatum(top_per_s * 0.98), text="label:N"),
    ]
