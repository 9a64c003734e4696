"""The target box: every customer's wait for the first word and time per token; the box lower left is on target."""

from functools import lru_cache
from math import isnan

import altair as alt
import numpy as np
import pandas as pd
import pyarrow as pa

from pages.ui import numbers
from pages.ui.charts import KEPT, Chart, columns, layer, table, text
from pages.ui.ladder import rush, topics
from pages.ui.monday_misses import persons
from pages.ui.monday_try import CUSTOMERS, attempt, kept, met
from sim import Settings, Targets

LEAST_S, MOST_S, MOST_MS = 0.05, 40.0, 60.0
Place = tuple[float, float]
Row = tuple[str, float, float, float, float, str, str, str]  # of the columns of `SCHEMA`
TICKS_S = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20]
SCHEMA = columns("kind", "x", "x_end", "y", "y_end", "label", "customer", "because")


def places(settings: Settings) -> list[Place]:
    """Return where each customer stands, in seconds and milliseconds; NaN for one that was rejected."""
    requests = attempt(settings).requests
    return list(zip(requests["ttft_s"].tolist(), (requests["tpot_s"] * 1e3).tolist(), strict=True))


@lru_cache(maxsize=KEPT)
def box_marks(settings: Settings, before: Settings | None, targets: Targets) -> pa.Table:
    """Return the box, a dot a customer, and a faint tail from where it stood under the setting `before`."""
    rows = frame_of_the_box(settings, targets) + tails(settings, before) + dots(settings, targets)
    return table(rows, SCHEMA)


def frame_of_the_box(settings: Settings, targets: Targets) -> list[Row]:
    """Return the box, the names of its edges, and the number on target."""
    ttft_s, tpot_ms = targets.ttft_s, targets.tpot_s * 1e3
    score = f"{kept(settings, targets)} of {CUSTOMERS}"
    return [
        ("box", LEAST_S, ttft_s, 0.0, tpot_ms, "", "", ""),
        ("name", LEAST_S, LEAST_S, 0.0, 0.0, "on target", "", ""),
        ("first word", ttft_s, ttft_s, MOST_MS, MOST_MS, f"{ttft_s:g} s", "", ""),
        ("pace", MOST_S, MOST_S, tpot_ms, tpot_ms, f"{tpot_ms:.0f} ms a token", "", ""),
        ("score", MOST_S, MOST_S, MOST_MS, MOST_MS, score, "", ""),
    ]


def tails(settings: Settings, before: Settings | None) -> list[Row]:
    """Return a line a customer from where it stood to where it stands."""
    if before is None:
        return []
    moved = zip(places(before), places(settings), strict=True)
    return [
        ("tail", x, x_end, y, y_end, "", "", "")
        for (x, y), (x_end, y_end) in moved
        if not (isnan(x) or isnan(x_end))
    ]


def dots(settings: Settings, targets: Targets) -> list[Row]:
    """Return a dot a customer, with who it is and why it is where it is."""
    told = zip(places(settings), met(settings, targets).tolist(), persons(settings, targets), strict=True)
    return [
        ("on target" if is_met else "missed", x, x, y, y, "", customer, why)
        for (x, y), is_met, (customer, why) in told
        if not isnan(x)
    ]


def box_numbers(settings: Settings, targets: Targets) -> pd.DataFrame:
    """Return a row a customer: its lengths, its waits, whether it is on target, and what it missed and why."""
    requests = attempt(settings).requests
    return pd.DataFrame(
        {
            "customer": requests.index + 1,
            "topic": topics(),
            "prompt_tokens": rush().prompt_tokens,
            "reply_tokens": rush().output_tokens,
            "first_word_after_s": requests["ttft_s"],
            "each_token_ms": requests["tpot_s"] * 1e3,
            "longest_freeze_s": requests["longest_gap_s"],
            "on_target": np.where(met(settings, targets), "yes", "no"),
            "because": [why for _, why in persons(settings, targets)],
        }
    )


@lru_cache(maxsize=KEPT)
def box_alt(settings: Settings, before: Settings | None, targets: Targets) -> str:
    """Say what the target box shows now."""
    now, missed = attempt(settings).requests, CUSTOMERS - kept(settings, targets)
    first_s, each_ms = now["ttft_s"], now["tpot_s"] * 1e3
    told = (
        f"Time per token over the wait for the first word, a dot a customer. {CUSTOMERS - missed} of {CUSTOMERS} are "
        f"on target, filled; {missed} missed, open. First words after {numbers.brief(first_s.min())} to "
        f"{numbers.brief(first_s.max())}, a token every {each_ms.min():.0f} to {each_ms.max():.0f} ms."
    )
    return told if before is None else f"{told} Faint tails lead from where each stood under the last try."


def target_box() -> Chart:
    """Return the target box."""
    axis = alt.Axis(values=TICKS_S, format="~g")
    x = alt.X(
        "x:Q",
        scale=alt.Scale(type="log", domain=[LEAST_S, MOST_S], clamp=True, nice=False),
        title="wait for the first word, seconds (log scale)",
        axis=axis,
    )
    y = alt.Y("y:Q", scale=alt.Scale(domain=[0, MOST_MS], clamp=True), title="time per token, milliseconds")
    return alt.layer(*box_layers(x, y), *dot_layers(x, y)).properties(height=400)


def box_layers(x: alt.X, y: alt.Y) -> list[alt.Chart]:
    """Return the box with its edges, and what is written beside them."""
    ends = {"x2": "x_end:Q", "y2": "y_end:Q"}
    return [
        layer("box", "decode").mark_rect(opacity=0.1).encode(x=x, y=y, **ends),
        layer("box", "ink").mark_rect(filled=False, strokeWidth=1.5).encode(x=x, y=y, **ends),
        text("name", dx=6, dy=-10).encode(x=x, y=y),
        text("first word", dx=4, dy=8).encode(x=x, y=y),
        text("pace", dx=-2, dy=-9, align="right").encode(x=x, y=y),
        text("score", dx=-4, dy=18, align="right", fontSize=30, fontWeight=600).encode(x=x, y=y),
        layer("tail", "waiting").mark_rule(opacity=0.4, strokeWidth=1).encode(x=x, y=y, **ends),
    ]


def dot_layers(x: alt.X, y: alt.Y) -> list[alt.Chart]:
    """Return the customers: filled on target, open where missed; the pointer says who and why."""
    said = [alt.Tooltip("customer:N"), alt.Tooltip("because:N", title="why")]
    drawn = []
    for kind, is_met in (("missed", False), ("on target", True)):
        dot = layer(kind, "decode").mark_point(size=80, filled=is_met, strokeWidth=1.8)
        drawn.append(dot.encode(x=x, y=y, opacity=alt.value(0.9), tooltip=said))
    return drawn
