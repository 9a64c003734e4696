"""Where the error of fewer bits sits: how far each layer's outputs move, rounded and with GPTQ."""

from functools import lru_cache

import altair as alt
import pandas as pd
import pyarrow as pa

from pages.ui import numbers
from pages.ui.bits_models import METHODS, errors
from pages.ui.charts import KEPT, Chart, layer, mark, marks_table, text

LOW, HIGH = 0.0005, 100.0  # percent
TITLE_DY = -15
PARTS = {
    "attn.c_attn": "attention, what it looks at",
    "attn.c_proj": "attention, what it passes on",
    "mlp.c_fc": "feed-forward, in",
    "mlp.c_proj": "feed-forward, out",
}


def words_of(name: str) -> str:
    """Return a linear layer's name in words: h.0.mlp.c_fc is layer 1: feed-forward, in."""
    _, number, part = name.split(".", 2)
    return f"layer {int(number) + 1}: {PARTS[part]}"


@lru_cache(maxsize=KEPT)
def layer_lanes(bits: int, scales: str) -> pa.Table:
    """Return a lane a linear layer: how far its outputs move by either method, in percent."""
    rows = []
    rounded, chosen = (errors(bits, method, scales) for method in ("rounded", "GPTQ"))
    for lane, (before, after) in enumerate(zip(rounded, chosen, strict=True)):
        rows += [
            mark(lane, "title", LOW, label=words_of(before.layer)),
            mark(lane, "between", 100 * after.outputs, 100 * before.outputs),
            mark(lane, "rounded", 100 * before.outputs),
            mark(lane, "GPTQ", 100 * after.outputs),
        ]
    rows += [
        mark(0, "rounded label", 100 * rounded[0].outputs, label="rounded"),
        mark(0, "GPTQ label", 100 * chosen[0].outputs, label="GPTQ"),
    ]
    return marks_table(rows)


def layer_table(bits: int, scales: str) -> pd.DataFrame:
    """Return a row a linear layer: squared change of its weights and of its outputs, in percent."""
    columns: dict[str, list[object]] = {
        "layer": [words_of(row.layer) for row in errors(bits, "GPTQ", scales)]
    }
    for method in METHODS:
        rows = errors(bits, method, scales)
        columns[f"{method.lower()}_weights_percent"] = [100 * row.weights for row in rows]
        columns[f"{method.lower()}_outputs_percent"] = [100 * row.outputs for row in rows]
    return pd.DataFrame(columns)


def worst(bits: int, method: str, scales: str) -> tuple[str, float]:
    """Return the layer whose outputs move most, in words, and by how much, in percent."""
    row = max(errors(bits, method, scales), key=lambda row: row.outputs)
    return words_of(row.layer), 100 * row.outputs


def mean_change(bits: int, method: str, scales: str, of: str) -> float:
    """Return the mean over all layers of how far `of` (weights or outputs) move, in percent."""
    shares: list[float] = [getattr(row, of) for row in errors(bits, method, scales)]
    return 100 * sum(shares) / len(shares)


@lru_cache(maxsize=KEPT)
def layer_alt(bits: int, scales: str) -> str:
    """Say what the chart of layers shows now."""
    (name, most), (other, chosen) = (worst(bits, method, scales) for method in ("rounded", "GPTQ"))
    return (
        f"How far the outputs of mini's layers move at {bits} bits, in percent of their squares, on a log scale. "
        f"Rounded at most {percent(most)} ({name}), with GPTQ at most {percent(chosen)} ({other})."
    )


def percent(value: float) -> str:
    """Return a percentage with two digits: 0.0017 %, 0.54 %, 12 %."""
    return numbers.percent(value / 100) if value >= 9.95 else f"{value:.2g} %"


def layer_chart() -> Chart:
    """Return the chart of layers: a lane each, on a log axis of percent."""
    x = alt.X(
        "x:Q",
        scale=alt.Scale(type="log", domain=[LOW, HIGH], clamp=True),
        axis=alt.Axis(values=[0.001, 0.01, 0.1, 1, 10, 100], format="~g"),
        title="change of a layer's outputs, % of their squares (log scale)",
    )
    place = (x, alt.Y("lane:O", axis=None, scale=alt.Scale(paddingInner=0.5, paddingOuter=0.6)))
    mini, whole = "Larkspur mini", alt.value(1)
    between = layer("between", mini).mark_rule(strokeWidth=2)
    drawn = [
        between.encode(*place, alt.X2("x_end:Q")),
        layer("rounded", mini).mark_point(size=80, filled=False, strokeWidth=2).encode(*place, opacity=whole),
        layer("GPTQ", mini).mark_point(size=80, filled=True).encode(*place, opacity=whole),
        text("title", dy=TITLE_DY, dx=4).encode(*place),
        text("rounded label", dx=9, fontWeight=600).encode(*place),
        text("GPTQ label", dx=-9, align="right", fontWeight=600).encode(*place),
    ]
    return alt.layer(*drawn).properties(height={"step": 42})
