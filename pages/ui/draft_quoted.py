"""T5-XXL's measured speed-ups, as the paper prints them."""

import pandas as pd

from pages.ui.sources import cite
from pages.ui.sums import Sum
from sim import QUOTED_TABLES

TABLE = QUOTED_TABLES["t5-xxl-speed-ups"]
HEADS = ("task", "draft model", "temperature", "guesses", "acceptance", "times as fast")


def told() -> str:
    """Return the table as Markdown."""
    rows = "\n".join(f"| {' | '.join(map(cell, row, TABLE.columns))} |" for row in TABLE.rows)
    return f"| {' | '.join(HEADS)} |\n|:--|:--|--:|--:|--:|--:|\n{rows}"


def cell(value: object, column: str) -> str:
    """Return a value as the paper prints it."""
    decimals = {"acceptance": ".2f", "times_as_fast": ".1f"}
    return format(value, decimals.get(column, ""))


def quoted_numbers() -> pd.DataFrame:
    """Return the table, a row a measurement."""
    return pd.DataFrame(TABLE.rows, columns=list(TABLE.columns))


def figures() -> dict[str, str]:
    """Return the figures of the text about it: of the draft that is right most often, and of the fastest."""
    rows = [dict(zip(TABLE.columns, row, strict=True)) for row in TABLE.rows]
    surest, fastest = (max(rows, key=lambda row: row[name]) for name in ("acceptance", "times_as_fast"))
    return {
        "surest": str(surest["draft"]),
        "surest_share": cell(surest["acceptance"], "acceptance"),
        "surest_times": cell(surest["times_as_fast"], "times_as_fast"),
        "fastest": str(fastest["draft"]),
        "fastest_share": cell(fastest["acceptance"], "acceptance"),
        "fastest_times": cell(fastest["times_as_fast"], "times_as_fast"),
    }


def quoted() -> Sum:
    """Return where the table stands."""
    return Sum(
        "quoted",
        "T5-XXL's speed-ups",
        TABLE.what[0].upper() + TABLE.what[1:] + ".",
        (),
        TABLE.where,
        cite(TABLE.source),
    )
