"""What fills a card: the weights, room to work in, and what remains for the KV cache; several cards, three sizes."""

from functools import lru_cache

import altair as alt
import pandas as pd
import pyarrow as pa

from pages.ui import numbers
from pages.ui.charts import KEPT, Chart, Mark, layer, mark, marks_table, text
from pages.ui.monday_memory import settings
from pages.ui.served import server
from sim import ACCELERATOR_ENTRIES, Server, Settings
from sim.memory import blocks_needed

CARDS = ("l4-24gb", "a100-40gb", "l40s-48gb", "a100-80gb", "h200-141gb")
WEIGHT_BITS = ("16", "8", "4")
EDGE_GB, GB = 144.0, 2**30
MEANINGS = {"weights": "weights", "working room": "fixed", "KV": "KV"}
TITLE_DY, PART_DY = -34, -18


def servers() -> dict[str, Server]:
    """Return Larkspur's server, and the same model with each card all to itself, by name."""
    model = server().model
    share, card = numbers.percent(server().gpu_memory_utilization), ACCELERATOR_ENTRIES["a100-80gb"].name
    ours = f"Larkspur's: {share} of an {card}"
    alone = {
        ACCELERATOR_ENTRIES[key].name: Server(
            model, ACCELERATOR_ENTRIES[key].accelerator, gpu_memory_utilization=1.0
        )
        for key in CARDS
    }
    return {ours: server()} | alone


def parts_of(one: Server, weight_bits: int) -> dict[str, float]:
    """Return the bytes of a card by what they are for; where the weights do not fit nothing is left for KV."""
    total = one.accelerator.memory_bytes
    served = total * one.gpu_memory_utilization
    weights = min(one.model.weight_bytes(weight_bits), served)
    room = min(one.assumptions.activation_bytes, served - weights)
    return {
        "kept": total - served,
        "weights": weights,
        "working room": room,
        "KV": served - weights - room,
    }


def requests_that_fit(one: Server, weight_bits: int) -> int:
    """Return how many requests fit when each is promised the longest length in one piece."""
    blocks = one.num_blocks(Settings(weight_bits=weight_bits))
    return blocks // blocks_needed(1, 1, settings("Max"))


def gb(size_bytes: float) -> str:
    """Return memory in GB with one decimal, so that the parts of a card add up as printed: 23.9."""
    return f"{size_bytes / GB:.1f}"


@lru_cache(maxsize=KEPT)
def card_lanes(weight_bits: int, is_revealed: bool) -> pa.Table:
    """Return a lane a card: what fills it; how many requests fit only when revealed."""
    rows: list[Mark] = []
    for lane, (name, one) in enumerate(servers().items()):
        rows += card_lane(lane, name, one, weight_bits, is_revealed)
    return marks_table(rows)


def card_lane(lane: int, name: str, one: Server, weight_bits: int, is_revealed: bool) -> list[Mark]:
    """Return one card's marks, in GB."""
    parts, start, rows = parts_of(one, weight_bits), 0.0, [mark(lane, "title", 0, label=name)]
    for part in ("weights", "working room", "KV", "kept"):
        end = start + parts[part] / GB
        if end > start:
            rows.append(mark(lane, part, start, end))
        start = end
    told = (
        f"weights {gb(parts['weights'])} · room to work {gb(parts['working room'])} · KV {gb(parts['KV'])} GB"
    )
    if parts["KV"] <= 0:
        told = "too small: the weights leave no room"
    elif is_revealed:
        told += f": {requests_that_fit(one, weight_bits)} requests"
    return [*rows, mark(lane, "part", 0, label=told)]


def card_numbers(weight_bits: int, is_revealed: bool) -> pd.DataFrame:
    """Return a row a card: bytes by what they are for, and how many requests fit when revealed."""
    rows = []
    for name, one in servers().items():
        parts = parts_of(one, weight_bits)
        row = {
            "card": name,
            "weights_bytes": parts["weights"],
            "room_to_work_bytes": parts["working room"],
            "kv_bytes": parts["KV"],
            "kept_for_others_bytes": parts["kept"],
        }
        if is_revealed:
            row["longest_requests"] = requests_that_fit(one, weight_bits)
        rows.append(row)
    return pd.DataFrame(rows)


@lru_cache(maxsize=KEPT)
def card_alt(weight_bits: int, is_revealed: bool) -> str:
    """Say what the bars of the cards show now."""
    told = f"A bar a card, in GB, with OPT-13B's weights at {weight_bits} bits."
    for name, one in servers().items():
        parts = parts_of(one, weight_bits)
        told += f" {name}: weights {gb(parts['weights'])}, KV {gb(parts['KV'])}"
        told += f", {requests_that_fit(one, weight_bits)} requests." if is_revealed else "."
    return told


def cards() -> Chart:
    """Return the bars of the cards, in GB of 1,024."""
    x = alt.X("x:Q", scale=alt.Scale(domain=[0, EDGE_GB]), title="GB of the card's memory")
    where = (x, alt.Y("lane:O", axis=None, scale=alt.Scale(paddingInner=0.7, paddingOuter=0.55)))
    bars = [
        layer(part, means).mark_bar().encode(*where, alt.X2("x_end:Q")) for part, means in MEANINGS.items()
    ]
    index = layer("kept", "waiting").mark_bar(filled=False, strokeDash=[4, 4])
    labels = [text("title", dy=TITLE_DY, fontWeight=600), text("part", dy=PART_DY)]
    return alt.layer(
        *bars, index.encode(*where, alt.X2("x_end:Q")), *(label.encode(*where) for label in labels)
    ).properties(height={"step": 64})
