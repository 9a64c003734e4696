"""Guessing on the simulated server: what it brings each customer, over how many write at once.

Counted in the mean: one pass of both models by the engine's clocks, and the tokens that it yields by the formula.
"""

from dataclasses import dataclass
from functools import cache, lru_cache

import altair as alt
import numpy as np
import pandas as pd
import pyarrow as pa

from pages.ui import numbers
from pages.ui.charts import KEPT, Chart, Mark, layer, marks_table, point, text
from pages.ui.draft_formula import tokens_a_pass
from pages.ui.draft_run import MOST_GUESSES
from pages.ui.served import server
from sim import Settings, UnitCosts, pass_time, prompt_pairs

MOST_BATCH = 64  # customers at once
SO_FAR = 150  # tokens of text of each, so that all of them fit while guessing
PERCENTS = (10, 85, 60)  # least, most, and where the reader begins
BATCHES = (1, MOST_BATCH, 8)  # least, most, and where the reader begins
BESIDE = (1, 2, 4, 8)  # guesses whose lines are drawn beside the reader's own
TOP = 4.2  # times as fast
GUESSING = Settings(num_speculative_tokens=1)
APART = 0.26  # how far the names of two lines stand apart
EDGE = 83.0  # of the axis: right of the last batch there is room for the lines' names
TURN_AT = 40  # the batch up to which the words about the dot stand right of it, so that a phone has room
WORDS = 38.0  # about how wide the words about the dot are, in customers, on a phone
CLEAR = 0.25  # how far they stand over the lines


@dataclass(frozen=True)
class Pace:
    """One pass with so many customers: its seconds without guesses, of checking them, of the draft's passes."""

    plain_s: float
    checking_s: float
    drafting_s: float
    tokens: float  # that a pass yields each customer on average

    @property
    def times(self) -> float:
        """How many times as fast each customer's text appears as without guesses; below 1 it is slower."""
        return self.tokens * self.plain_s / (self.checking_s + self.drafting_s)


@cache
def both_costs() -> tuple[UnitCosts, UnitCosts]:
    """Return what a unit of work costs, in seconds, on the big model and on the draft model."""
    return server().unit_costs(GUESSING), server().draft_unit_costs(GUESSING)


@lru_cache(maxsize=MOST_BATCH * MOST_GUESSES)
def pass_seconds(batch: int, n_guesses: int) -> tuple[float, float, float]:
    """Return the seconds of a plain pass, of checking so many guesses of each, and of the draft's passes.

    Each of `batch` customers writes, with 150 tokens of text so far.
    """
    (own, small), each = both_costs(), n_guesses + 1.0
    pairs = batch * prompt_pairs(float(SO_FAR), each)
    steps = np.arange(1.0, each)  # [n_guesses]
    drafting_s = pass_time(small, batch + 0 * steps, batch * (SO_FAR + steps), 0 * steps).total_s.sum()
    plain_s = pass_time(own, float(batch), batch * (SO_FAR + 1.0), 0.0).total_s
    checking_s = pass_time(own, batch * each, batch * (SO_FAR + each), pairs).total_s
    return float(plain_s), float(checking_s), float(drafting_s)


def pace(batch: int, n_guesses: int, acceptance_percent: int) -> Pace:
    """Return what guessing brings each of `batch` customers who all write, with 150 tokens so far."""
    return Pace(*pass_seconds(batch, n_guesses), tokens_a_pass(acceptance_percent / 100, n_guesses))


def turns(n_guesses: int, acceptance_percent: int) -> int | None:
    """Return the smallest batch at which guessing is slower than plain writing; None if none up to 64 is."""
    batches = range(1, MOST_BATCH + 1)
    return next((n for n in batches if pace(n, n_guesses, acceptance_percent).times < 1), None)


def pace_numbers(n_guesses: int, acceptance_percent: int) -> pd.DataFrame:
    """Return a row a batch: milliseconds of a pass without guesses and with, and how many times as fast."""
    made = [pace(batch, n_guesses, acceptance_percent) for batch in range(1, MOST_BATCH + 1)]
    return pd.DataFrame(
        {
            "batch": range(1, MOST_BATCH + 1),
            "plain_pass_ms": [each.plain_s * 1e3 for each in made],
            "drafting_ms": [each.drafting_s * 1e3 for each in made],
            "checking_pass_ms": [each.checking_s * 1e3 for each in made],
            "times_as_fast": [each.times for each in made],
        }
    )


@lru_cache(maxsize=KEPT)
def pace_marks(n_guesses: int, acceptance_percent: int, batch: int) -> pa.Table:
    """Return a line a number of guesses, the reader's own thick, and the dot of the reader's batch."""
    rows: list[Mark] = [
        (0, "slower", 1.0, float(MOST_BATCH), 0.0, ""),
        point("even", 1, 1),
        point("even label", 1, 0.2, "slower than plain writing"),
    ]
    for other in BESIDE:
        if other != n_guesses:
            rows += line("beside", other, acceptance_percent)
    rows += line("own", n_guesses, acceptance_percent)
    rows += line_ends(n_guesses, acceptance_percent)
    times = pace(batch, n_guesses, acceptance_percent).times
    rows.append(point("faster" if times >= 1 else "loss", batch, times))
    return marks_table(rows + told_of_the_dot(n_guesses, acceptance_percent, batch))


