"""One pass by four sources: the unit costs assumed here, two published sets for the same model and card, a roofline."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from types import MappingProxyType
from typing import Literal

import altair as alt
import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from pages.ui.charts import Chart, Mark, layer, marks_table, point, text
from pages.ui.served import costs, server
from sim import MEASURED_PASSES, Assumptions, Settings, UnitCosts, pass_time, prompt_pairs
from sim.arrays import Seconds
from sim.recorded import RECORDED_RUNS

Does = Literal["reads", "writes"]
LONGEST = Settings().max_model_len
TEXT_SO_FAR = 512  # tokens of each customer's text while a batch writes
TOKENS: Mapping[Does, npt.NDArray[np.float64]] = MappingProxyType(
    {"reads": np.linspace(1, LONGEST, 65).round(), "writes": np.arange(1.0, 129.0)}
)
EDGE_MS: Mapping[Does, int] = MappingProxyType({"reads": 400, "writes": 80})
ASSUMED, ROOFLINE = "assumed here", "roofline"
KINDS = {ASSUMED: "assumed", ROOFLINE: "roofline", "DistServe 2024": "engine", "vLLM 2023": "vllm"}
PUBLISHED = {"DistServe 2024": "distserve-engine", "vLLM 2023": "vllm-engine-2023"}
DASHES = {"assumed": [1, 0], "roofline": [2, 3], "engine": [7, 3], "vllm": [7, 3, 2, 3]}
MEANING: Mapping[Does, str] = MappingProxyType({"reads": "prefill", "writes": "decode"})


@dataclass(frozen=True)
class Gap:
    """How the assumed time of a pass stands to a published one, at its lowest and highest: 0.1 is 10 % more."""

    low: float
    high: float


@cache
def roofline() -> UnitCosts:
    """Return what work costs at all of the card's bandwidth and arithmetic, the shorter hidden completely."""
    best = Assumptions(bandwidth_share=1.0, flops_share=1.0, overhead_s=0.0, overlap=1.0)
    return replace(server(), assumptions=best).unit_costs(Settings())


def counted_s(unit: UnitCosts, does: Does) -> Seconds:
    """Return the seconds of a pass at each number of tokens, [n_tokens], from counted work."""
    tokens = TOKENS[does]
    if does == "reads":
        return pass_time(unit, tokens, tokens, prompt_pairs(0 * tokens, tokens)).total_s
    return pass_time(unit, tokens, tokens * TEXT_SO_FAR, 0 * tokens).total_s


def published_s(key: str, does: Does) -> Seconds:
    """Return the seconds of a pass at each number of tokens, [n_tokens], by a published fit."""
    fit, tokens = MEASURED_PASSES[key], TOKENS[does]
    if does == "reads":
        return np.array([fit.prefill_s(int(each)) for each in tokens])
    return np.array([fit.decode_s(int(each), int(each) * TEXT_SO_FAR) for each in tokens])


@cache
def times_s(does: Does) -> Mapping[str, Seconds]:
    """Return the seconds of a pass at each number of tokens, by source."""
    counted = {ASSUMED: counted_s(costs(), does), ROOFLINE: counted_s(roofline(), does)}
    published = {name: published_s(key, does) for name, key in PUBLISHED.items()}
    return MappingProxyType(counted | published)


def gap(name: str, does: Does) -> Gap:
    """Return how the assumed time stands to that of another source over the chart."""
    shares = times_s(does)[ASSUMED] / times_s(does)[name] - 1
    return Gap(float(shares.min()), float(shares.max()))


def apart_share(does: Does) -> float:
    """Return by which share of the shorter time the two published ones differ, at most."""
    engine_s, vllm_s = (times_s(does)[name] for name in PUBLISHED)
    return float((vllm_s / engine_s - 1).max())


@cache
def lines(does: Does) -> pa.Table:
    """Return a line a source, and its name at the end."""
    return marks_table(list(_marks(does)))


def _marks(does: Does) -> Iterator[Mark]:
    for name, seconds in times_s(does).items():
        kind = KINDS[name]
        yield from (point(kind, *place) for place in zip(TOKENS[does], seconds * 1e3, strict=True))
        yield point(f"{kind} label", TOKENS[does][-1], seconds[-1] * 1e3, name)


