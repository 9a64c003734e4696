"""Prompts of any length: the first token, each later one, and where reading stops being free."""

from functools import cache, lru_cache

import altair as alt
import numpy as np
import pandas as pd
import pyarrow as pa

from pages.ui.charts import KEPT, Chart, Mark, layer, mark, marks_table, text
from pages.ui.served import costs
from sim import Settings, pass_time, prompt_pairs, reading_breaks_even

EDGE_MS = 400.0
LONGEST = Settings().max_model_len
SWEPT = np.unique(np.geomspace(1, LONGEST - 1, 70).round()).astype(np.int64)


@cache
def sweep() -> pd.DataFrame:
    """Return the milliseconds to the first token and to each later one, a row a prompt length."""
    lengths = SWEPT.astype(np.float64)  # [n_lengths]
    reading = pass_time(costs(), lengths, lengths, prompt_pairs(0 * lengths, lengths))
    writing = pass_time(costs(), 0 * lengths + 1, lengths + 1, 0 * lengths)
    return pd.DataFrame(
        {
            "prompt_tokens": SWEPT,
            "first_token_ms": reading.total_s * 1e3,
            "next_token_ms": writing.total_s * 1e3,
            "reading_memory_ms": (reading.weight_read_s + reading.kv_read_s) * 1e3,
            "reading_arithmetic_ms": reading.arithmetic_s * 1e3,
        }
    )


@lru_cache(maxsize=KEPT)
def lengths_frame(prompt_tokens: int, is_revealed: bool) -> pa.Table:
    """Return two lines over prompt length, where reading stops being free, and the reader's prompt."""
    swept = sweep()
    rows = line("pace", "each later token", swept["next_token_ms"])
    if is_revealed:
        rows += line("first", "the first token", swept["first_token_ms"])
        at_ms = float(np.interp(prompt_tokens, swept["prompt_tokens"], swept["first_token_ms"]))
        rows.append(mark(0, "here", prompt_tokens, at_ms))
    if even := reading_breaks_even(costs()):
        rows.append(mark(0, "even", even, label=f"{even:,} tokens: reading stops being free"))
    return marks_table(rows)


def line(kind: str, words: str, values_ms: "pd.Series[float]") -> list[Mark]:
    """Return the points of one line over prompt length, and its label at the end."""
    points = [mark(0, kind, *point) for point in zip(SWEPT, values_ms, strict=True)]
    return [*points, mark(0, "label", SWEPT[-1], values_ms.iloc[-1], words)]


def lengths_alt(prompt_tokens: int, is_revealed: bool) -> str:
    """Say what the chart of prompt lengths shows now."""
    swept, even = sweep(), reading_breaks_even(costs())
    first_ms, pace_ms = swept["first_token_ms"], swept["next_token_ms"]
    pace = f"Each later token takes {pace_ms.iloc[0]:.1f} to {pace_ms.iloc[-1]:.1f} ms."
    if not is_revealed:
        return f"Time over prompt length. {pace} The line of the first token appears with your guess."
    first = f"from {first_ms.iloc[0]:.0f} to {first_ms.iloc[-1]:.0f} ms"
    return (
        f"Time over prompt length, 1 to {SWEPT[-1]:,} tokens. The first token moves {first}, and bends upward "
        f"at {even} tokens. {pace} Your prompt of {prompt_tokens:,} tokens is marked."
    )


def lengths() -> Chart:
    """Return the chart of prompts of any length; `start` is the prompt, `end` the milliseconds."""
    x = alt.X("start:Q", scale=alt.Scale(domain=[0, LONGEST]), title="prompt, tokens")
    y = alt.Y("end:Q", scale=alt.Scale(domain=[0, EDGE_MS]), title="milliseconds")
    top = alt.YDatum(EDGE_MS * 0.95)
    return alt.layer(
        layer("even", "waiting").mark_rule(strokeDash=[4, 4]).encode(x=x),
        text("even", dx=6).encode(x=x, y=top),
        layer("pace", "decode").mark_line(strokeWidth=2.5).encode(x=x, y=y),
        layer("first", "prefill").mark_line(strokeWidth=2.5).encode(x=x, y=y),
        layer("here", "ink").mark_point(size=120, filled=True, opacity=1).encode(x=x, y=y),
        text("label", align="right", dy=-12).encode(x=x, y=y),
    ).properties(height=280)
