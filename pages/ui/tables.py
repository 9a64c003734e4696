"""The numbers beside a chart: a table and a CSV, built when first opened."""

from collections.abc import Callable

import pandas as pd
import streamlit as st

from pages.ui import link

FEW_ROWS, DECIMALS = 7, 6


def see_the_numbers(build: Callable[[], pd.DataFrame], name: str) -> None:
    """Draw a closed fold that opens to a table and its download.

    `build` gives the table, with units in its column names; `name` is its file's, and in words its title.
    """
    label, key = f"See the numbers: {name.replace('_', ' ')}", link.key(f"numbers.{name}")
    fold = st.expander(label, key=key, on_change="rerun", icon=":material/table:")
    if not fold.open:
        return
    numbers = build().round(DECIMALS)
    with fold:
        st.dataframe(numbers, hide_index=True, height="content" if len(numbers) < FEW_ROWS else 260)
        st.download_button(
            f"Download {len(numbers):,} row{'s' * (len(numbers) != 1)} (CSV)",
            numbers.to_csv(index=False).encode(),
            f"{name}.csv",
            "text/csv",
            on_click="ignore",
            icon=":material/download:",
            key=link.key(f"download.{name}"),
        )
