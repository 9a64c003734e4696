"""The guess of chapter 5: what ten passes yield with four guesses each, and what with eight."""

from functools import lru_cache

import altair as alt
import pandas as pd
import pyarrow as pa

from pages.ui.charts import KEPT, Chart, Mark, mark, marks_table
from pages.ui.diamonds import bars, empty_place, guess_marks, guess_told
from pages.ui.draft_formula import tokens_a_pass
from pages.ui.guess import Guess

PASSES, FEW, MANY, SHARE = 10, 4, 8, 0.8  # passes, guesses a pass before and in question, share that is right
ASKED = f"{PASSES} passes yield (tokens)"
LEAST, MOST = PASSES, PASSES * (MANY + 1)
EDGE = 100.0  # tokens


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
        rows += empty_place(f"{MANY} guesses a pass", EDGE)
    return marks_table(rows + guess_marks(made, EDGE))


def bar(lane: int, n_guesses: int) -> list[Mark]:
    """Return a bar of tokens, and its title."""
    label = f"{n_guesses} guesses a pass: {yielded(n_guesses):.0f} tokens"
    return [mark(lane, "title", 0, label=label), mark(lane, "tokens", 0, yielded(n_guesses))]


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
    return told + guess_told(made)


def ten_passes() -> Chart:
    """Return the chart of the guess: a bar of tokens a lane."""
    x = alt.X(
        "x:Q", scale=alt.Scale(domain=[0, EDGE], clamp=True), title=f"tokens that {PASSES} passes yield"
    )
    return bars(x, "tokens")
