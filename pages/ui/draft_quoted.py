"""T5-XXL's measured speed-ups, as the paper prints them."""

import pandas as pd

from pages.ui.sources import cite
from pages.ui.sums import Sum
from pages.ui.tables import title
from sim import QUOTED_TABLES

TABLE = QUOTED_TABLES["t5-xxl-speed-ups"]
TASKS = {"EnDe": "translation (EnDe)", "CNNDM": "summary (CNNDM)"}
PICKS = {0: "likeliest token", 1: "drawn"}  # by temperature


def told() -> str:
    """Return the speed-ups as a table in Markdown, a column a draft model, the acceptance in brackets."""
    rows = [dict(zip(TABLE.columns, row, strict=True)) for row in TABLE.rows]
    drafts = list(dict.fromkeys(row["draft"] for row in rows))
    lines = [f"| times as fast | {' | '.join(drafts)} |", f"|:--|{'--:|' * len(drafts)}"]
    for task, temperature in dict.fromkeys((row["task"], row["temperature"]) for row in rows):
        alike = {
            row["draft"]: row for row in rows if (row["task"], row["temperature"]) == (task, temperature)
        }
        cells = [
            f"{alike[draft]['times_as_fast']:.1f} ({alike[draft]['acceptance']:.2f})" for draft in drafts
        ]
        lines.append(f"| {TASKS[task]}, {PICKS[temperature]} | {' | '.join(cells)} |")
    return "\n".join([*lines, "", f":gray[{condition()}]"])


def quoted_numbers() -> pd.DataFrame:
    """Return the table, a row a measurement."""
    return pd.DataFrame(TABLE.rows, columns=list(TABLE.columns))


def figures() -> dict[str, str]:
    """Return the figures of the text about it: of the draft that is right most often, and of the fastest."""
    rows = [dict(zip(TABLE.columns, row, strict=True)) for row in TABLE.rows]
    surest, fastest = (max(rows, key=lambda row: row[name]) for name in ("acceptance", "times_as_fast"))
    return {
        "quoted_table": title("t5_xxl"),
        "surest": str(surest["draft"]),
        "surest_share": f"{surest['acceptance']:.2f}",
        "surest_times": f"{surest['times_as_fast']:.1f}",
        "fastest": str(fastest["draft"]),
        "fastest_share": f"{fastest['acceptance']:.2f}",
        "fastest_times": f"{fastest['times_as_fast']:.1f}",
    }


def acceptances() -> tuple[float, float]:
    """Return the lowest and the highest acceptance in the table, from 0 to 1."""
    rates = [float(row[TABLE.columns.index("acceptance")]) for row in TABLE.rows]
    return min(rates), max(rates)


def condition() -> str:
    """Return what was measured against what."""
    return f"{TABLE.what[0].upper()}{TABLE.what[1:]}."


def quoted() -> Sum:
    """Return where the table stands."""
    return Sum(
        "quoted",
        "T5-XXL's speed-ups",
        condition(),
        (),
        TABLE.where,
        cite(TABLE.source),
    )
