"""How often the student is right, measured, and what a pass yields beside what the formula promises."""

from dataclasses import dataclass
from functools import cache, lru_cache

import altair as alt
import numpy as np
import pandas as pd
import pyarrow as pa

from larkspur import Speculation, load, speculate
from pages.ui.charts import KEPT, Chart, layer, marks_table, point, text
from pages.ui.draft_formula import tokens_a_pass, tokens_a_pass_until_the_end
from pages.ui.draft_run import MOST_GUESSES, QUESTIONS
from pages.ui.draft_token import TEMPERATURE

GREEDY, SAMPLED = "the likeliest token", "by chance"
PICKS = (GREEDY, SAMPLED)
DRAWS = 3  # replies that are drawn to each question
TOP = 6  # tokens a pass
PROMISED = {
    "formula_tokens": "formula",
    "replies_that_end_tokens": "replies_that_end",
}  # columns, and their lines


@dataclass(frozen=True)
class Rate:
    """What so many guesses a round came to: guesses judged and kept, passes, and the replies' lengths in tokens."""

    n_guesses: int
    judged: int
    kept: int
    passes: int
    replies_tokens: tuple[int, ...]

    @property
    def tokens_a_pass(self) -> float:
        """Tokens that a pass yielded."""
        return sum(self.replies_tokens) / self.passes


@cache
def rates(pick: str) -> tuple[Rate, ...]:
    """Return what 1 to 8 guesses came to on all ready questions, written greedily or drawn at temperature 1."""
    return tuple(rate(pick, n_guesses) for n_guesses in range(1, MOST_GUESSES + 1))


def rate(pick: str, n_guesses: int) -> Rate:
    """Return what so many guesses came to."""
    results = replies(pick, n_guesses)
    rounds = [done for result in results for done in result.rounds]
    kept = sum(done.n_kept for done in rounds)
    judged = kept + sum(done.rejected for done in rounds)
    lengths = tuple(len(result.token_ids) for result in results)
    return Rate(n_guesses, judged, kept, len(rounds), lengths)


def replies(pick: str, n_guesses: int) -> list[Speculation]:
    """Return the replies to all ready questions; drawn ones several times, by fixed seeds."""
    mini, student = load("mini"), load("student")
    asked = [mini.encode(question) for question in QUESTIONS]
    if pick == GREEDY:
        return [speculate(mini, student, ids, n_guesses) for ids in asked]
    rng = np.random.default_rng(n_guesses)
    return [speculate(mini, student, ids, n_guesses, TEMPERATURE, rng) for ids in asked for _ in range(DRAWS)]


@cache
def acceptance(pick: str) -> float:
    """Return the share of the guesses judged that were kept, over all numbers of guesses."""
    return sum(made.kept for made in rates(pick)) / sum(made.judged for made in rates(pick))


@cache
def rate_numbers(pick: str) -> pd.DataFrame:
    """Return a row a number of guesses: measured, by the formula, and by the formula for replies that end."""
    share, made = acceptance(pick), rates(pick)
    return pd.DataFrame(
        {
            "guesses_a_pass": [each.n_guesses for each in made],
            "kept_percent": [100 * each.kept / each.judged for each in made],
            "measured_tokens": [each.tokens_a_pass for each in made],
            "formula_tokens": [tokens_a_pass(share, each.n_guesses) for each in made],
            "replies_that_end_tokens": [
                tokens_a_pass_until_the_end(share, each.n_guesses, each.replies_tokens) for each in made
            ],
        }
    )


def shown_numbers(pick: str, is_revealed: bool) -> pd.DataFrame:
    """Return the table as the reader may see it: what the formula promises comes with the guess."""
    return rate_numbers(pick) if is_revealed else rate_numbers(pick).drop(columns=list(PROMISED))


@lru_cache(maxsize=KEPT)
def rate_marks(pick: str, n_guesses: int, is_revealed: bool) -> pa.Table:
    """Return the measured dots, a ring around the reader's number of guesses, and both lines once revealed."""
    table = rate_numbers(pick)
    guesses, measured, formula = (
        table[name] for name in ("guesses_a_pass", "measured_tokens", "formula_tokens")
    )
    rows = [point("measured", *place) for place in zip(guesses, measured, strict=True)]
    rows += [
        point("here", n_guesses, measured[n_guesses - 1]),
        point("measured label", MOST_GUESSES, measured.iloc[-1], "dots: measured"),
    ]
    if is_revealed:
        for name, kind in PROMISED.items():
            rows += [point(kind, *place) for place in zip(guesses, table[name], strict=True)]
        rows += [
            point("formula label", MOST_GUESSES, formula.iloc[-1], "solid: the formula"),
            point("dashed label", MOST_GUESSES, formula.iloc[-1], "dashed: counting that replies end"),
        ]
    return marks_table(rows)


@lru_cache(maxsize=KEPT)
def rate_alt(pick: str, n_guesses: int, is_revealed: bool) -> str:
    """Say what the chart of tokens a pass shows now."""
    told = f"Tokens a pass over guesses a pass, mini picking {pick}."
    for n in dict.fromkeys((n_guesses, MOST_GUESSES)):
        row = rate_numbers(pick).iloc[n - 1]
        told += f" With {n}: measured {row['measured_tokens']:.1f}"
        if is_revealed:
            told += f", by the formula {row['formula_tokens']:.1f}"
            told += f", for replies that end {row['replies_that_end_tokens']:.1f}"
        told += "."
    return told if is_revealed else f"{told} What the formula promises comes with your guess."


def tokens_by_guesses() -> Chart:
    """Return the chart of tokens a pass over guesses a pass."""
    x = alt.X(
        "x:Q",
        scale=alt.Scale(domain=[0.7, MOST_GUESSES + 0.3]),
        axis=alt.Axis(values=list(range(1, MOST_GUESSES + 1)), format="d", grid=False),
        title="guesses a pass",
    )
    y = alt.Y("y:Q", scale=alt.Scale(domain=[0, TOP]), title="tokens a pass")
    layers = [
        layer("formula", "ink").mark_line(strokeWidth=1.5),
        layer("replies_that_end", "ink").mark_line(strokeWidth=1.5, strokeDash=[5, 4]),
        layer("measured", "Larkspur mini").mark_point(size=70, filled=True, opacity=1, tooltip=None),
        layer("here", "ink").mark_point(size=240, filled=False, strokeWidth=2),
    ]
    labels = [
        text("formula label", align="right", dy=-32),
        text("dashed label", align="right", dy=-15),
        text("measured label", align="right", dy=42),
    ]
    return alt.layer(*(each.encode(x=x, y=y) for each in [*layers, *labels])).properties(height=300)
