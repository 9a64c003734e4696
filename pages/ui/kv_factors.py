"""One token's KV cache, built up factor by factor, and other models' beside it."""

from functools import lru_cache

import altair as alt
import pandas as pd
import pyarrow as pa

from pages.ui import numbers
from pages.ui.charts import Chart, layer, mark, marks_table, text
from pages.ui.served import server
from sim import MODEL_ENTRIES, ModelShape, Settings

NUMBER_BYTES = 2  # a number of 16 bits
# One or two of a kind: each with all heads, in groups, one for all heads, and one that caches a latent.
SHOWN = (
    "opt-13b",
    "llama-2-7b",
    "phi-3-mini-4k",
    "llama-2-70b",
    "llama-3.1-8b",
    "qwen2.5-7b",
    "deepseek-v2-lite",
    "falcon-7b",
)
EDGE_KB = 850.0
AXIS_KB = alt.Axis(values=list(range(0, 801, 200)))
FIRST_BYTES, LAST_BYTES = 1.0, 2.0**38


def factors() -> list[tuple[str, int]]:
    """Return the steps from one number to a whole request: what is added, and the factor."""
    model = server().model
    return [
        ("one number of 16 bits", NUMBER_BYTES),
        ("numbers of one key (the model's width)", model.num_kv_heads * model.head_dim),
        ("a key and a value", 2),
        ("layers, each with its own", model.num_layers),
        ("tokens: the longest request", Settings().max_model_len),
    ]


@lru_cache(maxsize=1)
def factor_lanes() -> pa.Table:
    """Return a lane a factor: from the bytes before it to the bytes after it."""
    rows, before = [], 1
    for lane, (words, factor) in enumerate(factors()):
        after = before * factor
        told = f"× {factor:,} {words}" if lane else words
        rows += [
            mark(lane, "title", 1, label=told),
            mark(lane, "span", before, after),
            mark(lane, "end", after),
            mark(lane, "size", after, label=numbers.memory(after)),
        ]
        before = after
    return marks_table(rows)


def factor_numbers() -> pd.DataFrame:
    """Return a row a factor and the bytes up to it."""
    table = pd.DataFrame(factors(), columns=["what", "factor"])
    return table.assign(so_far_bytes=table["factor"].cumprod())


@lru_cache(maxsize=1)
def factor_alt() -> str:
    """Say what the chart of factors shows."""
    table = factor_numbers()
    rows = zip(table["factor"], table["what"], table["so_far_bytes"], strict=True)
    steps = "; ".join(f"times {n:,} ({what}) is {numbers.memory(size)}" for n, what, size in list(rows)[1:])
    return f"Bytes of KV cache on a log axis. One number takes {NUMBER_BYTES} bytes; {steps}."


def kv_factors() -> Chart:
    """Return the steps of the factors on a log axis of bytes, where equal factors are equally long."""
    ticks = [1, 2**10, 2**20, 2**30]
    names = "{'1': '1 byte', '1024': '1 KB', '1048576': '1 MB', '1073741824': '1 GB'}[datum.value]"
    scale = alt.Scale(type="log", base=2, domain=[FIRST_BYTES, LAST_BYTES], nice=False)
    axis = alt.Axis(values=ticks, labelExpr=names)
    x = alt.X("x:Q", scale=scale, axis=axis, title="bytes of KV cache (log scale)")
    where = (x, alt.Y("lane:O", axis=None, scale=alt.Scale(paddingInner=0.2, paddingOuter=0.3)))
    return alt.layer(
        layer("span", "KV").mark_rule(strokeWidth=5).encode(*where, alt.X2("x_end:Q")),
        layer("end", "KV").mark_point(filled=True, size=110, opacity=1).encode(*where),
        text("title", dy=-19).encode(*where),
        text("size", dx=12, fontWeight=600).encode(*where),
    ).properties(height={"step": 52})


def shown_models() -> dict[str, ModelShape]:
    """Return the models that the chart shows, by key: those of `SHOWN` that the catalog holds, largest first."""
    held = {key: MODEL_ENTRIES[key].shape for key in SHOWN if key in MODEL_ENTRIES}
    return dict(sorted(held.items(), key=lambda item: -item[1].kv_bytes_per_token()))


def sharing(shape: ModelShape) -> str:
    """Say how a model's heads share what is cached (arXiv 1911.02150, 2305.13245, 2405.04434)."""
    if getattr(shape, "latent_dim", 0):
        return "latent: one short note for all heads"
    if shape.num_kv_heads == shape.num_heads:
        return f"multi-head: each of {shape.num_heads} heads its own"
    if shape.num_kv_heads == 1:
        return f"multi-query: one for {shape.num_heads} heads"
    return f"grouped: {shape.num_kv_heads} for {shape.num_heads} heads"


@lru_cache(maxsize=1)
def model_lanes() -> pa.Table:
    """Return a lane a model: a bar of the KB that a token's KV cache takes."""
    rows = []
    for lane, (key, shape) in enumerate(shown_models().items()):
        size = shape.kv_bytes_per_token()
        told = f"{MODEL_ENTRIES[key].name} · {numbers.memory(size)}"
        rows += [
            mark(lane, "title", 0, label=told),
            mark(lane, "how", 0, label=sharing(shape)),
            mark(lane, "size", 0, size / 2**10),
        ]
    return marks_table(rows)


def model_numbers() -> pd.DataFrame:
    """Return a row a model of the catalog: its shape and the bytes of KV cache that a token takes."""
    rows = [
        {
            "model": entry.name,
            "sharing": sharing(entry.shape).partition(":")[0],
            "layers": entry.shape.num_layers,
            "heads": entry.shape.num_heads,
            "kv_heads": entry.shape.num_kv_heads,
            "kv_bytes": entry.shape.kv_bytes_per_token(),
        }
        for entry in MODEL_ENTRIES.values()
    ]
    return pd.DataFrame(rows).sort_values("kv_bytes", ascending=False, ignore_index=True)


@lru_cache(maxsize=1)
def model_alt() -> str:
    """Say what the chart of models shows."""
    told = "; ".join(
        f"{MODEL_ENTRIES[key].name} {numbers.memory(shape.kv_bytes_per_token())} ({sharing(shape).partition(':')[0]})"
        for key, shape in shown_models().items()
    )
    return f"Bars of KV cache a token, by model: {told}."


def kv_models() -> Chart:
    """Return the bars of the models, in KB a token."""
    x = alt.X(
        "x:Q", scale=alt.Scale(domain=[0, EDGE_KB]), axis=AXIS_KB, title="KB of KV cache a token, at 16 bits"
    )
    where = (x, alt.Y("lane:O", axis=None, scale=alt.Scale(paddingInner=0.74, paddingOuter=0.6)))
    return alt.layer(
        layer("size", "KV").mark_bar().encode(*where, alt.X2("x_end:Q")),
        text("title", dy=-34, fontWeight=600).encode(*where),
        text("how", dy=-18).encode(*where),
    ).properties(height={"step": 62})
