"""The guess of chapter 5: what ten passes yield with four guesses each, and what with eight."""

from functools import lru_cache

import altair as alt
import pandas as pd
import pyarrow as pa

from pages.ui.charts import KEPT, Chart, Mark, layer, mark, marks_table, text
from pages.ui.draft_formula import tokens_a_pass
from pages.ui.guess import Guess

PASSES, FEW, MANY, SHARE = 10, 4, 8, 0.8  # passes, guesses a pass before and in question, share that is right
ASKED = f"{PASSES} passes yield (tokens)"
LEAST, MOST = PASSES, PASSES * (MANY + 1)
EDGE = 100.0  # tokens
TITLE_DY, GUESS_DY, FIRST_GUESS_DY = -26, 28, 50  # pixels from the middle of a lane


def yielded(n_guesses: int) -> float:
    """Return the tokens that the ten passes yield on average."""
    return PASSES * tokens_a_pass(SHARE, n_guesses)


def is_held_back(n_guesses: int, *, is_revealed: bool) -> bool:
    """Return whether what so many guesses yield by the formula would tell what the reader has yet to guess."""
    return not is_revealed and n_guesses > FEW


@lru_cache(maxsize=KEPT)
def guess_lanes(made: Guess) -> pa.Table:
    """Return the bars of few guesses and of many, which is empty until it is revealed, and the reader's diamond."""
    rows = bar(0, FEW)
    if made.is_revealed:
        rows += bar(1, MANY)
    else:
        rows += [
            mark(1, "title", 0, label=f"{MANY} guesses a pass"),
            mark(1, "empty", 0, EDGE),
            mark(1, "note", 0, label="?"),
        ]
    return marks_table(rows + guess_marks(made))


def bar(lane: int, n_guesses: int) -> list[Mark]:
    """Return a bar of tokens, and its title."""
    label = f"{n_guesses} guesses a pass: {yielded(n_guesses):.0f} tokens"
    return [mark(lane, "title", 0, label=label), mark(lane, "tokens", 0, yielded(n_guesses))]


def guess_marks(made: Guess) -> list[Mark]:
    """Return the reader's diamond with its value, and the first guess where another followed."""
    if made.drawn is None:
        return []
    rows = diamond("guess", made.drawn, "you guess" if made.latest is None else "you guessed")
    if made.first is not None and made.first != made.drawn:
        rows += diamond("first guess", made.first, "first guess")
    return rows


def diamond(kind: str, value: float, words: str) -> list[Mark]:
    """Return a diamond and its label, on the side where there is room."""
    side = "left" if value > EDGE / 2 else "right"
    return [mark(1, kind, value), mark(1, f"{kind} label {side}", value, label=f"{words} {value}")]


def guess_numbers(made: Guess) -> pd.DataFrame:
    """Return what passes yield, a row a number of guesses; the one in question only when revealed."""
    guesses = [FEW] + [MANY] * made.is_revealed
    return pd.DataFrame(
        {
            "guesses_a_pass": guesses,
            "a_pass_tokens": [tokens_a_pass(SHARE, n) for n in guesses],
            "ten_passes_tokens": [yielded(n) for n in guesses],
        }
    )


@lru_cache(maxsize=KEPT)
def guess_alt(made: Guess) -> str:
    """Say what the chart of the guess shows now."""
    told = f"Bars of the tokens that {PASSES} passes yield. With {FEW} guesses a pass: {yielded(FEW):.0f}."
    told += (
        f" With {MANY}: {yielded(MANY):.0f}."
        if made.is_revealed
        else f" The place of {MANY} guesses is empty."
    )
    if made.drawn is not None:
        told += f" Your guess, a diamond, stands at {made.drawn}."
    if made.first is not None and made.first != made.drawn:
        told += f" Your first guess, a small diamond, at {made.first}."
    return told


def ten_passes() -> Chart:
    """Return the chart of the guess: a bar of tokens a lane."""
    x = alt.X(
        "x:Q", scale=alt.Scale(domain=[0, EDGE], clamp=True), title=f"tokens that {PASSES} passes yield"
    )
    place = (x, alt.Y("lane:O", axis=None, scale=alt.Scale(paddingInner=0.75, paddingOuter=0.45)))
    empty = layer("empty", "waiting").mark_bar(filled=False, strokeDash=[4, 4], strokeWidth=1.5)
    drawn = [
        empty.encode(*place, alt.X2("x_end:Q")),
        layer("tokens", "decode").mark_bar(cornerRadius=1).encode(*place, alt.X2("x_end:Q")),
        text("title", dy=TITLE_DY, fontWeight=600).encode(*place),
        text("note", dx=8).encode(*place),
    ]
    for kind, size, dy in (("guess", 190, GUESS_DY), ("first guess", 110, FIRST_GUESS_DY)):
        shape = layer(kind, "ink").mark_point(shape="diamond", size=size, filled=False, yOffset=dy)
        drawn += [
            shape.encode(*place, opacity=alt.value(1)),
            text(f"{kind} label right", dx=14, dy=dy).encode(*place),
            text(f"{kind} label left", dx=-14, dy=dy, align="right").encode(*place),
        ]
    return alt.layer(*drawn).properties(height={"step": 104})