def told_of_the_dot(n_guesses: int, acceptance_percent: int, batch: int) -> list[Mark]:
    """Return the words about the dot, over all lines where they stand, and what leads to them."""
    times = pace(batch, n_guesses, acceptance_percent).times
    side = "right" if batch <= TURN_AT else "left"
    begin = (
        batch if side == "right" else max(1, batch - WORDS)
    )  # lines fall: they are highest where words begin
    lines = [pace(round(begin), other, acceptance_percent).times for other in {*BESIDE, n_guesses}]
    height = min(max(lines) + CLEAR, TOP - CLEAR)
    said = f"{batch} at once: {told_times(times)} times"
    return [(0, "lead", float(batch), times, height, ""), point(f"told {side}", batch, height, said)]


def told_times(times: float) -> str:
    """Return how many times as fast, with digits enough to tell a loss from a gain: 1.82, 0.997."""
    return numbers.beside(times, 1)


def line(kind: str, n_guesses: int, acceptance_percent: int) -> list[Mark]:
    """Return the points of one number of guesses; its lane is that number."""
    return [
        (n_guesses, kind, float(n), float(n), pace(n, n_guesses, acceptance_percent).times, "")
        for n in range(1, MOST_BATCH + 1)
    ]


def line_ends(n_guesses: int, acceptance_percent: int) -> list[Mark]:
    """Return every line's name, beside where it ends, moved apart where ends are close; the reader's own is bold."""
    ends = {n: pace(MOST_BATCH, n, acceptance_percent).times for n in {*BESIDE, n_guesses}}
    names = sorted(ends, key=ends.__getitem__)
    return [
        point("own end" if n == n_guesses else "end", MOST_BATCH, height, in_words(n))
        for n, height in zip(names, apart([ends[n] for n in names]), strict=True)
    ]


def apart(heights: list[float]) -> list[float]:
    """Return rising heights moved so that each is at least `APART` above the one before, around where they were."""
    moved = list(heights)
    for _ in range(50):
        for low in range(len(moved) - 1):
            lacking = APART - (moved[low + 1] - moved[low])
            if lacking > 0:
                moved[low], moved[low + 1] = moved[low] - lacking / 2, moved[low + 1] + lacking / 2
    lift = max(0.0, APART / 2 - moved[0])
    return [height + lift for height in moved]


def in_words(n_guesses: int) -> str:
    """Return a number of guesses: 1 guess, 4 guesses."""
    return f"{n_guesses} guess{'es' * (n_guesses != 1)}"


@lru_cache(maxsize=KEPT)
def pace_alt(n_guesses: int, acceptance_percent: int, batch: int) -> str:
    """Say what the chart of guessing over the batch shows now."""
    alone, here, full = (pace(n, n_guesses, acceptance_percent).times for n in (1, batch, MOST_BATCH))
    turn = turns(n_guesses, acceptance_percent)
    told = (
        f"How many times as fast as plain writing each customer's text appears, over how many write at once, with "
        f"{n_guesses} guesses a pass of which {acceptance_percent} % are right: alone {alone:.2f}, {batch} at once "
        f"{here:.2f}, {MOST_BATCH} at once {full:.2f}. "
    )
    slower = f"From {turn} at once on it is slower than plain writing." if turn else "It never falls below 1."
    slower = "Even alone it is slower than plain writing." if turn == 1 else slower
    return told + slower + " Thin lines show other numbers of guesses."


def pace_by_batch() -> Chart:
    """Return the chart of guessing over the batch."""
    x = alt.X(
        "x:Q",
        scale=alt.Scale(domain=[1, EDGE]),
        axis=alt.Axis(values=[1, 8, 16, 24, 32, 40, 48, 56, 64], grid=False),
        title="customers who write at once",
    )
    y_scale, title = alt.Scale(domain=[0, TOP]), "times as fast as plain writing"
    y = alt.Y("y:Q", scale=y_scale, title=title)
    whole = alt.value(1)
    drawn = [
        layer("slower", "waiting").mark_rect(opacity=0.14).encode(x=x, x2="x_end:Q", y=y, y2=alt.Y2Datum(1)),
        layer("even", "ink").mark_rule(strokeWidth=1.5).encode(x=x, x2=alt.X2Datum(MOST_BATCH), y=y),
        text("even label", dx=6).encode(x=x, y=y),
        layer("beside", "waiting").mark_line(strokeWidth=1.3).encode(x=x, y=y, detail="lane:N"),
        layer("own", "decode").mark_line(strokeWidth=3).encode(x=x, y=y),
        text("end", dx=5).encode(x=x, y=y),
        text("own end", dx=5, fontWeight=700).encode(x=x, y=y),
        layer("lead", "ink")
        .mark_rule(strokeWidth=1)
        .encode(x=x, y=alt.Y("x_end:Q", scale=y_scale, title=title), y2="y:Q"),
        layer("faster", "decode")
        .mark_point(size=150, filled=True, tooltip=None)
        .encode(x=x, y=y, opacity=whole),
        layer("loss", "decode")
        .mark_point(size=150, filled=False, strokeWidth=2.5, tooltip=None)
        .encode(x=x, y=y, opacity=whole),
        text("told right", dy=-8, fontWeight=600, fontSize=14).encode(x=x, y=y),
        text("told left", dy=-8, align="right", fontWeight=600, fontSize=14).encode(x=x, y=y),
    ]
    return alt.layer(*drawn).properties(height=340)
