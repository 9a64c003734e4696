"""The guess of chapter 3: while a long reply is written and a seat is free, another customer asks something short."""

from functools import cache, lru_cache

import altair as alt
import pandas as pd
import pyarrow as pa

from pages.ui import numbers
from pages.ui.charts import KEPT, Chart, Mark, layer, mark, marks_table, text
from pages.ui.guess import Guess
from pages.ui.ladder import ANEW, FIXED, settings
from pages.ui.served import costs, server
from sim import Run, Trace, lone_request, simulate

PROMPT_TOKENS, TO_COME, SHORT_TOKENS = 100, 400, 20
LEAST_MS, MOST_MS = 1, 20_000
LOG_MS = alt.Scale(type="log", domain=[LEAST_MS, MOST_MS], clamp=True)
TITLE_DY, LABEL_DY, GUESS_DY, FIRST_GUESS_DY = -26, 26, 26, 48  # pixels from the middle of a lane
ROW_PX = 108


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
        rows += [
            mark(1, "title", LEAST_MS, label=ANEW.word),
            mark(1, "empty", LEAST_MS, MOST_MS),
            mark(1, "note", LEAST_MS, label="?"),
        ]
    return marks_table(rows + guess_marks(made))


def wait_lane(lane: int, word: str) -> list[Mark]:
    """Return the wait under one scheduler: a thin gray line, and a blue tick at the first word."""
    at_ms = first_word_s(word) * 1e3
    return [
        mark(lane, "title", LEAST_MS, label=f"{word}: first word after {told(first_word_s(word))}"),
        mark(lane, "waits", LEAST_MS, at_ms),
        mark(lane, "word", at_ms),
    ]


def guess_marks(made: Guess) -> list[Mark]:
    """Return the reader's diamond with its value, and the first guess where another followed."""
    if made.drawn is None:
        return []
    rows = diamond("guess", made.drawn, "you guess" if made.latest is None else "you guessed")
    if made.first is not None and made.first != made.drawn:
        rows += diamond("first guess", made.first, "first guess")
    return rows


def diamond(kind: str, at_ms: float, words: str) -> list[Mark]:
    """Return a diamond and its label, on the side where there is room."""
    side = "left" if at_ms > (LEAST_MS * MOST_MS) ** 0.5 else "right"
    return [mark(1, kind, at_ms), mark(1, f"{kind} label {side}", at_ms, label=f"{words} {at_ms:,} ms")]


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
    if made.drawn is not None:
        said += f" Your guess, a diamond, stands at {made.drawn:,} ms."
    if made.first is not None and made.first != made.drawn:
        said += f" Your first guess, a small diamond, at {made.first:,} ms."
    return said


def first_words() -> Chart:
    """Return the chart of the guess: a lane a scheduler, over milliseconds on a log scale."""
    x = alt.X(
        "x:Q",
        scale=LOG_MS,
        axis=alt.Axis(values=[1, 10, 100, 1000, 10_000], format=",d", grid=True),
        title="first word after, milliseconds (log scale)",
    )
    place = (x, alt.Y("lane:O", axis=None, scale=alt.Scale(paddingInner=0.7, paddingOuter=0.4)))
    drawn = [
        layer("empty", "waiting")
        .mark_bar(filled=False, strokeDash=[4, 4], strokeWidth=1.5)
        .encode(*place, alt.X2("x_end:Q")),
        layer("waits", "waiting").mark_rule(strokeWidth=2).encode(*place, alt.X2("x_end:Q")),
        layer("word", "decode").mark_tick(thickness=4, bandSize=30).encode(*place),
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
    return alt.layer(*drawn).properties(height={"step": ROW_PX})
