"""What GPTQ's authors measured on large models, and their figure for ours weighed against who fits."""

from functools import cache

import altair as alt
import pandas as pd
import pyarrow as pa

from pages.ui.bits_seats import served
from pages.ui.charts import Chart, Mark, layer, marks_table, point, text
from sim import QUOTED

BITS = (16, 4, 3)
MODELS = {"opt-13b": "OPT-13B", "opt-175b": "OPT-175B"}
SHORT = {"opt-13b": "13B", "opt-175b": "175B"}  # for labels on a phone; the axis says OPT
METHODS = {"GPTQ": "gptq", "rounded": "rounded"}
LOW, HIGH = 5.0, 20_000.0
FIT_EDGE, LEAST, MOST = 21.0, 9.5, 12.5
BESIDE = {  # where labels stand from the last point, so that no line crosses them
    ("opt-13b", "GPTQ"): (14, -14),
    ("opt-13b", "rounded"): (-34, 2),
    ("opt-175b", "GPTQ"): (14, 14),
    ("opt-175b", "rounded"): (-12, -14),
}
WEIGHED = ((16, "GPTQ"), (4, "GPTQ"), (4, "rounded"), (3, "GPTQ"))
MANY_MS, FEW_MS = (QUOTED[f"gptq-opt-175b-{bits}-bit-latency"].value for bits in (16, 3))


def perplexity(model: str, bits: int, method: str) -> float:
    """Return the quoted perplexity on WikiText2; at 16 bits there is nothing to round."""
    way = "gptq" if bits == BITS[0] else METHODS[method]
    return QUOTED[f"{way}-{model}-{bits}-bit"].value


def more_percent(model: str, bits: int, method: str) -> float:
    """Return how much the quoted perplexity is above that at 16 bits, in percent."""
    return 100 * (perplexity(model, bits, method) / perplexity(model, BITS[0], method) - 1)


@cache
def quoted_marks() -> pa.Table:
    """Return both models' lines by both methods, with their values at 3 bits beside them."""
    rows: list[Mark] = []
    for model, name in SHORT.items():
        for method in METHODS:
            values = [perplexity(model, bits, method) for bits in BITS]
            rows += [
                (bits, f"{model} {method}", 0.0, 0.0, value, "")
                for bits, value in zip(BITS, values, strict=True)
            ]
            label = f"{name}, {method}: {values[-1]:,g}"
            rows.append((BITS[-1], f"{model} {method} label", 0.0, 0.0, values[-1], label))
    return marks_table(rows)


def quoted_table() -> pd.DataFrame:
    """Return a row a model and width: quoted perplexities by both methods."""
    return pd.DataFrame(
        {
            "model": name,
            "bits": bits,
            "gptq_perplexity": perplexity(model, bits, "GPTQ"),
            "rounded_perplexity": perplexity(model, bits, "rounded"),
        }
        for model, name in MODELS.items()
        for bits in BITS
    )


@cache
def quoted_alt() -> str:
    """Say what the chart of quoted perplexities shows."""
    said = "Quoted perplexity on WikiText2, log scale, at 16, 4 and 3 bits."
    for model, name in MODELS.items():
        for method in METHODS:
            values = ", ".join(f"{perplexity(model, bits, method):,g}" for bits in BITS)
            said += f" {name}, {method}: {values}."
    return said


def quoted_chart() -> Chart:
    """Return the chart of quoted perplexities."""
    x = alt.X(
        "lane:O",
        scale=alt.Scale(domain=list(BITS)),
        axis=alt.Axis(labelAngle=0),
        title="bits for each weight",
    )
    y = alt.Y(
        "y:Q",
        scale=alt.Scale(type="log", domain=[LOW, HIGH]),
        axis=alt.Axis(values=[10, 100, 1000, 10_000], format=",d"),
        title="perplexity (log scale)",
    )
    drawn = []
    for model, meaning in (("opt-13b", "ink"), ("opt-175b", "waiting")):
        for method, dash in (("GPTQ", [1, 0]), ("rounded", [5, 4])):
            dots = alt.OverlayMarkDef(size=55, filled=method == "GPTQ", aria=False)
            line = layer(f"{model} {method}", meaning).mark_line(strokeWidth=2, strokeDash=dash, point=dots)
            across, down = BESIDE[model, method]
            label = text(f"{model} {method} label", align="right", dx=across, dy=down)
            drawn += [line.encode(x=x, y=y), label.encode(x=x, y=y)]
    return alt.layer(*drawn).properties(height=320)


@cache
def weighed_marks() -> pa.Table:
    """Return a dot a way to store OPT-13B: requests that fit (simulated) over quoted perplexity."""
    rows = []
    for bits, method in WEIGHED:
        one, value = served(bits), perplexity("opt-13b", bits, method)
        name = f"{bits} bits" if bits == BITS[0] else f"{bits} bits, {method}"
        kind = "rounded" if method == "rounded" else "kept"
        side = "below" if bits == BITS[0] else "left"
        rows.append(point(kind, one.longest_requests, value))
        rows.append(point(f"label {side}", one.longest_requests, value, f"{name}: {one.on_target} on target"))
    return marks_table(rows)


def weighed_table() -> pd.DataFrame:
    """Return a row a way to store OPT-13B: what it costs in perplexity and who fits."""
    return pd.DataFrame(
        {
            "bits": bits,
            "method": method if bits != BITS[0] else "as published",
            "opt_13b_perplexity": perplexity("opt-13b", bits, method),
            "longest_requests": served(bits).longest_requests,
            "monday_on_target_requests": served(bits).on_target,
            "one_customer_pass_s": served(bits).alone_s,
        }
        for bits, method in WEIGHED
    )


@cache
def weighed_alt() -> str:
    """Say what the chart that weighs bits shows."""
    said = "Requests of the longest length that fit at once (simulated) over OPT-13B's perplexity (quoted)."
    for bits, method in WEIGHED:
        one = served(bits)
        said += (
            f" {bits} bits{'' if bits == BITS[0] else ', ' + method}: {one.longest_requests} fit, perplexity "
            f"{perplexity('opt-13b', bits, method):g}, {one.on_target} on target on Monday."
        )
    return said


def weighed_chart() -> Chart:
    """Return the chart that weighs quality against customers."""
    x = alt.X("x:Q", scale=alt.Scale(domain=[0, FIT_EDGE]), title="requests of 2,048 tokens that fit at once")
    y = alt.Y(
        "y:Q",
        scale=alt.Scale(domain=[LEAST, MOST], zero=False),
        title="OPT-13B's perplexity",
    )
    whole = alt.value(1)
    drawn = [
        layer("kept", "ink").mark_point(size=90, filled=True).encode(x=x, y=y, opacity=whole),
        layer("rounded", "ink")
        .mark_point(size=90, filled=False, strokeWidth=2)
        .encode(x=x, y=y, opacity=whole),
        text("label below", align="center", dy=16).encode(x=x, y=y),
        text("label left", dx=-10, align="right").encode(x=x, y=y),
    ]
    return alt.layer(*drawn).properties(height=260)
