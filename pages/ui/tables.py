"""The numbers beside a chart: a table and a CSV, built when first opened."""

from collections.abc import Callable

import pandas as pd
import streamlit as st

from pages.ui import link


def see_the_numbers(
    build: Callable[[], pd.DataFrame], file_name: str, label: str = "See the numbers"
) -> None:
    """Draw a closed fold that opens to a table and its download; `build` gives columns with units in their names."""
    fold = st.expander(
        label, key=link.key(f"numbers.{file_name}"), on_change="rerun", icon=":material/table:"
    )
    if not fold.open:
        return
    numbers = build()
    with fold:
        st.dataframe(numbers, hide_index=True, height=260)
        st.download_button(
            f"Download {len(numbers):,} rows (CSV)",
            numbers.to_csv(index=False).encode(),
            f"{file_name}.csv",
            "text/csv",
            on_click="ignore",
            icon=":material/download:",
            key=link.key(f"download.{file_name}"),
        )
