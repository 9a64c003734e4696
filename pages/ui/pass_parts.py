"""Where a pass's time goes: what it fetches from memory, its arithmetic, and what hides under what."""

from functools import lru_cache

import altair as alt
import pandas as pd
import pyarrow as pa

from pages.ui import numbers
from pages.ui.charts import KEPT, Chart, Mark, layer, mark, marks_table, text
from pages.ui.served import costs
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
    """Return where one pass's time goes, in percent of it: memory in `lane`, arithmetic in the next.

    Both begin after the fixed part. Of the shorter, what hides is drawn pale under the longer; the rest
    comes on top of it.
    """
    percent, memory_s = 100 / time.total_s, time.weight_read_s + time.kv_read_s
    fetched = f"fetching: weights {numbers.brief(time.weight_read_s)}, KV {numbers.brief(time.kv_read_s)}"
    fetches = [("weights", time.weight_read_s), ("KV", time.kv_read_s)]
    bars = [mark(lane, "fixed", 0, time.fixed_s * percent)]
    for row, parts, is_longer in (
        (lane, fetches, memory_s >= time.arithmetic_s),
        (lane + 1, [(computes, time.arithmetic_s)], memory_s < time.arithmetic_s),
    ):
        bars += [
            mark(row, kind, at_s * percent, end_s * percent)
            for kind, at_s, end_s in spans(parts, is_longer, time)
        ]
    return [
        mark(lane, "title", 0, label=words),
        mark(lane, "part", 0, label=fetched),
        mark(lane + 1, "part", 0, label=f"arithmetic: {numbers.brief(time.arithmetic_s)}"),
        *bars,
    ]


def spans(
    parts: list[tuple[str, float]], is_longer: bool, time: PassTime[float]
) -> list[tuple[str, float, float]]:
    """Return the bars of one clock, in seconds: one after the other, cut where the hidden share of the shorter ends."""
    longer_s = max(time.weight_read_s + time.kv_read_s, time.arithmetic_s)
    hidden_s = longer_s if is_longer else time.hidden_s
    bars, done_s = [], 0.0
    for kind, part_s in parts:
        under_s = min(part_s, max(0.0, hidden_s - done_s))
        start_s = time.fixed_s + done_s
        bars.append((kind if is_longer else f"hidden {kind}", start_s, start_s + under_s))
        over_s = time.fixed_s + longer_s + max(0.0, done_s - hidden_s)
        bars.append((kind, over_s, over_s + part_s - under_s))
        done_s += part_s
    return [bar for bar in bars if bar[2] > bar[1]]


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
    x = alt.X("x:Q", scale=alt.Scale(domain=[0, 100]), title="percent of the pass's time")
    place = (x, alt.Y("lane:O", axis=None, scale=alt.Scale(paddingInner=0.68, paddingOuter=0.55)))
    bars = [layer(kind, meaning).mark_bar() for kind, meaning in MEANINGS.items()]
    pale = [
        layer(f"hidden {kind}", meaning).mark_bar(opacity=0.4)
        for kind, meaning in MEANINGS.items()
        if kind != "fixed"
    ]
    pale += [
        layer(f"hidden {kind}", meaning).mark_bar(filled=False, strokeWidth=1, strokeDash=[3, 3])
        for kind, meaning in MEANINGS.items()
        if kind != "fixed"
    ]
    labels = [text("title", dy=-34, fontWeight=600).encode(*place), text("part", dy=-17).encode(*place)]
    drawn = [bar.encode(*place, alt.X2("x_end:Q")) for bar in bars + pale]
    return alt.layer(*drawn, *labels).properties(height={"step": 64})
