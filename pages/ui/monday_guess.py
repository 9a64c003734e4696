"""The guess: how many customers one change from the start keeps on target at best."""

from functools import lru_cache

import altair as alt
import pandas as pd
import pyarrow as pa

from pages.ui.charts import KEPT, Chart, Mark, mark, marks_table
from pages.ui.diamonds import bars, empty_place, guess_marks, guess_told
from pages.ui.guess import Guess
from pages.ui.monday_try import CUSTOMERS, START, best_change, changes, kept

BEGIN, CHANGED = "as it starts", "one knob changed, at best"
STEP = 4  # customers between two ticks of the axis


@lru_cache(maxsize=KEPT)
def guess_lanes(made: Guess) -> pa.Table:
    """Return the bar of the start, and that of the best single change, which is empty until it is revealed."""
    rows = bar(0, BEGIN, kept(START))
    if made.is_revealed:
        rows += bar(1, CHANGED, best_change(START).kept)
    else:
        rows += empty_place(CHANGED, CUSTOMERS)
    return marks_table(rows + guess_marks(made, CUSTOMERS))


def bar(lane: int, words: str, customers: int) -> list[Mark]:
    """Return the bar of customers on target, and its title."""
    return [
        mark(lane, "title", 0, label=f"{words}: {customers} of {CUSTOMERS} on target"),
        mark(lane, "kept", 0, customers),
    ]


def guess_numbers(made: Guess) -> pd.DataFrame:
    """Return how many are on target at the start, and, when revealed, after every single change."""
    rows = [("", "as it starts", kept(START))]
    if made.is_revealed:
        rows += [(one.knob.name, one.knob.word_of(one.settings), one.kept) for one in changes(START)]
    return pd.DataFrame(rows, columns=["knob", "value", "on_target_requests"])


def guess_alt(made: Guess) -> str:
    """Say what the chart of the guess shows now."""
    told = f"Bars of customers on target, of {CUSTOMERS}. {BEGIN.capitalize()}: {kept(START)}. "
    told += (
        f"With {CHANGED}: {best_change(START).kept}."
        if made.is_revealed
        else "The place of one change is empty."
    )
    return told + guess_told(made)


def one_change() -> Chart:
    """Return the chart of the guess: a bar of customers on target for each lane."""
    ticks = alt.Axis(values=list(range(0, CUSTOMERS + 1, STEP)), format="d")
    x = alt.X(
        "x:Q",
        scale=alt.Scale(domain=[0, CUSTOMERS], clamp=True, nice=False),
        title=f"customers on target, of {CUSTOMERS}",
        axis=ticks,
    )
    return bars(x, "kept")