def unit_costs() -> pd.DataFrame:
    """Return a row a kind of work: its microseconds as assumed, by the roofline, as published, and as fitted.

    The last column is of another model on another card, so that only its order of size compares.
    """
    published = [MEASURED_PASSES[key] for key in PUBLISHED.values()]
    fitted = RECORDED_RUNS["vllm-rtx4090"].fitted
    sources = (costs(), roofline())
    rows = {
        "fixed part and weights, of a pass that reads": [
            *((one.pass_s + (1 - one.overlap) * one.weight_s) for one in sources),
            *(one.prefill_ms[0] / 1e3 for one in published),
            fitted.pass_s,
        ],
        "fixed part and weights, of a pass that writes": [
            *((one.pass_s + one.weight_s) for one in sources),
            *(one.decode_ms[0] / 1e3 for one in published),
            fitted.pass_s,
        ],
        "a token of a prompt": [
            *(one.token_s for one in sources),
            *(one.prefill_ms[1] / 1e3 for one in published),
            fitted.token_s,
        ],
        "a pair of prompt tokens": [
            *(one.pair_s for one in sources),
            *(2 * one.prefill_ms[2] / 1e3 for one in published),
            fitted.pair_s,
        ],
        "a KV token fetched": [
            *(one.kv_token_s for one in sources),
            *(one.decode_ms[1] / 1e3 for one in published),
            fitted.kv_token_s,
        ],
    }
    columns = [*(f"{kind}_us" for kind in KINDS.values()), "other_model_and_card_us"]
    table = pd.DataFrame.from_dict(rows, orient="index", columns=columns) * 1e6
    return table.rename_axis("what").reset_index()


def numbers_of(does: Does) -> pd.DataFrame:
    """Return a row a number of tokens: the milliseconds of a pass by each source."""
    what = "prompt_tokens" if does == "reads" else "customers"
    columns = {f"{kind}_ms": times_s(does)[name] * 1e3 for name, kind in KINDS.items()}
    return pd.DataFrame({what: TOKENS[does].astype(np.int64)} | columns)


@cache
def alt_of(does: Does) -> str:
    """Say what the chart of one kind of pass shows."""
    first, last = TOKENS[does][[0, -1]]
    of = "reads one prompt" if does == "reads" else f"writes for a batch, {TEXT_SO_FAR} tokens of text each"
    told = [
        f"{name} from {seconds[0] * 1e3:.0f} to {seconds[-1] * 1e3:.0f} ms"
        for name, seconds in times_s(does).items()
    ]
    return f"Time of a pass that {of}, from {first:,.0f} to {last:,.0f} tokens: {'; '.join(told)}."


def _chart(does: Does, title: str, ticks: tuple[int, ...], label_dy: Mapping[str, int]) -> Chart:
    room = alt.Scale(domain=[0, TOKENS[does][-1] * 1.5], nice=False)  # for the names at the ends
    x = alt.X("x:Q", scale=room, title=title, axis=alt.Axis(values=list(ticks), labelFlush=True))
    y = alt.Y("y:Q", scale=alt.Scale(domain=[0, EDGE_MS[does]]), title="milliseconds a pass")
    drawn = []
    for kind, dash in DASHES.items():
        meaning = MEANING[does] if kind == "assumed" else "ink"
        drawn.append(layer(kind, meaning).mark_line(strokeWidth=2.5, strokeDash=dash).encode(x=x, y=y))
        drawn.append(text(f"{kind} label", dx=6, dy=label_dy[kind]).encode(x=x, y=y))
    return alt.layer(*drawn).properties(height=300)


def reads_chart() -> Chart:
    """Return the chart of a pass that reads one prompt."""
    label_dy = {"assumed": 6, "roofline": 0, "engine": 0, "vllm": -7}
    return _chart("reads", "tokens of the prompt", (0, 500, 1000, 1500, 2000), label_dy)


def writes_chart() -> Chart:
    """Return the chart of a pass that writes a token for each customer of a batch."""
    label_dy = {"assumed": 2, "roofline": 0, "engine": 6, "vllm": -8}
    return _chart("writes", "customers in the batch", (0, 32, 64, 96, 128), label_dy)
