"""The guess: what each of many gets who write at once, beside what one alone gets."""

from functools import cache, lru_cache

import altair as alt
import pandas as pd
import pyarrow as pa

from pages.ui.batch_curve import together_per_s
from pages.ui.charts import KEPT, Chart, Mark, mark, marks_table
from pages.ui.diamonds import bars, empty_place, guess_marks, guess_told
from pages.ui.guess import Guess

CROWD, SO_FAR = 24, 500  # customers who write at once, and tokens of each so far
EDGE_PER_S = 80.0
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
        rows += empty_place(WORDS[CROWD], EDGE_PER_S)
    return marks_table(rows + guess_marks(made, EDGE_PER_S))


def bar(lane: int, customers: int) -> list[Mark]:
    """Return the bar of what each of so many gets, and its title."""
    each = each_per_s(customers)
    return [
        mark(lane, "title", 0, label=f"{WORDS[customers]}: {each:.0f} tokens a second"),
        mark(lane, "each", 0, each),
    ]


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
    return told + guess_told(made)


def each_of_many() -> Chart:
    """Return the chart of the guess: a bar of tokens a second for each lane."""
    x = alt.X(
        "x:Q",
        scale=alt.Scale(domain=[0, EDGE_PER_S], clamp=True),
        axis=alt.Axis(values=list(range(0, 81, 20))),
        title="tokens a second for each customer",
    )
    return bars(x, "each")
