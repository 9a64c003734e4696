"""Fewer bits in a batch: how long a pass takes at 16 bits and at 4, and how many times as fast that is."""

from functools import cache, lru_cache

import altair as alt
import numpy as np
import pandas as pd
import pyarrow as pa

from pages.ui import numbers
from pages.ui.charts import KEPT, Chart, layer, marks_table, point, text
from pages.ui.served import server
from sim import Settings, pass_time

MOST, BEGIN = 128, 8
TOKENS = 160  # of each customer so far
POINTLESS = 1.5
TOP_MS = 45.0
FEW, MANY = 4, 16


@cache
def passes_s(bits: int) -> tuple[float, ...]:
    """Return the seconds of a writing pass for each batch from 1 to the largest, `TOKENS` tokens each so far."""
    at_once = np.arange(1, MOST + 1, dtype=np.float64)
    costs = server().unit_costs(Settings(weight_bits=bits))
    return tuple(pass_time(costs, at_once, at_once * TOKENS, np.zeros(MOST)).total_s.tolist())


def times_as_fast(batch: int) -> float:
    """Return how many times as fast a pass is at 4 bits as at 16."""
    return passes_s(MANY)[batch - 1] / passes_s(FEW)[batch - 1]


def told_times(batch: int) -> str:
    """Return how many times as fast, with digits enough to see on which side of the mission it is: 1.497."""
    return numbers.beside(times_as_fast(batch), POINTLESS)


@cache
def room(bits: int) -> int:
    """Return how many such customers the server's memory holds."""
    settings = Settings(weight_bits=bits)
    return server().num_blocks(settings) // -(-TOKENS // settings.block_size)


def is_pointless(batch: int) -> bool:
    """Whether the batch fits at 16 bits too, and a pass at 4 is less than `POINTLESS` times as fast."""
    return batch <= room(MANY) and times_as_fast(batch) < POINTLESS


@lru_cache(maxsize=KEPT)
def batch_lines(batch: int) -> pa.Table:
    """Return both lines, the part for which 16 bits have no room, and what holds at the chosen batch."""
    rows = []
    side = "left" if batch > MOST / 2 else "right"
    for bits in (MANY, FEW):
        for n, pass_s in enumerate(passes_s(bits), 1):
            kind = "no room" if bits == MANY and n > room(MANY) else f"{bits} bits"
            rows.append(point(kind, n, pass_s * 1e3))
        here_ms = passes_s(bits)[batch - 1] * 1e3
        rows.append(point("here", batch, here_ms))
        at = MOST if batch <= MOST / 2 else 2
        rows.append(point(f"{bits} label {side}", at, passes_s(bits)[at - 1] * 1e3, f"{bits} bits"))
    rows += [
        point("batch", batch, 0),
        point(f"ratio {side}", batch, TOP_MS, f"{batch} at once: {told_times(batch)} times as fast"),
        point("room", room(MANY), 0),
        point("room label", room(MANY), 0, f"room: {room(MANY)}"),
    ]
    return marks_table(rows)


def batch_table() -> pd.DataFrame:
    """Return a row a batch: the pass at 16 and at 4 bits, and how many times as fast the second is."""
    at_once = range(1, MOST + 1)
    return pd.DataFrame(
        {
            "batch": at_once,
            "pass_at_16_bits_ms": [pass_s * 1e3 for pass_s in passes_s(MANY)],
            "pass_at_4_bits_ms": [pass_s * 1e3 for pass_s in passes_s(FEW)],
            "times_as_fast": [times_as_fast(batch) for batch in at_once],
        }
    )


@lru_cache(maxsize=KEPT)
def batch_alt(batch: int) -> str:
    """Say what the chart of batches shows now."""
    many, few = (numbers.ms(passes_s(bits)[batch - 1], 1) for bits in (MANY, FEW))
    return (
        f"Milliseconds of a writing pass over customers at once, at 16 and at 4 bits. With {batch} at once: {many} and "
        f"{few}, {told_times(batch)} times as fast. At 16 bits memory holds {room(MANY)} of them."
    )


def batch_chart() -> Chart:
    """Return the chart of passes over batches."""
    x = alt.X("x:Q", scale=alt.Scale(domain=[0, MOST]), title="customers in the batch")
    y = alt.Y("y:Q", scale=alt.Scale(domain=[0, TOP_MS]), title="milliseconds of a pass")
    low = alt.YDatum(0)
    names = {  # the lines' names stand where the rule of the batch does not: both rise to the right
        (bits, side): text(f"{bits} label {side}", align=align, dy=dy, fontWeight=600).encode(x=x, y=y)
        for bits in (MANY, FEW)
        for side, align, dy in (("left", "left", -26), ("right", "right", -16))
    }
    drawn = [
        layer("batch", "ink").mark_rule(strokeWidth=1.5).encode(x=x, y=low, y2=alt.Y2Datum(TOP_MS * 0.93)),
        layer("room", "waiting")
        .mark_rule(strokeDash=[4, 4])
        .encode(x=x, y=low, y2=alt.Y2Datum(TOP_MS * 0.8)),
        layer("16 bits", "decode").mark_line(strokeWidth=2.5).encode(x=x, y=y),
        layer("no room", "waiting").mark_line(strokeWidth=2, strokeDash=[5, 4]).encode(x=x, y=y),
        layer("4 bits", "decode").mark_line(strokeWidth=2.5, strokeDash=[1, 0]).encode(x=x, y=y),
        layer("here", "ink").mark_point(size=70, filled=True).encode(x=x, y=y, opacity=alt.value(1)),
        *names.values(),
        text("ratio right", dx=6, dy=4, fontWeight=600).encode(x=x, y=y),
        text("ratio left", dx=-6, dy=4, align="right", fontWeight=600).encode(x=x, y=y),
        text("room label", dx=5, dy=-12).encode(x=x, y=y),
    ]
    return alt.layer(*drawn).properties(height=300)
