"""The guess: how many customers one change from the start keeps on target at best."""

from functools import lru_cache

import altair as alt
import pandas as pd
import pyarrow as pa

from pages.ui.batch_guess import TITLE_DY, diamonds
from pages.ui.charts import KEPT, Chart, Mark, layer, mark, marks_table, text
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
        rows += [
            mark(1, "title", 0, label=CHANGED),
            mark(1, "empty", 0, CUSTOMERS),
            mark(1, "note", 0, label="?"),
        ]
    return marks_table(rows + guess_marks(made))


def bar(lane: int, words: str, customers: int) -> list[Mark]:
    """Return the bar of customers on target, and its title."""
    return [
        mark(lane, "title", 0, label=f"{words}: {customers} of {CUSTOMERS} on target"),
        mark(lane, "kept", 0, customers),
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
    """Return a diamond and its label."""
    side = "left" if value > CUSTOMERS / 2 else "right"
    return [mark(1, kind, value), mark(1, f"{kind} label {side}", value, label=f"{words} {value}")]


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
    if made.drawn is not None:
        told += f" Your guess, a diamond, stands at {made.drawn}."
    if made.first is not None and made.first != made.drawn:
        told += f" Your first guess, a small diamond, at {made.first}."
    return told


def one_change() -> Chart:
    """Return the chart of the guess: a bar of customers on target for each lane."""
    ticks = alt.Axis(values=list(range(0, CUSTOMERS + 1, STEP)), format="d")
    x = alt.X(
        "x:Q",
        scale=alt.Scale(domain=[0, CUSTOMERS], clamp=True, nice=False),
        title=f"customers on target, of {CUSTOMERS}",
        axis=ticks,
    )
    place = (x, alt.Y("lane:O", axis=None, scale=alt.Scale(paddingInner=0.75, paddingOuter=0.45)))
    empty = layer("empty", "waiting").mark_bar(filled=False, strokeDash=[4, 4], strokeWidth=1.5)
    bars = [
        empty.encode(*place, alt.X2("x_end:Q")),
        layer("kept", "decode").mark_bar(cornerRadius=1).encode(*place, alt.X2("x_end:Q")),
        text("title", dy=TITLE_DY, fontWeight=600).encode(*place),
        text("note", dx=8).encode(*place),
    ]
    return alt.layer(*bars, *diamonds(*place)).properties(height={"step": 104})
