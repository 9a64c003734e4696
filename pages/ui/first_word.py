"""The guess of chapter 3: while a long reply is written and a seat is free, another customer asks something short."""

from functools import cache, lru_cache

import altair as alt
import pandas as pd
import pyarrow as pa

from pages.ui import numbers
from pages.ui.charts import KEPT, Chart, Mark, layer, mark, marks_table
from pages.ui.diamonds import Lanes, empty_place, guess_chart, guess_marks, guess_told
from pages.ui.guess import Guess
from pages.ui.ladder import ANEW, FIXED, settings
from pages.ui.served import costs, server
from sim import Run, Trace, lone_request, simulate

PROMPT_TOKENS, TO_COME, SHORT_TOKENS = 100, 400, 20
LEAST_MS, MOST_MS = 1, 20_000
LOG_MS = alt.Scale(type="log", domain=[LEAST_MS, MOST_MS], clamp=True)
LANES = Lanes(108, 0.7, 0.4, title_dy=-26, guess_dy=26, first_guess_dy=48)


@cache
def two_customers() -> Trace:
    """Return the two: the second comes in the middle of a pass, when the first has 400 tokens to come."""
    alone = lone_request(costs(), PROMPT_TOKENS, TO_COME + 1)
    asks_s = alone.ttft_s + alone.decode_s / alone.decode_passes / 2
    return Trace([0.0, asks_s], [PROMPT_TOKENS, SHORT_TOKENS], [TO_COME + 1, SHORT_TOKENS])


@cache
def run_of(word: str) -> Run:
    """Return the two customers served by a scheduler."""
    return simulate(two_customers(), server(), settings(word))


@cache
def first_word_s(word: str) -> float:
    """Return how long the second customer waits for the first word, in seconds."""
    return float(run_of(word).requests["ttft_s"].iloc[1])


def told(seconds: float) -> str:
    """Return a wait as its label says it."""
    return numbers.ms(seconds) if seconds < 1 else f"{numbers.ms(seconds)} ({seconds:.1f} s)"


@lru_cache(maxsize=KEPT)
def guess_lanes(made: Guess) -> pa.Table:
    """Return the waits under both schedulers, the second empty until it is revealed, and the reader's diamond."""
    rows = wait_lane(0, FIXED.word)
    if made.is_revealed:
        rows += wait_lane(1, ANEW.word)
    else:
        rows += empty_place(ANEW.word, MOST_MS, LEAST_MS)
    return marks_table(rows + guess_marks(made, MOST_MS, middle=(LEAST_MS * MOST_MS) ** 0.5, unit=" ms"))


def wait_lane(lane: int, word: str) -> list[Mark]:
    """Return the wait under one scheduler: a thin gray line, and a blue tick at the first word."""
    at_ms = first_word_s(word) * 1e3
    return [
        mark(lane, "title", LEAST_MS, label=f"{word}: first word after {told(first_word_s(word))}"),
        mark(lane, "waits", LEAST_MS, at_ms),
        mark(lane, "word", at_ms),
    ]


def guess_numbers(made: Guess) -> pd.DataFrame:
    """Return the waits for the first word; that of deciding anew only when revealed."""
    words = [FIXED.word] + [ANEW.word] * made.is_revealed
    return pd.DataFrame(
        {"scheduler": words, "first_word_after_ms": [first_word_s(word) * 1e3 for word in words]}
    )


@lru_cache(maxsize=KEPT)
def guess_alt(made: Guess) -> str:
    """Say what the chart of the guess shows now."""
    said = f"Wait for the first word, in milliseconds on a log scale. Fixed batches: {told(first_word_s(FIXED.word))}."
    said += (
        f" Decided anew: {told(first_word_s(ANEW.word))}."
        if made.is_revealed
        else " The place of deciding anew is empty."
    )
    return said + guess_told(made, " ms")


def first_words() -> Chart:
    """Return the chart of the guess: a lane a scheduler, over milliseconds on a log scale."""
    x = alt.X(
        "x:Q",
        scale=LOG_MS,
        axis=alt.Axis(values=[1, 10, 100, 1000, 10_000], format=",d", grid=True),
        title="first word after, milliseconds (log scale)",
    )
    place = LANES.place(x)
    own = [
        layer("waits", "waiting").mark_rule(strokeWidth=2).encode(*place, alt.X2("x_end:Q")),
        layer("word", "decode").mark_tick(thickness=4, bandSize=30).encode(*place),
    ]
    return guess_chart(LANES, place, own)
