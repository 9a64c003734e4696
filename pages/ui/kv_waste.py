"""What the KV memory holds while customers wait, by kind, and how many are seated; ours beside the paper's."""

from functools import lru_cache

import altair as alt
import numpy as np
import pandas as pd
import pyarrow as pa

from pages.ui import numbers
from pages.ui.charts import KEPT, Chart, Mark, layer, mark, marks_table, point, text
from pages.ui.monday_memory import (
    EDGE_S,
    FINE_S,
    KINDS,
    LAYOUTS,
    held_at,
    mean_seated,
    monday_run,
    most_seated,
    rush_shares,
)
from sim import QUOTED

PAPERS = {"Max": "orca-max", "Pow2": "orca-pow2", "exact": "orca-oracle", "paged": "vllm"}
NAMES = {
    "Max": "Max: the longest",
    "Pow2": "Pow2: reply rounded up",
    "exact": "Exact: length known",
    "paged": "Paged: block by block",
}
EDGE_SEATS = 20.0
NAME_S, NAME_REACH_S = 6.0, 3.5  # middle of the rush, and how far a name reaches to each side on a phone


def paper_share(layout: str) -> float:
    """Return the percentage of KV memory that held real tokens in the paper."""
    return QUOTED[f"kv-used-{PAPERS[layout]}"].value


def paper_seats(layout: str) -> float:
    """Return how many requests the paper's server held at once, on average."""
    return QUOTED[f"batched-{PAPERS[layout]}"].value


@lru_cache(maxsize=1)
def waste_lanes() -> pa.Table:
    """Return a lane a layout: its memory by kind, in percent, and the paper's share as a tick."""
    rows: list[Mark] = []
    for lane, layout in enumerate(LAYOUTS):
        shares, start = rush_shares(layout), 0.0
        told = f"{numbers.percent(shares[KINDS[0]])} hold text here, {paper_share(layout):g} % in the paper"
        rows += [mark(lane, "title", 0, label=NAMES[layout]), mark(lane, "told", 0, label=told)]
        for kind in KINDS:
            end = start + 100 * shares[kind]
            rows.append(mark(lane, kind, start, end))
            start = end
        rows.append(mark(lane, "paper", paper_share(layout)))
    return marks_table(rows)


def waste_numbers() -> pd.DataFrame:
    """Return a row a layout: percent of the KV memory by kind, and the paper's."""
    rows = []
    for layout in LAYOUTS:
        shares = {
            f"{kind.replace(' ', '_')}_percent": 100 * share for kind, share in rush_shares(layout).items()
        }
        rows.append({"layout": layout} | shares | {"paper_holds_text_percent": paper_share(layout)})
    return pd.DataFrame(rows)


@lru_cache(maxsize=1)
def waste_alt() -> str:
    """Say what the bars of the layouts show."""
    told = "A bar a layout: what the KV memory holds on average while somebody waits."
    for layout in LAYOUTS:
        shares = rush_shares(layout)
        kinds = ", ".join(f"{kind} {numbers.percent(share)}" for kind, share in shares.items())
        told += f" {NAMES[layout]}: {kinds}; a triangle marks the paper's {paper_share(layout):g}%."
    return told


def waste() -> Chart:
    """Return the bars of the layouts, in percent of the KV memory."""
    x = alt.X(
        "x:Q",
        scale=alt.Scale(domain=[0, 100]),
        axis=alt.Axis(values=list(range(0, 101, 20))),
        title="% of the KV memory, while customers wait",
    )
    where = (x, alt.Y("lane:O", axis=None, scale=alt.Scale(paddingInner=0.76, paddingOuter=0.5)))
    x_end = alt.X2("x_end:Q")
    paper = layer("paper", "ink").mark_point(shape="triangle-up", size=90, filled=True, opacity=1, yOffset=18)
    return alt.layer(
        layer("free", "free").mark_bar().encode(*where, x_end),
        layer("never used", "KV")
        .mark_bar(filled=False, strokeWidth=1.5, strokeDash=[3, 3])
        .encode(*where, x_end),
        layer("not used yet", "KV").mark_bar(fillOpacity=0.4).encode(*where, x_end),
        layer("rest of last blocks", "ink").mark_bar().encode(*where, x_end),
        layer("holds text", "KV").mark_bar().encode(*where, x_end),
        paper.encode(*where),
        text("title", dy=-34, fontWeight=600).encode(*where),
        text("told", dy=-18).encode(*where),
    ).properties(height={"step": 80})


