"""Where a pass's time goes: what it fetches from memory, its arithmetic, and what hides under what."""

from functools import lru_cache

import altair as alt
import pandas as pd
import pyarrow as pa

from pages.ui import numbers
from pages.ui.charts import KEPT, Chart, Mark, layer, mark, marks_table, text
from pages.ui.served import costs
from sim import PassTime, pass_time, prompt_pairs


@lru_cache(maxsize=KEPT)
def parts_frame(prompt_tokens: int) -> pa.Table:
    """Return the parts of the pass that reads a prompt and of the first pass that writes after it."""
    read, write = two_passes(prompt_tokens)
    return marks_table(
        pass_marks(0, "The pass that reads", "prefill", read)
        + pass_marks(2, "A pass that writes", "decode", write)
    )


def two_passes(prompt_tokens: int) -> tuple[PassTime[float], PassTime[float]]:
    """Return the pass that reads a prompt, and the first pass that writes after it."""
    length = float(prompt_tokens)
    return (
        pass_time(costs(), length, length, prompt_pairs(0.0, length)),
        pass_time(costs(), 1.0, length + 1, 0.0),
    )


def pass_marks(lane: int, words: str, computes: str, time: PassTime[float]) -> list[Mark]:
    """Return where one pass's time goes, in percent of it: memory in `lane`, arithmetic in the next.

    The longer of the two runs from the end of the fixed part; the shorter is drawn where it hides under it.
    """
    percent = 100 / time.total_s
    memory_s = time.weight_read_s + time.kv_read_s
    shorter_at = time.fixed_s + max(memory_s, time.arithmetic_s) - time.hidden_s
    memory_at, compute_at = time.fixed_s, shorter_at
    if time.arithmetic_s > memory_s:
        memory_at, compute_at = shorter_at, time.fixed_s
    memory, compute = lane, lane + 1
    reads = f"weights {numbers.ms(time.weight_read_s)}, KV {numbers.ms(time.kv_read_s)}"
    spans = [
        (memory, "fixed", 0.0, time.fixed_s),
        (memory, "weights", memory_at, memory_at + time.weight_read_s),
        (memory, "KV", memory_at + time.weight_read_s, memory_at + memory_s),
        (compute, computes, compute_at, compute_at + time.arithmetic_s),
    ]
    return [
        mark(memory, "title", 0, label=f"{words}, {numbers.ms(time.total_s)} · from memory: {reads}"),
        mark(compute, "title", 0, label=f"arithmetic: {numbers.ms(time.arithmetic_s)}"),
        *(mark(row, kind, start * percent, end * percent) for row, kind, start, end in spans),
    ]


def parts_alt(prompt_tokens: int) -> str:
    """Say what the chart of a pass's parts shows now."""
    read, write = two_passes(prompt_tokens)
    return f"{said('The pass that reads', read)} {said('A pass that writes', write)}"


def parts_table(prompt_tokens: int) -> pd.DataFrame:
    """Return the parts of the two passes in milliseconds, a row a pass."""
    read, write = two_passes(prompt_tokens)
    parts = pd.DataFrame([vars(read), vars(write)], index=["reads the prompt", "writes a token"]) * 1e3
    return parts.rename(columns=lambda name: name.replace("_s", "_ms")).rename_axis("pass").reset_index()


def said(words: str, time: PassTime[float]) -> str:
    """Say where one pass's time goes."""
    memory_s = time.weight_read_s + time.kv_read_s
    return (
        f"{words} takes {time.total_s * 1e3:.1f} ms: fetching from memory {memory_s * 1e3:.1f} ms, arithmetic "
        f"{time.arithmetic_s * 1e3:.1f} ms, of which {time.hidden_s * 1e3:.1f} ms are hidden."
    )


def where_time_goes() -> Chart:
    """Return the bars of two passes: what each waits for, and what hides under what."""
    x = alt.X("start:Q", scale=alt.Scale(domain=[0, 100]), title="percent of the pass's time")
    x2 = alt.X2("end:Q")
    y = alt.Y("lane:O", axis=None, scale=alt.Scale(paddingInner=0.6, paddingOuter=0.5))
    meanings = {
        "fixed": "waiting",
        "weights": "weights",
        "KV": "KV",
        "prefill": "prefill",
        "decode": "decode",
    }
    bars = [layer(kind, meaning).mark_bar().encode(x=x, x2=x2, y=y) for kind, meaning in meanings.items()]
    return alt.layer(*bars, text("title", dy=-22).encode(x=x, y=y)).properties(height={"step": 62})
