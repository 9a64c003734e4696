"""How many requests fit when each is promised the longest length: the guess, and its truth."""

from functools import lru_cache

import altair as alt
import pandas as pd
import pyarrow as pa

from pages.ui import numbers
from pages.ui.charts import KEPT, Chart, Mark, layer, mark, marks_table, text
from pages.ui.guess import Guess
from pages.ui.monday_memory import num_blocks, seats_promised
from pages.ui.served import server
from sim import Settings

EDGE = 30.0  # requests
TITLE_DY, GUESS_DY, FIRST_GUESS_DY, ROW_PX = -30, 32, 54, 118


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
        rows += [
            mark(1, "title", 0, label=f"the {free} that are free hold"),
            mark(1, "empty", 0, EDGE),
            mark(1, "note", 0, label="?"),
        ]
    return marks_table(rows + guess_marks(made))


def guess_marks(made: Guess) -> list[Mark]:
    """Return the reader's diamond with its value, and the first guess where another followed."""
    drawn = made.drawn
    if drawn is None:
        return []
    rows = diamond("guess", drawn, "you guess" if made.latest is None else "you guessed")
    if made.first is not None and made.first != drawn:
        rows += diamond("first guess", made.first, "first guess")
    return rows


def diamond(kind: str, value: float, words: str) -> list[Mark]:
    """Return a diamond and its label; beyond the edge it stands at the edge, with its value."""
    at = min(float(value), EDGE)
    side = "left" if at > EDGE / 2 else "right"
    label = f"{words} {value:,}{' →' if value > EDGE else ''}"
    return [mark(1, kind, at), mark(1, f"{kind} label {side}", at, label=label)]


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
    if made.drawn is not None:
        told += f" Your guess, a diamond, stands at {made.drawn:,}."
    if made.first is not None and made.first != made.drawn:
        told += f" Your first guess, a small diamond, at {made.first:,}."
    return told


def seats() -> Chart:
    """Return the chart of the guess: how many of the longest requests fit, 0 to 30."""
    x = alt.X(
        "x:Q",
        scale=alt.Scale(domain=[0, EDGE], clamp=True),
        axis=alt.Axis(values=list(range(0, 31, 5))),
        title="requests at once",
    )
    where = (x, alt.Y("lane:O", axis=None, scale=alt.Scale(paddingInner=0.72, paddingOuter=0.42)))
    x_end = alt.X2("x_end:Q")
    layers = [
        layer("empty", "waiting")
        .mark_bar(filled=False, strokeDash=[4, 4], strokeWidth=1.5)
        .encode(*where, x_end),
        layer("seat", "KV").mark_bar(filled=False, strokeWidth=2).encode(*where, x_end),
        layer("left over", "free").mark_bar().encode(*where, x_end),
        text("title", dy=TITLE_DY, fontWeight=600).encode(*where),
        text("note", dx=8).encode(*where),
    ]
    for kind, size, dy in (("guess", 190, GUESS_DY), ("first guess", 110, FIRST_GUESS_DY)):
        shape = layer(kind, "ink").mark_point(shape="diamond", size=size, filled=False, yOffset=dy)
        layers += [
            shape.encode(*where, opacity=alt.value(1)),
            text(f"{kind} label right", dx=14, dy=dy).encode(*where),
            text(f"{kind} label left", dx=-14, dy=dy, align="right").encode(*where),
        ]
    return alt.layer(*layers).properties(height={"step": ROW_PX})
