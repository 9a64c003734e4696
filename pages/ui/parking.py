"""The car park: the card as one bar, and Monday's customers in its KV blocks, reserved above and paged below."""

from functools import lru_cache
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
import pyarrow as pa

from pages.ui import numbers
from pages.ui.charts import KEPT, Chart, columns, layer, table, text
from pages.ui.kv_card import parts_of
from pages.ui.monday_memory import EDGE_S, Held, held_at, most_seated, num_blocks
from pages.ui.parked import ROW, Strip, promised_strips, stays, strips
from pages.ui.served import server
from sim import Settings, monday, monday_table

STEP_S, FIRST_S, EVER_S = 0.1, 5.0, 1e6
ROWS = -(-num_blocks() // ROW)
CARD_Y, TOP_Y, HEAD, GAP = 1.2, 4.8, 3.4, 1.4  # in rows
UNIT_PX, LABEL_PX = 12, 11
HOLLOW = 0.22  # how strongly what is promised and hollow is tinted
PANEL = HEAD + ROWS + GAP
HEIGHT = TOP_Y + 2 * PANEL - GAP + 0.2
SCHEMA = columns("kind", "x", "x_end", "y", "y_end", "from_s", "to_s", "shade", "label", "customer")
TITLES = {
    "Max": "Reserved: the longest, in one piece",
    "Pow2": "Reserved: reply rounded up, one piece",
    "exact": "Reserved: exact length, one piece",
    "paged": "Paged: block by block",
}
Place = tuple[str, float, float, float, float, float, float, float, str, str]


def place(
    kind: str,
    x: tuple[float, float],
    y: tuple[float, float],
    when: tuple[float, float] = (0.0, EVER_S),
    shade: float = 1.0,
    label: str = "",
    customer: str = "",
) -> Place:
    """Return a row of the car park: what stands from x to x and y to y, from when to when."""
    return (kind, float(x[0]), float(x[1]), float(y[0]), float(y[1]), *when, shade, label, customer)


@lru_cache(maxsize=KEPT)
def car_park(reserved: str, is_revealed: bool) -> pa.Table:
    """Return the card, Monday under the layout `reserved`, and Monday paged.

    Until it is revealed the place of the longest reservation is empty.
    """
    rows = card_bar()
    for layout, top in ((reserved, TOP_Y), ("paged", TOP_Y + PANEL)):
        rows += panel(layout, top)
        if layout == "Max" and not is_revealed:
            rows.append(place("note", (0, 0), (top + HEAD + 1, top + HEAD + 2), label="?"))
        else:
            rows += parked(layout, top + HEAD) + counted(layout, top)
    return table(rows, SCHEMA)


def card_bar() -> list[Place]:
    """Return the whole card as one bar, in the width of the car park."""
    parts, scale = parts_of(server(), 16), ROW / server().accelerator.memory_bytes
    order = ("kept", "weights", "working room", "KV")
    ends = np.cumsum([parts[name] for name in order]) * scale
    starts = np.append(0.0, ends[:-1])
    bar = (CARD_Y, CARD_Y + 1.6)
    rows = [place(f"card {name}", (a, b), bar) for name, a, b in zip(order, starts, ends, strict=True)]
    for name, words, at in (
        ("kept", "search index", starts[0]),
        ("weights", "weights", starts[1]),
    ):
        rows.append(place("part", (at, at), (0.5, 0.5), label=f"{words} {numbers.memory(parts[name])}"))
    told = f"KV {numbers.memory(parts['KV'])}"
    rows.append(place("part right", (ROW, ROW), (0.5, 0.5), label=told))
    told = f"room to work {numbers.memory(parts['working room'])}"
    return [*rows, place("part right", (ends[2], ends[2]), (CARD_Y + 2.2, CARD_Y + 2.2), label=told)]


def panel(layout: str, top: float) -> list[Place]:
    """Return a layout's title and its empty blocks: lines around them."""
    y, end = top + HEAD, top + HEAD + ROWS
    last = num_blocks() - ROW * (ROWS - 1)  # blocks in the last row
    lines = [place("line", (0, ROW if row < ROWS else last), (y + row, y + row)) for row in range(ROWS + 1)]
    lines += [place("line", (x, x), (y, end - (x > last))) for x in range(ROW + 1)]
    return [*lines, place("title", (0, 0), (top + 0.5, top + 0.5), label=TITLES[layout])]


def parked(layout: str, top: float) -> list[Place]:
    """Return what each customer holds: promised blocks as outlines, filled ones as strips, and its topic."""
    rows, topics = [], monday_table()["topic"]
    for stay in stays(layout):
        customer = f"{stay.request + 1} · {topics[stay.request]}"
        who = {"shade": 0.45 + 0.2 * (stay.request % 2), "customer": customer}
        filled, promised = strips(stay.filled), promised_strips(stay)
        rows += [strip("promised", one, top, stay.to_s, **who) for one in promised]
        rows += [strip("held", one, top, stay.to_s, **who) for one in filled]
        named = max(promised or filled, key=lambda one: one.end - one.first)
        rows.append(strip("topic", named, top, stay.to_s, label=customer))
    return rows


def strip(kind: str, one: Strip, top: float, to_s: float, **more: Any) -> Place:
    """Return a strip of blocks as a row of the car park."""
    y = top + one.row
    return place(kind, (one.first, one.end), (y, y + one.rows), (one.from_s, to_s), **more)


def counted(layout: str, top: float) -> list[Place]:
    """Return, for every step of the scrubber, how many are seated, wait, and how full the memory is."""
    at_s = moments_s()
    held = held_at(layout, at_s)
    share = held.tokens.sum(axis=0) / (num_blocks() * Settings().block_size)
    rows = []
    for now, seated, waiting, used in zip(at_s, held.seated, held.waiting, share, strict=True):
        when = (now - STEP_S / 2, now + STEP_S / 2)
        y = (top + 2.2, top + 2.2)
        told = f"seated · {waiting} waiting · {numbers.percent(used)} of the memory holds text"
        rows.append(place("count", (0, 0), y, when, label=str(seated)))
        rows.append(place("status", (0, 0), y, when, label=told))
    return rows


def moments_s() -> "np.ndarray[Any, np.dtype[np.float64]]":
    """Return the moments at which the scrubber can stand."""
    return np.round(np.arange(0, EDGE_S + STEP_S / 2, STEP_S), 6)


def parking_numbers(reserved: str, is_revealed: bool) -> pd.DataFrame:
    """Return seats, waiting, and the share of the memory that holds text, for both layouts and every moment."""
    at_s = moments_s()
    table = pd.DataFrame({"at_s": at_s})
    for layout in (reserved, "paged"):
        if layout == "Max" and not is_revealed:
            continue
        held: Held = held_at(layout, at_s)
        table[f"{layout.lower()}_seated_requests"] = held.seated
        table[f"{layout.lower()}_waiting_requests"] = held.waiting
        table[f"{layout.lower()}_held_blocks"] = held.blocks.sum(axis=0)
        table[f"{layout.lower()}_held_tokens"] = held.tokens.sum(axis=0)
    return table


@lru_cache(maxsize=KEPT)
def parking_alt(reserved: str, is_revealed: bool) -> str:
    """Say what the car park shows now."""
    parts = parts_of(server(), 16)
    told = (
        f"The card as a bar: search index {numbers.memory(parts['kept'])}, weights "
        f"{numbers.memory(parts['weights'])}, KV cache {numbers.memory(parts['KV'])}. Below, its {num_blocks()} blocks "
        f"twice, with the {len(monday())} customers of Monday, and a slider through {EDGE_S:.0f} seconds. "
    )
    for layout in (reserved, "paged"):
        if layout == "Max" and not is_revealed:
            told += "The reserved place is empty until you guess. "
            continue
        held = held_at(layout, np.array([FIRST_S]))
        told += (
            f"{TITLES[layout]}: {held.seated[0]} seated and {held.waiting[0]} waiting at {FIRST_S:.0f} s, "
            f"at most {most_seated(layout)} seated. "
        )
    return told.strip()


def parking() -> Chart:
    """Return the car park; the slider inside it moves through Monday."""
    slider = alt.binding_range(min=0, max=EDGE_S, step=STEP_S, name="Move through Monday's rush (s) ")
    at = alt.param(name="at_s", value=FIRST_S, bind=slider)
    layers = [*card_layers(), *block_layers(), *word_layers()]
    return alt.layer(*layers).add_params(at).properties(height=round(HEIGHT * UNIT_PX))


def boxes() -> dict[str, Any]:
    """Return the encoding of a box."""
    title = f"a row is {ROW} blocks of {Settings().block_size} tokens"
    axis = alt.Axis(labels=False, ticks=False, grid=False, domain=False)
    return {
        "x": alt.X("x:Q", scale=alt.Scale(domain=[0, ROW], nice=False), title=title, axis=axis),
        "x2": alt.X2("x_end:Q"),
        "y": alt.Y("y:Q", scale=alt.Scale(domain=[HEIGHT, 0], nice=False), axis=None),
        "y2": alt.Y2("y_end:Q"),
    }


def spots() -> dict[str, Any]:
    """Return the encoding of a label: where a box begins."""
    return {name: encoding for name, encoding in boxes().items() if name in ("x", "y")}


def now(chart: alt.Chart) -> alt.Chart:
    """Keep what stands at the moment of the scrubber."""
    kept: alt.Chart = chart.transform_filter("datum.from_s <= at_s && at_s < datum.to_s")
    return kept


def card_layers() -> list[alt.Chart]:
    """Return the bar of the whole card."""
    meanings = {"weights": "weights", "working room": "fixed", "KV": "KV"}
    bars = [layer(f"card {name}", means).mark_rect().encode(**boxes()) for name, means in meanings.items()]
    index = layer("card kept", "waiting").mark_rect(filled=False, strokeDash=[4, 4])
    return [*bars, index.encode(**boxes())]


def block_layers() -> list[alt.Chart]:
    """Return what is promised (tinted) and held, the lines between blocks above it, and the promises' edges."""
    held, promised = now(layer("held", "KV")), now(layer("promised", "KV"))
    shade = alt.Opacity("shade:Q", scale=None)
    tooltip = alt.Tooltip("customer:N", title="customer")
    lines = layer("line", "free").mark_rule(strokeWidth=1)
    return [
        promised.mark_rect(opacity=HOLLOW).encode(**boxes(), tooltip=tooltip),
        held.mark_rect().encode(**boxes(), opacity=shade, tooltip=tooltip),
        lines.encode(**boxes()),
        promised.mark_rect(filled=False, strokeWidth=2).encode(**boxes()),
    ]


def word_layers() -> list[alt.Chart]:
    """Return titles, counts and topics."""
    fits = {"expr": f"max(0, (datum.x_end - datum.x) * width / {ROW} - 6)"}
    topic = now(text("topic", fontSize=LABEL_PX, dx=3, dy=UNIT_PX / 2 + 0.5, limit=fits))
    return [
        topic.encode(**spots()),
        text("part", fontSize=12).encode(**spots()),
        text("part right", fontSize=12, align="right").encode(**spots()),
        text("title", fontWeight=600).encode(**spots()),
        text("note", dx=8).encode(**spots()),
        now(text("count", fontSize=26, fontWeight=600)).encode(**spots()),
        now(text("status", dx=36)).encode(**spots()),
    ]
