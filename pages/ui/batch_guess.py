"""The guess: what each of many gets who write at once, beside what one alone gets."""

from functools import cache, lru_cache

import altair as alt
import pandas as pd
import pyarrow as pa

from pages.ui.batch_curve import together_per_s
from pages.ui.charts import KEPT, Chart, Mark, layer, mark, marks_table, text
from pages.ui.guess import Guess

CROWD, SO_FAR = 24, 500  # customers who write at once, and tokens of each so far
EDGE_PER_S = 80.0
TITLE_DY, GUESS_DY, FIRST_GUESS_DY = -26, 28, 50  # pixels from the middle of a lane
WORDS = {1: "one customer alone", CROWD: f"each of {CROWD} at once"}


@cache
def each_per_s(customers: int) -> float:
    """Return the tokens a second that each of so many customers gets, with `SO_FAR` tokens so far."""
    return together_per_s(customers, SO_FAR)


@lru_cache(maxsize=KEPT)
def guess_lanes(made: Guess) -> pa.Table:
    """Return the bar of one alone, and that of each of the crowd, which is empty until it is revealed."""
    rows = bar(0, 1)
    if made.is_revealed:
        rows += bar(1, CROWD)
    else:
        rows += [
            mark(1, "title", 0, label=WORDS[CROWD]),
            mark(1, "empty", 0, EDGE_PER_S),
            mark(1, "note", 0, label="?"),
        ]
    return marks_table(rows + guess_marks(made))


def bar(lane: int, customers: int) -> list[Mark]:
    """Return the bar of what each of so many gets, and its title."""
    each = each_per_s(customers)
    return [
        mark(lane, "title", 0, label=f"{WORDS[customers]}: {each:.0f} tokens a second"),
        mark(lane, "each", 0, each),
    ]


def guess_marks(made: Guess) -> list[Mark]:
    """Return the reader's diamond with its value, and the first guess where another followed."""
    if made.drawn is None:
        return []
    rows = diamond("guess", made.drawn, "you guess" if made.latest is None else "you guessed")
    if made.first is not None and made.first != made.drawn:
        rows += diamond("first guess", made.first, "first guess")
    return rows


def diamond(kind: str, value: float, words: str) -> list[Mark]:
    """Return a diamond and its label; beyond the edge it stands at the edge, with its value."""
    place = min(float(value), EDGE_PER_S)
    side = "left" if place > EDGE_PER_S / 2 else "right"
    label = f"{words} {value:,}{' →' if value > EDGE_PER_S else ''}"
    return [mark(1, kind, place), mark(1, f"{kind} label {side}", place, label=label)]


def guess_numbers(made: Guess) -> pd.DataFrame:
    """Return what each gets, a row a batch; the crowd's only when revealed."""
    batches = [1] + [CROWD] * made.is_revealed
    paces = [each_per_s(customers) for customers in batches]
    return pd.DataFrame({"batch": batches, "customer_tokens_per_s": paces})


def guess_alt(made: Guess) -> str:
    """Say what the chart of the guess shows now."""
    told = f"Bars of tokens a second. One customer alone gets {each_per_s(1):.0f}. "
    told += (
        f"Each of {CROWD} at once gets {each_per_s(CROWD):.0f}."
        if made.is_revealed
        else f"The place of {CROWD} at once is empty."
    )
    if made.drawn is not None:
        told += f" Your guess, a diamond, stands at {made.drawn:,}."
    if made.first is not None and made.first != made.drawn:
        told += f" Your first guess, a small diamond, at {made.first:,}."
    return told


def each_of_many() -> Chart:
    """Return the chart of the guess: a bar of tokens a second for each lane."""
    x = alt.X(
        "x:Q",
        scale=alt.Scale(domain=[0, EDGE_PER_S], clamp=True),
        axis=alt.Axis(values=list(range(0, 81, 20))),
        title="tokens a second for each customer",
    )
    place = (x, alt.Y("lane:O", axis=None, scale=alt.Scale(paddingInner=0.75, paddingOuter=0.45)))
    empty = layer("empty", "waiting").mark_bar(filled=False, strokeDash=[4, 4], strokeWidth=1.5)
    bars = [
        empty.encode(*place, alt.X2("x_end:Q")),
        layer("each", "decode").mark_bar(cornerRadius=1).encode(*place, alt.X2("x_end:Q")),
        text("title", dy=TITLE_DY, fontWeight=600).encode(*place),
        text("note", dx=8).encode(*place),
    ]
    return alt.layer(*bars, *diamonds(*place)).properties(height={"step": 104})


def diamonds(x: alt.X, y: alt.Y) -> list[alt.Chart]:
    """Return what is drawn of the guesses: diamonds below their lane, with their values beside them."""
    drawn = []
    for kind, size, dy in (("guess", 190, GUESS_DY), ("first guess", 110, FIRST_GUESS_DY)):
        shape = layer(kind, "ink").mark_point(shape="diamond", size=size, filled=False, yOffset=dy)
        drawn += [
            shape.encode(x=x, y=y, opacity=alt.value(1)),
            text(f"{kind} label right", dx=14, dy=dy).encode(x=x, y=y),
            text(f"{kind} label left", dx=-14, dy=dy, align="right").encode(x=x, y=y),
        ]
    return drawn
