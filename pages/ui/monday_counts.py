"""All settings counted by how many customers they keep, with the named ones marked."""

import altair as alt
import pandas as pd
import pyarrow as pa

from pages.ui.charts import Chart, Mark, layer, marks_table, text
from pages.ui.monday_found import Result
from pages.ui.monday_try import CUSTOMERS, kept
from sim import Settings

HALF = 0.42  # of a bar's width
ABOVE = (1.42, 1.31, 1.2, 1.09)  # of the highest bar: where names stand, so that none is crossed


def count_marks(result: Result, named: dict[str, Settings]) -> pa.Table:
    """Return a bar a number of customers, of all settings and of those accepted, and a mark for each named (four)."""
    rows: list[Mark] = []
    for kind, counts in (("all", result.all_counts), ("accepted", result.counts)):
        some = [(n, count) for n, count in enumerate(counts.tolist()) if count]  # none draws no outline
        rows += [(0, kind, n - HALF, n + HALF, float(count), "") for n, count in some]
    highest = float(result.all_counts.max())
    for above, (name, settings) in zip(ABOVE, named.items(), strict=False):
        height = above * highest
        on_target = kept(settings, result.found.targets)
        side = "left" if on_target > CUSTOMERS / 2 else "right"
        rows.append((0, "named", on_target, on_target, height, ""))
        rows.append((0, f"name {side}", on_target, on_target, height, f"{name}: {on_target}"))
    return marks_table(rows)


def count_numbers(result: Result) -> pd.DataFrame:
    """Return a row a number of customers: how many settings keep so many, of all and of those accepted."""
    return pd.DataFrame(
        {
            "on_target_requests": range(CUSTOMERS + 1),
            "settings": result.all_counts,
            "accepted_settings": result.counts,
        }
    )


def count_alt(result: Result, named: dict[str, Settings]) -> str:
    """Say what the chart of counts shows now."""
    accepted = int(result.counts.sum())
    told = ", ".join(f"{name} {kept(each, result.found.targets)}" for name, each in named.items())
    return (
        f"{accepted:,} accepted settings counted by customers on target, of {CUSTOMERS}; "
        f"{len(result.ties):,} keep the most, {result.most}. Marked: {told}."
    )


def counts() -> Chart:
    """Return the chart: bars of settings over customers on target."""
    ticks = alt.Axis(values=list(range(0, CUSTOMERS + 1, 4)), format="d")
    domain = [-0.5, CUSTOMERS + 0.5]
    title = f"customers on target, of {CUSTOMERS}"
    x = alt.X("x:Q", scale=alt.Scale(domain=domain, nice=False), title=title, axis=ticks)
    y = alt.Y("y:Q", title="settings")
    bars = [
        layer(kind, "decode")
        .mark_bar(filled=is_filled, strokeWidth=1.2)
        .encode(x=x, x2="x_end:Q", y=y, y2=alt.Y2Datum(0))
        for kind, is_filled in (("accepted", True), ("all", False))
    ]
    names = [
        layer("named", "ink").mark_rule(strokeWidth=1).encode(x=x, y=y, y2=alt.Y2Datum(0)),
        layer("named", "ink").mark_point(size=50, filled=True).encode(x=x, y=y, opacity=alt.value(1)),
        text("name right", dx=8).encode(x=x, y=y),
        text("name left", dx=-8, align="right").encode(x=x, y=y),
    ]
    return alt.layer(*bars, *names).properties(height=320)
