"""What fewer bits free on Larkspur's server, and who then fits: memory, equal requests, Monday."""

from dataclasses import dataclass
from functools import cache, lru_cache

import altair as alt
import pandas as pd
import pyarrow as pa

from pages.ui import numbers
from pages.ui.batch_curve import monday_trace
from pages.ui.charts import Chart, layer, mark, marks_table, text
from pages.ui.kv_card import GB, parts_of, requests_that_fit
from pages.ui.served import server
from sim import MONDAY_TARGETS, Settings, pass_time, simulate

SERVED = (16, 8, 4, 3)
LONGEST = Settings().max_model_len
EDGE_GB = 41.0
MEANINGS = {"weights": "weights", "working room": "fixed", "KV": "KV"}
SO_FAR = 500  # tokens of the one customer whose pass is timed


@dataclass(frozen=True)
class Served:
    """Larkspur's server with its weights in so many bits: memory, equal requests, Monday, and one customer's pass."""

    bits: int
    weight_bytes: float
    kv_bytes: float
    longest_requests: int
    on_target: int
    most_at_once: int
    mean_first_token_s: float
    preemptions: int
    alone_s: float


@lru_cache(maxsize=len(SERVED))
def served(bits: int) -> Served:
    """Return what Larkspur's server gives with its weights in so many bits; all other settings as vLLM begins."""
    settings = Settings(weight_bits=bits)
    run = simulate(monday_trace(), server(), settings, MONDAY_TARGETS)
    told, parts = run.summary(), parts_of(server(), bits)
    return Served(
        bits,
        parts["weights"],
        parts["KV"],
        requests_that_fit(server(), bits),
        int(told["on_target"]),
        int((run.passes["decode_seqs"]).max()),
        float(told["ttft_mean_s"]),
        int(told["preemptions"]),
        float(pass_time(server().unit_costs(settings), 1.0, float(SO_FAR), 0.0).total_s),
    )


def gb(size_bytes: float, decimals: int = 1) -> str:
    """Return memory in GB of 1,024³ bytes with a decimal or more, so that what shrinks can be followed: 23.9 GB."""
    return f"{size_bytes / GB:.{decimals}f} GB"


def times_as_many() -> float:
    """Return how many times as much memory 4 bits leave for equal requests as 16 do."""
    return served(4).kv_bytes / served(16).kv_bytes


def title(bits: int) -> str:
    """Return a bar's title: what its pieces are, from left to right."""
    parts = parts_of(server(), bits)
    return f"{bits} bits: " + ", ".join(f"{part} {parts[part] / GB:.1f}" for part in MEANINGS) + " GB"


@cache
def seats_lanes() -> pa.Table:
    """Return a lane a width: what fills the server's memory, who fits, and Monday."""
    rows = []
    for lane, bits in enumerate(SERVED):
        one, start = served(bits), 0.0
        parts = parts_of(server(), bits)
        rows.append(mark(lane, "title", 0, label=title(bits)))
        for part in MEANINGS:
            rows.append(mark(lane, part, start, start + parts[part] / GB))
            start += parts[part] / GB
        rows.append(
            mark(lane, "fit", 0, label=f"{one.longest_requests} requests of {numbers.tokens(LONGEST)} fit")
        )
        rows.append(
            mark(lane, "monday", 0, label=f"Monday: {one.on_target} of {len(monday_trace())} on target")
        )
    return marks_table(rows)


def seats_table() -> pd.DataFrame:
    """Return a row a width: memory, equal requests, and Monday."""
    rows = [vars(served(bits)) for bits in SERVED]
    names = {
        "longest_requests": "longest_requests",
        "on_target": "monday_on_target_requests",
        "most_at_once": "monday_most_writing_requests",
        "mean_first_token_s": "monday_mean_first_token_s",
        "preemptions": "monday_preempted_repeats",
        "alone_s": "one_customer_pass_s",
    }
    return pd.DataFrame(rows).rename(columns=names)


@cache
def seats_alt() -> str:
    """Say what the chart of memory and seats shows."""
    said = "A bar of the server's 40 GB for each width. "
    for bits in SERVED:
        one = served(bits)
        said += (
            f"{bits} bits: weights {gb(one.weight_bytes)}, working room "
            f"{gb(parts_of(server(), bits)['working room'])}, KV {gb(one.kv_bytes)}, "
            f"{one.longest_requests} requests of {numbers.tokens(LONGEST)}, on Monday {one.on_target} of "
            f"{len(monday_trace())} on target. "
        )
    return said.strip()


def seats_chart() -> Chart:
    """Return the bars of the server's memory, a lane a width."""
    x = alt.X("x:Q", scale=alt.Scale(domain=[0, EDGE_GB]), title="GB of the server's memory")
    place = (x, alt.Y("lane:O", axis=None, scale=alt.Scale(paddingInner=0.8, paddingOuter=0.5)))
    bars = [
        layer(part, means).mark_bar().encode(*place, alt.X2("x_end:Q")) for part, means in MEANINGS.items()
    ]
    labels = [
        text("title", dy=-20, fontWeight=600),
        text("fit", dy=20),
        text("monday", dy=38),
    ]
    return alt.layer(*bars, *(label.encode(*place) for label in labels)).properties(height={"step": 96})
