"""Prompts of any length: the first token, each later one, and where arithmetic begins to decide."""

from functools import lru_cache

import altair as alt
import numpy as np
import pandas as pd
import pyarrow as pa

from pages.ui import numbers
from pages.ui.charts import KEPT, Chart, Mark, layer, marks_table, point, text
from pages.ui.served import costs
from pages.ui.timeline import EDGE_MS
from sim import Settings, lone_request, pass_time, prompt_pairs, reading_breaks_even

LONGEST = Settings().max_model_len
SWEPT = np.unique(np.geomspace(1, LONGEST - 1, 72).round()).astype(np.int64)
SWEPT.flags.writeable = False


def sweep(*, is_revealed: bool = True) -> pd.DataFrame:
    """Return the milliseconds to the first token (when revealed) and to each later one, a row a prompt length."""
    lengths = SWEPT.astype(np.float64)  # [n_lengths]
    reading = pass_time(costs(), lengths, lengths, prompt_pairs(0 * lengths, lengths))
    writing = pass_time(costs(), 0 * lengths + 1, lengths + 1, 0 * lengths)
    table = pd.DataFrame({"prompt_tokens": SWEPT, "next_token_ms": writing.total_s * 1e3})
    if not is_revealed:
        return table
    return table.assign(
        first_token_ms=reading.total_s * 1e3,
        reading_fetch_ms=(reading.weight_read_s + reading.kv_read_s) * 1e3,
        reading_arithmetic_ms=reading.arithmetic_s * 1e3,
    )


@lru_cache(maxsize=KEPT)
def lengths_lines(prompt_tokens: int, is_revealed: bool) -> pa.Table:
    """Return two lines over prompt length, where arithmetic begins to decide, and the reader's prompt."""
    swept = sweep()
    rows = line("pace", "each later token", swept["next_token_ms"])
    if is_revealed:
        rows += line("first", "the first token", swept["first_token_ms"])
        rows.append(point("here", prompt_tokens, lone_request(costs(), prompt_tokens, 1).ttft_s * 1e3))
        if even := reading_breaks_even(costs()):
            rows.append(point("even", even, 0, label=f"{even:,} tokens: from here arithmetic decides"))
    return marks_table(rows)


def line(kind: str, words: str, values_ms: "pd.Series[float]") -> list[Mark]:
    """Return the points of one line over prompt length, in milliseconds, and its label at the end."""
    points = [point(kind, *place) for place in zip(SWEPT, values_ms, strict=True)]
    return [*points, point("label", SWEPT[-1], values_ms.iloc[-1], words)]


@lru_cache(maxsize=KEPT)
def lengths_alt(prompt_tokens: int, is_revealed: bool) -> str:
    """Say what the chart of prompt lengths shows now."""
    swept, even = sweep(), reading_breaks_even(costs())
    first_ms, pace_ms = swept["first_token_ms"], swept["next_token_ms"]
    told = f"Time over prompt length, 1 to {SWEPT[-1]:,} tokens. "
    told += f"Each later token takes {pace_ms.iloc[0]:.1f} to {pace_ms.iloc[-1]:.1f} ms. "
    if not is_revealed:
        return told + "The line of the first token appears with your guess."
    first = f"from {first_ms.iloc[0]:.0f} to {first_ms.iloc[-1]:.0f} ms"
    told += f"From {even} tokens on, marked by a line, arithmetic takes longer than fetching. "
    return told + f"The first token moves {first}. Your prompt of {numbers.tokens(prompt_tokens)} is marked."


def lengths() -> Chart:
    """Return the chart of prompts of any length; x is the prompt in tokens, y the milliseconds."""
    x = alt.X("x:Q", scale=alt.Scale(domain=[0, LONGEST]), title="prompt, tokens")
    y = alt.Y("y:Q", scale=alt.Scale(domain=[0, EDGE_MS]), title="milliseconds")
    top = alt.YDatum(EDGE_MS * 0.95)
    return alt.layer(
        layer("even", "waiting").mark_rule(strokeDash=[4, 4]).encode(x=x),
        text("even", dx=6).encode(x=x, y=top),
        layer("pace", "decode").mark_line(strokeWidth=2.5).encode(x=x, y=y),
        layer("first", "prefill").mark_line(strokeWidth=2.5).encode(x=x, y=y),
        layer("here", "ink").mark_point(size=120, filled=True, opacity=1).encode(x=x, y=y),
        text("label", align="right", dy=-12).encode(x=x, y=y),
    ).properties(height=280)
