"""Which knobs mattered: what is lost when one of the best setting's is put back to where it started."""

from dataclasses import dataclass, replace
from functools import lru_cache

import altair as alt
import pandas as pd
import pyarrow as pa

from pages.ui.charts import KEPT, Chart, layer, mark, marks_table, text
from pages.ui.diamonds import BARS
from pages.ui.monday_knobs import KNOBS, Knob
from pages.ui.monday_try import CUSTOMERS, START, kept
from sim import Settings, Targets


@dataclass(frozen=True)
class PutBack:
    """A knob put back: how many customers are then kept, and how many this knob alone would keep at the start."""

    knob: Knob
    then: int
    alone: int


@lru_cache(maxsize=KEPT)
def put_back(best: Settings, targets: Targets) -> tuple[PutBack, ...]:
    """Return each knob in which the best differs from the start, the one that loses most first."""
    found = [
        PutBack(
            knob,
            kept(replace(best, **{knob.field: getattr(START, knob.field)}), targets),
            kept(replace(START, **{knob.field: getattr(best, knob.field)}), targets),
        )
        for knob in KNOBS
        if getattr(best, knob.field) != getattr(START, knob.field)
    ]
    return tuple(sorted(found, key=lambda one: one.then))


@lru_cache(maxsize=KEPT)
def lost_marks(best: Settings, targets: Targets) -> pa.Table:
    """Return a lane a knob: what is left without it, filled, and what is lost, empty."""
    most, rows = kept(best, targets), []
    for lane, one in enumerate(put_back(best, targets)):
        lost = most - one.then
        what = f"{lost} lost" if lost > 0 else "nothing lost"
        label = f"{one.knob.name.partition(':')[0]}: {what}, {one.then} left"
        rows += [mark(lane, "title", 0, label=label), mark(lane, "left", 0, one.then)]
        rows += [mark(lane, "lost", one.then, most)] * (lost > 0)
    return marks_table(rows)


def lost_numbers(best: Settings, targets: Targets, is_revealed: bool) -> pd.DataFrame:
    """Return a row a knob: its value at the start and in the best, what is kept without it, and with it alone.

    What a knob keeps alone is what the guess is about; it comes when that is revealed.
    """
    found = put_back(best, targets)
    table = pd.DataFrame(
        {
            "knob": [one.knob.name for one in found],
            "put_back_requests": [one.then for one in found],
            "alone_requests": [one.alone for one in found],
            "at_start": [one.knob.word_of(START) for one in found],
            "in_best": [one.knob.word_of(best) for one in found],
        }
    )
    return table if is_revealed else table.drop(columns="alone_requests")


def lost_alt(best: Settings, targets: Targets) -> str:
    """Say what the chart of the knobs shows now."""
    told = [f"without {one.knob.name.partition(':')[0]} {one.then}" for one in put_back(best, targets)]
    return (
        f"Customers on target when one knob of the best, which keeps {kept(best, targets)}, is put back: "
        + (f"{', '.join(told)}." if told else "there is none to put back.")
    )


def lost() -> Chart:
    """Return the chart of the knobs, a lane each."""
    ticks = alt.Axis(values=list(range(0, CUSTOMERS + 1, 4)), format="d")
    scale = alt.Scale(domain=[0, CUSTOMERS], nice=False)
    x = alt.X("x:Q", scale=scale, title=f"customers on target, of {CUSTOMERS}", axis=ticks)
    place = (x, alt.Y("lane:O", axis=None, scale=alt.Scale(paddingInner=0.72, paddingOuter=0.5)))
    empty = layer("lost", "decode").mark_bar(filled=False, strokeDash=[4, 4], strokeWidth=1.5)
    return alt.layer(
        layer("left", "decode").mark_bar(cornerRadius=1).encode(*place, alt.X2("x_end:Q")),
        empty.encode(*place, alt.X2("x_end:Q")),
        text("title", dy=BARS.title_dy + 4, fontWeight=600).encode(*place),
    ).properties(height={"step": 62})
