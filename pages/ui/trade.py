"""The trade: what one customer gets against what the server gives, a dot a batch: marks, words and tables."""

from functools import lru_cache

import pandas as pd
import pyarrow as pa

from pages.ui.batch_curve import Dot, curve, fitting, fullest, knee, largest, monday_curve
from pages.ui.batch_price import dollars, replies_dollars
from pages.ui.charts import KEPT, Mark, mark, marks_table, point

NAMED = (1, 4, 8, 12, 16, 20, 24, 28, 36)  # batches whose dots have their number beside them
MONDAY_NAMED = (1, 2, 4, 6, 10)
COLUMNS = [
    "batch",
    "customer_tokens_per_s",
    "median_customer_tokens_per_s",
    "server_tokens_per_s",
    "thousand_replies_dollars",
    "preempted_repeats",
]
WIDE_PER_S = 45  # promises beyond have their label on the left, where there is room for it
APART_PER_S = (4.5, 80.0)  # how far numbers stand apart, across or in height


def spot(kind: str, dot: Dot, label: str = "") -> Mark:
    """Return a row of the chart's table: what stands at a dot; its lane is the batch."""
    return (dot.batch, kind, dot.pace_per_s, dot.pace_per_s, dot.server_per_s, label)


@lru_cache(maxsize=KEPT)
def trade_marks(times: int, promise_per_s: int, price: float, is_revealed: bool) -> pa.Table:
    """Return the saturated server's dots, the promise, and what memory and the knee have to say."""
    swept = curve(times) if is_revealed else curve(times)[:1]
    rows = promise_marks(promise_per_s) + dots(swept, promise_per_s, price, NAMED)
    if is_revealed:
        rows += roomy_marks(times)
    return marks_table(rows)


@lru_cache(maxsize=KEPT)
def monday_marks(promise_per_s: int, price: float) -> pa.Table:
    """Return Monday's dots, a dot a cap on the batch."""
    rows = promise_marks(promise_per_s)
    rows.append(spot("full", monday_curve()[-1], "memory full"))
    return marks_table(rows + dots(monday_curve(), promise_per_s, price, MONDAY_NAMED))


def promise_marks(promise_per_s: int) -> list[Mark]:
    """Return the line of the promised pace, and the shade of what is too slow."""
    side = "left" if promise_per_s > WIDE_PER_S else "right"
    return [
        mark(0, "slow", 0, promise_per_s),
        point("promise", promise_per_s, 0),
        point(f"promise {side}", promise_per_s, 0, f"promised: {promise_per_s}"),
        point("too slow", promise_per_s, 0, "← too slow"),
    ]


def dots(swept: tuple[Dot, ...], promise_per_s: int, price: float, named: tuple[int, ...]) -> list[Mark]:
    """Return a dot a batch, filled where the promise is kept, with what the dragged one says."""
    rows = [
        spot("number" if dot.preemptions == 0 else "number below", dot, str(dot.batch))
        for dot in numbered(swept, named)
    ]
    for dot in swept:
        kind = "kept" if dot.pace_per_s >= promise_per_s else "broken"
        rows += [spot(kind, dot), spot("told", dot, read_out(dot, price))]
    return rows


def numbered(swept: tuple[Dot, ...], named: tuple[int, ...]) -> list[Dot]:
    """Return the dots that get their number: those of `named` that stand apart from the one before."""
    chosen: list[Dot] = []
    for dot in swept:
        if dot.batch in named and (not chosen or stand_apart(chosen[-1], dot)):
            chosen.append(dot)
    return chosen


def stand_apart(one: Dot, other: Dot) -> bool:
    """Return whether two dots are far enough from each other for a number at each."""
    across, high = abs(one.pace_per_s - other.pace_per_s), abs(one.server_per_s - other.server_per_s)
    return across >= APART_PER_S[0] or high >= APART_PER_S[1]


def read_out(dot: Dot, price: float) -> str:
    """Return what the chart says above of the dragged dot."""
    return "\n".join(
        (
            f"{dot.batch} at once · each {dot.pace_per_s:.0f} tokens/s",
            f"server {dot.server_per_s:,.0f} tokens/s · 1,000 replies: "
            f"{dollars(replies_dollars(dot.replies_per_s, price))}",
        )
    )


def roomy_marks(times: int) -> list[Mark]:
    """Return the dots of batches for which only the whole card has memory, and the knee."""
    swept, bend = curve(times, is_roomy=True), knee(times)
    return [
        *(spot("roomy", dot) for dot in swept[fitting(times) :]),
        spot("full", curve(times)[-1], "memory full"),
        spot("roomy label", swept[-1], "whole card"),
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
    told += (
        f"From {fitting(times) + 1} on memory runs out, and past {fullest(dots).batch} the dots turn back. "
    )
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