@lru_cache(maxsize=KEPT)
def seated_lines(reserved: str, is_revealed: bool) -> pa.Table:
    """Return how many requests are seated over time under the layout `reserved` and paged."""
    rows: list[Mark] = []
    for layout, kind in ((reserved, "reserved"), ("paged", "paged")):
        if layout == "Max" and not is_revealed:
            continue
        at_s = change_s(layout)
        seated = held_at(layout, at_s).seated
        most = most_seated(layout)
        rows += [point(kind, now, n) for now, n in zip(at_s, seated, strict=True)]
        place = (plateau_s(layout), most) if layout == "paged" else under_lines(layout)
        rows.append(point(f"{kind} label", *place, f"{layout}: up to {most}"))
    return marks_table(rows)


def plateau_s(layout: str) -> float:
    """Return the middle of the longest time for which as many as ever are seated, in seconds."""
    at_s = change_s(layout)
    seated = held_at(layout, at_s).seated[:-1]
    lasts_s = np.where(seated == seated.max(), np.diff(at_s), 0)
    longest = int(lasts_s.argmax())
    return float(at_s[longest] + lasts_s[longest] / 2)


def under_lines(reserved: str) -> tuple[float, int]:
    """Return where the name of a reserved layout stands: in the middle of the rush, under both lines."""
    near_s = np.arange(NAME_S - NAME_REACH_S, NAME_S + NAME_REACH_S, FINE_S)
    lowest = min(int(held_at(layout, near_s).seated.min()) for layout in (reserved, "paged"))
    return NAME_S, lowest


def change_s(layout: str) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    """Return the moments at which the number of seated requests changes, and both ends of the chart."""
    at_s = np.unique(monday_run(layout).memory["at_s"].to_numpy())
    seated = held_at(layout, at_s).seated
    kept = at_s[np.append(True, np.diff(seated) != 0)]
    return np.append(kept, EDGE_S)


def seats_numbers(is_revealed: bool) -> pd.DataFrame:
    """Return a row a layout: seated on average while somebody waits, at most, and in the paper."""
    layouts = [layout for layout in LAYOUTS if is_revealed or layout != "Max"]
    return pd.DataFrame(
        {
            "layout": layouts,
            "mean_seated_requests": [mean_seated(layout) for layout in layouts],
            "most_seated_requests": [most_seated(layout) for layout in layouts],
            "paper_mean_requests": [paper_seats(layout) for layout in layouts],
            "done_s": [float(monday_run(layout).requests["finish_s"].max()) for layout in layouts],
        }
    )


@lru_cache(maxsize=KEPT)
def seated_alt(reserved: str, is_revealed: bool) -> str:
    """Say what the lines of seats show now."""
    told = f"Requests seated over time, 0 to {EDGE_S:.0f} s."
    for layout in (reserved, "paged"):
        if layout == "Max" and not is_revealed:
            told += " The reserved line appears with your guess."
            continue
        done_s = monday_run(layout).requests["finish_s"].max()
        told += f" {NAMES[layout]}: at most {most_seated(layout)}, all done after {done_s:.1f} s."
    return told


def seated() -> Chart:
    """Return the lines of seats over time; x is seconds, y requests."""
    x = alt.X(
        "x:Q",
        scale=alt.Scale(domain=[0, EDGE_S], nice=False),
        axis=alt.Axis(values=list(range(0, 19, 3))),
        title="seconds of Monday's rush",
    )
    y = alt.Y("y:Q", scale=alt.Scale(domain=[0, EDGE_SEATS]), title="requests seated (in memory)")
    return alt.layer(
        layer("paged", "KV").mark_line(strokeWidth=3, interpolate="step-after").encode(x=x, y=y),
        layer("reserved", "ink")
        .mark_line(strokeWidth=1.8, interpolate="step-after", strokeDash=[5, 3])
        .encode(x=x, y=y),
        text("paged label", align="center", dy=-12).encode(x=x, y=y),
        text("reserved label", align="center", dy=13).encode(x=x, y=y),
    ).properties(height=250)
