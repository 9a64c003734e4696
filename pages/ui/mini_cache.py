"""Larkspur mini's own KV cache, measured while it writes the example's reply."""

from functools import cache

import altair as alt
import pandas as pd
import pyarrow as pa

from larkspur import load, prompt
from pages.ui import mini, numbers
from pages.ui.charts import Chart, layer, mark, marks_table, text
from pages.ui.sums import Sum

KB = 2**10


@cache
def measured() -> pd.DataFrame:
    """Return a row a pass of the example: tokens in the cache after it, and the bytes that they take."""
    model = load("mini")
    own = model.new_cache()
    rows: list[dict[str, int]] = []
    written = [[token_id] for token_id in mini.example().ids[:-1]]  # the last is written and never read
    for unread in (list(prompt(model, mini.EXAMPLE).ids), *written):
        model.forward(unread, own)
        rows.append({"pass": len(rows) + 1, "cached_tokens": own.length, "cache_bytes": own.nbytes})
    return pd.DataFrame(rows)


@cache
def room_bytes() -> int:
    """Return the bytes of the arrays that hold mini's cache: room for its whole context, used or not."""
    own = load("mini").new_cache()
    return sum(int(array.nbytes) for array in (own.keys, vars(own)["values"]))


@cache
def cache_lanes() -> pa.Table:
    """Return a lane a pass: the KB that the cache holds after it, and the room that is kept."""
    room_kb = room_bytes() / KB
    rows = []
    columns = (measured()[name].tolist() for name in ("cached_tokens", "cache_bytes"))
    for lane, (tokens, held_bytes) in enumerate(zip(*columns, strict=True)):
        told = f"{numbers.tokens(tokens)}, {numbers.memory(held_bytes)}"
        rows += [
            mark(lane, "held", 0, held_bytes / KB),
            mark(lane, "room", 0, room_kb),
            mark(lane, "told", held_bytes / KB, label=f"after pass {lane + 1}: {told}"),
        ]
    return marks_table(rows)


def cache_alt() -> str:
    """Say what the chart of mini's cache shows."""
    first, last = measured().iloc[0], measured().iloc[-1]
    return (
        f"A bar a pass of the example: the bytes in Larkspur mini's cache, from {numbers.memory(first['cache_bytes'])} "
        f"after the first pass to {numbers.memory(last['cache_bytes'])} after the last, in a dashed frame of "
        f"{numbers.memory(room_bytes())}, the room that is kept."
    )


def cache_held() -> Chart:
    """Return the chart of mini's cache: a lane a pass, over the room that is kept, in KB."""
    x = alt.X("x:Q", scale=alt.Scale(domain=[0, room_bytes() / KB]), title="KB held, of the room kept")
    where = (x, alt.Y("lane:O", axis=None, scale=alt.Scale(paddingInner=0.35, paddingOuter=0.2)))
    x_end = alt.X2("x_end:Q")
    return alt.layer(
        layer("held", "Larkspur mini").mark_bar().encode(*where, x_end),
        layer("room", "Larkspur mini").mark_bar(filled=False, strokeDash=[3, 3]).encode(*where, x_end),
        text("told", dx=8).encode(*where),
    ).properties(height={"step": 26})


def cache_sum() -> Sum:
    """Return the sum behind mini's cache."""
    config, last = load("mini").config, measured().iloc[-1]
    return Sum(
        "run for real here",
        "Larkspur mini's own cache",
        "2 (key and value) × layers × width × 4 bytes (mini's numbers have 32 bits), times the tokens held.",
        (
            ("layers", numbers.count(config.n_layer)),
            ("width", numbers.count(config.n_embd)),
            ("one token", f"{numbers.count(config.kv_bytes_per_token)} bytes"),
            ("tokens held after the last pass", numbers.count(last["cached_tokens"])),
            (f"room kept, {numbers.tokens(config.n_ctx)}", f"{numbers.count(room_bytes())} bytes"),
        ),
        f"{numbers.count(last['cache_bytes'])} bytes held",
        "larkspur, run by NumPy on the server that hosts this page",
    )
