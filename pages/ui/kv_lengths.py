"""How many requests of one length fit, promised the longest or paged: where paging stops helping."""

from functools import cache, lru_cache

import altair as alt
import numpy as np
import pandas as pd
import pyarrow as pa

from pages.ui import numbers
from pages.ui.charts import KEPT, Chart, layer, marks_table, point, text
from pages.ui.monday_memory import num_blocks, seats_promised
from sim import Settings, monday

SHORTEST, LONGEST = 64, Settings().max_model_len
SWEPT = np.arange(SHORTEST, LONGEST + 1, Settings().block_size)
SWEPT.flags.writeable = False
EDGE_FIT = 300.0


def blocks_of(tokens: int) -> int:
    """Return the blocks that a request holds at its end: its last token is written and never read again."""
    return -(-(tokens - 1) // Settings().block_size)


def paged_fit(tokens: int) -> int:
    """Return how many requests of `tokens` tokens, prompt and reply together, fit when paged."""
    return num_blocks() // blocks_of(tokens)


@cache
def usual_tokens() -> int:
    """Return the mean length of Monday's requests, prompt and reply together."""
    trace = monday()
    return round(float((trace.prompt_tokens + trace.output_tokens).mean()))


def no_gain_from() -> int:
    """Return the shortest length at which paging seats no more than the longest reservation."""
    return next(n for n in range(SHORTEST, LONGEST + 1) if paged_fit(n) <= seats_promised())


def swept_tokens(is_revealed: bool) -> list[int]:
    """Return the lengths of the chart; up to Monday's mean until revealed, for at the longest both are one."""
    return [n for n in SWEPT.tolist() if is_revealed or n <= usual_tokens()]


def fit_numbers(is_revealed: bool) -> pd.DataFrame:
    """Return a row a length: how many fit paged, and reserved when revealed."""
    swept = swept_tokens(is_revealed)
    table = pd.DataFrame({"length_tokens": swept, "paged_requests": [paged_fit(n) for n in swept]})
    return table.assign(reserved_requests=seats_promised()) if is_revealed else table


@lru_cache(maxsize=KEPT)
def fit_lines(tokens: int, is_revealed: bool) -> pa.Table:
    """Return both lines over length, and the reader's length; the reserved line only when revealed."""
    rows = [point("paged", n, paged_fit(n)) for n in swept_tokens(is_revealed)]
    fit = paged_fit(tokens)
    side = "left" if tokens > LONGEST / 2 else "right"
    rows += [point("here", tokens, fit), point(f"here {side}", tokens, fit, f"paged: {fit}")]
    if is_revealed:
        rows += [point("reserved", n, seats_promised()) for n in (SHORTEST, LONGEST)]
        rows.append(point("label", SHORTEST, seats_promised(), f"reserved (Max): {seats_promised()}"))
    return marks_table(rows)


def fit_alt(tokens: int, is_revealed: bool) -> str:
    """Say what the lines show now."""
    told = f"How many equal requests fit, over their length, {SHORTEST} to {LONGEST:,} tokens, log scale. "
    last = swept_tokens(is_revealed)[-1]
    told += f"Paged, {paged_fit(SHORTEST)} at {SHORTEST} tokens fall to {paged_fit(last)} at {last:,}; "
    told += f"at {numbers.tokens(tokens)} {paged_fit(tokens)} fit."
    return told + (f" Reserved for the longest, always {seats_promised()}." if is_revealed else "")


def fits() -> Chart:
    """Return the lines; x is the length in tokens, y how many fit, on a log axis."""
    x = alt.X("x:Q", scale=alt.Scale(domain=[0, LONGEST]), title="tokens of every request, prompt and reply")
    scale = alt.Scale(type="log", domain=[4, EDGE_FIT], nice=False)
    axis = alt.Axis(values=[5, 10, 20, 50, 100, 200])
    y = alt.Y("y:Q", scale=scale, axis=axis, title="requests that fit (log scale)")
    return alt.layer(
        layer("paged", "KV").mark_line(strokeWidth=3).encode(x=x, y=y),
        layer("reserved", "ink").mark_line(strokeWidth=1.8, strokeDash=[5, 3]).encode(x=x, y=y),
        layer("here", "ink").mark_point(size=120, filled=True, opacity=1).encode(x=x, y=y),
        text("here right", dx=10, dy=-12).encode(x=x, y=y),
        text("here left", dx=10, dy=-16, align="right").encode(x=x, y=y),
        text("label", dy=14).encode(x=x, y=y),
    ).properties(height=250)
