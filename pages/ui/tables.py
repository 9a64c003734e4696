"""The numbers beside a chart: a table and a CSV, built when first opened."""

import math
from collections.abc import Callable
from typing import Any, Literal

import pandas as pd
import streamlit as st
from pandas.api.types import is_bool_dtype, is_integer_dtype, is_numeric_dtype

from pages.ui import link

FEW_ROWS, DECIMALS = 7, 6
LETTER_PX, MARGIN_PX, WIDEST_PX = 8, 34, 420  # of a column's name and of its cells
THOUSAND = 1000
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
    """Return how each column is drawn: as wide as its name or longest cell asks for, numbers with sensible digits."""
    seen = table.head(SEEN_ROWS).astype(str)
    letters = {str(name): max([len(str(name)), *map(len, seen[name])]) for name in seen}
    return {
        str(name): column(table[name], min(WIDEST_PX, MARGIN_PX + LETTER_PX * letters[str(name)]))
        for name in table
    }


def column(values: pd.Series, width_px: int) -> Any:
    """Return how a column is drawn, addresses as links; the download keeps all digits."""
    if values.name == "address":
        return st.column_config.LinkColumn(width=width_px)
    if not is_numeric_dtype(values) or is_bool_dtype(values):
        return st.column_config.Column(width=width_px)
    return st.column_config.NumberColumn(width=width_px, format=digits(values))


def digits(values: pd.Series) -> str | None:
    """Return the form of a column's numbers: thousands marked, or four digits of the largest, and up to two decimals
    more for the smallest; None changes nothing.
    """
    sizes = values.abs()
    most = float(sizes.max(skipna=True) or 0)
    if most >= THOUSAND and "year" not in str(values.name):
        return "localized"
    if is_integer_dtype(values) or not 0 < most < THOUSAND:
        return None
    least = float(sizes[sizes > 0].min())
    decimals = 3 - math.floor(math.log10(most))
    small = min(1 - math.floor(math.log10(least)), decimals + 2)
    return f"%.{min(DECIMALS, max(decimals, small))}f"
