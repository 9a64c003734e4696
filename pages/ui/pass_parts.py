"""Where a pass's time goes: what it fetches from memory, its arithmetic, and what hides under what."""

from functools import lru_cache

import altair as alt
import pandas as pd
import pyarrow as pa

from pages.ui import numbers
from pages.ui.charts import KEPT, Chart, Mark, layer, mark, marks_table, text
from pages.ui.served import costs
from pages.ui.timeline import EDGE_MS
from sim import PassTime, pass_time, prompt_pairs

MEANINGS = {"fixed": "fixed", "weights": "weights", "KV": "KV", "prefill": "prefill", "decode": "decode"}


def two_passes(prompt_tokens: int) -> tuple[PassTime[float], PassTime[float]]:
    """Return, in seconds, the pass that reads a prompt, and the first pass that writes after it."""
    length = float(prompt_tokens)
    return (
        pass_time(costs(), length, length, prompt_pairs(0.0, length)),
        pass_time(costs(), 1.0, length + 1, 0.0),
    )


@lru_cache(maxsize=KEPT)
def parts_lanes(prompt_tokens: int) -> pa.Table:
    """Return the parts of the pass that reads a prompt and of the first pass that writes after it."""
    read, write = two_passes(prompt_tokens)
    reads = pass_lanes(0, f"The pass that reads: {numbers.ms(read.total_s)}", "prefill", read)
    return marks_table(
        reads + pass_lanes(2, f"A pass that writes: {numbers.ms(write.total_s)}", "decode", write)
    )


def pass_lanes(lane: int, words: str, computes: str, time: PassTime[float]) -> list[Mark]:
    """Return where one pass's time goes, in milliseconds: memory in `lane`, arithmetic in the next.

    The longer of the two runs from the end of the fixed part; the shorter is drawn where it hides under it.
    """
    memory_s = time.weight_read_s + time.kv_read_s
    shorter_at = time.fixed_s + max(memory_s, time.arithmetic_s) - time.hidden_s
    memory_at, compute_at = time.fixed_s, shorter_at
    if time.arithmetic_s > memory_s:
        memory_at, compute_at = shorter_at, time.fixed_s
    fetched = f"fetching: weights {numbers.brief(time.weight_read_s)}, KV {numbers.brief(time.kv_read_s)}"
    spans = [
        (lane, "fixed", 0.0, time.fixed_s),
        (lane, "weights", memory_at, memory_at + time.weight_read_s),
        (lane, "KV", memory_at + time.weight_read_s, memory_at + memory_s),
        (lane + 1, computes, compute_at, compute_at + time.arithmetic_s),
    ]
    return [
        mark(lane, "title", 0, label=words),
        mark(lane, "part", 0, label=fetched),
        mark(lane + 1, "part", 0, label=f"arithmetic: {numbers.brief(time.arithmetic_s)}"),
        *(mark(row, kind, start_s * 1e3, end_s * 1e3) for row, kind, start_s, end_s in spans),
    ]


def parts_numbers(prompt_tokens: int) -> pd.DataFrame:
    """Return the parts of the two passes in milliseconds, a row a pass."""
    read, write = two_passes(prompt_tokens)
    parts = pd.DataFrame([vars(read), vars(write)], index=["reads the prompt", "writes a token"]) * 1e3
    return (
        parts.rename(columns=lambda name: f"{name.removesuffix('_s')}_ms").rename_axis("pass").reset_index()
    )


def parts_alt(prompt_tokens: int) -> str:
    """Say what the chart of a pass's parts shows now."""
    read, write = two_passes(prompt_tokens)
    return f"{said('The pass that reads', read)} {said('A pass that writes', write)}"


def said(words: str, time: PassTime[float]) -> str:
    """Say where one pass's time goes."""
    memory_s = time.weight_read_s + time.kv_read_s
    return (
        f"{words} takes {numbers.ms(time.total_s)}: a fixed part of {numbers.brief(time.fixed_s)}, fetching from "
        f"memory {numbers.brief(memory_s)}, arithmetic {numbers.brief(time.arithmetic_s)}, of which "
        f"{numbers.brief(time.hidden_s)} are hidden."
    )


def where_time_goes() -> Chart:
    """Return the bars of two passes: what each waits for, and what hides under what."""
    x = alt.X("x:Q", scale=alt.Scale(domain=[0, EDGE_MS]), title="milliseconds of the pass")
    place = (x, alt.Y("lane:O", axis=None, scale=alt.Scale(paddingInner=0.68, paddingOuter=0.55)))
    bars = [
        layer(kind, meaning).mark_bar().encode(*place, alt.X2("x_end:Q"))
        for kind, meaning in MEANINGS.items()
    ]
    labels = [text("title", dy=-34, fontWeight=600).encode(*place), text("part", dy=-17).encode(*place)]
    return alt.layer(*bars, *labels).properties(height={"step": 64})
