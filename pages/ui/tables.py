"""The numbers beside a chart: a table and a CSV, built when first opened."""

from collections.abc import Callable
from typing import Any, Literal

import pandas as pd
import streamlit as st

from pages.ui import link

FEW_ROWS, DECIMALS = 7, 6
LETTER_PX, MARGIN_PX, WIDEST_PX = 8, 34, 420  # of a column's name and of its cells
SEEN_ROWS = 100  # whose cells are measured
PROPER = {"larkspur": "Larkspur", "monday": "Monday", "t5": "T5", "xxl": "XXL"}


def see_the_numbers(build: Callable[[], pd.DataFrame], name: str) -> None:
    """Draw a closed fold that opens to a table and its download.

    `build` gives the table, with units in its column names; `name` is its file's, and in words its title.
    """
    label, key = f"See the numbers: {title(name)}", link.key(f"numbers.{name}")
    fold = st.expander(label, key=key, on_change="rerun", icon=":material/table:")
    if not fold.open:
        return
    numbers = whole_as_integers(build().round(DECIMALS))
    with fold:
        height: int | Literal["content"] = "content" if len(numbers) < FEW_ROWS else 260
        st.dataframe(numbers, hide_index=True, height=height, column_config=widths(numbers))
        st.download_button(
            f"Download {len(numbers):,} row{'s' * (len(numbers) != 1)} (CSV)",
            numbers.to_csv(index=False).encode(),
            f"{name}.csv",
            "text/csv",
            on_click="ignore",
            icon=":material/download:",
            key=link.key(f"download.{name}"),
        )


def title(name: str) -> str:
    """Return a table's name in words."""
    return " ".join(PROPER.get(word, word) for word in name.split("_"))


def whole_as_integers(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose columns of whole numbers are integers, so that no “.0” is written behind them."""
    floats = table.select_dtypes("float")
    whole = [name for name in floats if (floats[name].dropna() % 1 == 0).all()]
    return table.astype(dict.fromkeys(whole, "Int64"))


def widths(table: pd.DataFrame) -> dict[str, Any]:
    """Return how wide each column is drawn: as its name or its longest cell asks for."""
    seen = table.head(SEEN_ROWS).astype(str)
    letters = {str(name): max([len(str(name)), *map(len, seen[name])]) for name in seen}
    return {
        name: st.column_config.Column(width=min(WIDEST_PX, MARGIN_PX + LETTER_PX * count))
        for name, count in letters.items()
    }
