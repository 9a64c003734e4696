"""How many requests fit when each is promised the longest length: the guess, and its truth."""

from functools import lru_cache

import altair as alt
import pandas as pd
import pyarrow as pa

from pages.ui import numbers
from pages.ui.charts import KEPT, Chart, layer, mark, marks_table
from pages.ui.diamonds import Lanes, empty_place, guess_chart, guess_marks, guess_told
from pages.ui.guess import Guess
from pages.ui.monday_memory import num_blocks, seats_promised
from pages.ui.served import server
from sim import Settings

EDGE = 30.0  # requests
LANES = Lanes(118, 0.72, 0.42, title_dy=-30, guess_dy=32, first_guess_dy=54)


def request_bytes() -> int:
    """Return the bytes that the longest request takes."""
    return server().model.kv_bytes_per_token() * Settings().max_model_len


def free_bytes() -> int:
    """Return the bytes of all KV blocks of Larkspur's server."""
    return num_blocks() * Settings().block_size * server().model.kv_bytes_per_token()


@lru_cache(maxsize=KEPT)
def seat_lanes(made: Guess) -> pa.Table:
    """Return one request's place, and the free memory: its places are drawn only when revealed."""
    one, free = numbers.memory(request_bytes()), numbers.memory(free_bytes())
    rows = [
        mark(0, "title", 0, label=f"one request of {numbers.tokens(Settings().max_model_len)}: {one}"),
        mark(0, "seat", 0, 1),
    ]
    if made.is_revealed:
        fits, whole = seats_promised(), free_bytes() / request_bytes()
        rows += [
            mark(1, "title", 0, label=f"the {free} that are free hold {fits}"),
            *(mark(1, "seat", n, n + 1) for n in range(fits)),
            mark(1, "left over", fits, whole),
            mark(1, "note", whole, label="too small for one more"),
        ]
    else:
        rows += empty_place(f"the {free} that are free hold", EDGE)
    return marks_table(rows + guess_marks(made, EDGE))


def seat_numbers(made: Guess) -> pd.DataFrame:
    """Return the bytes of one request and of the free memory; how many fit only when revealed."""
    row = {"request_bytes": request_bytes(), "free_bytes": free_bytes()}
    return pd.DataFrame([row | ({"fit_requests": seats_promised()} if made.is_revealed else {})])


def seat_alt(made: Guess) -> str:
    """Say what the chart of the guess shows now."""
    told = f"Places of {numbers.memory(request_bytes())} each, counted from 0 to {EDGE:.0f}. "
    free = numbers.memory(free_bytes())
    told += (
        f"The {free} that are free hold {seats_promised()}."
        if made.is_revealed
        else "The free memory is empty."
    )
    return told + guess_told(made)


def seats() -> Chart:
    """Return the chart of the guess: how many of the longest requests fit, 0 to 30."""
    x = alt.X(
        "x:Q",
        scale=alt.Scale(domain=[0, EDGE], clamp=True),
        axis=alt.Axis(values=list(range(0, 31, 5))),
        title="requests at once",
    )
    place, x_end = LANES.place(x), alt.X2("x_end:Q")
    own = [
        layer("seat", "KV").mark_bar(filled=False, strokeWidth=2).encode(*place, x_end),
        layer("left over", "free").mark_bar().encode(*place, x_end),
    ]
    return guess_chart(LANES, place, own)
