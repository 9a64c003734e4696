"""Where a figure comes from: a quiet badge that opens to the sum behind it."""

from dataclasses import dataclass
from typing import Literal

import streamlit as st

from pages.ui.chapters import TRUST
from pages.ui.frame import Frame, page_link

Kind = Literal["run for real here", "simulated", "quoted"]
ICONS: dict[Kind, str] = {
    "run for real here": ":material/play_circle:",
    "simulated": ":material/calculate:",
    "quoted": ":material/format_quote:",
}


@dataclass(frozen=True)
class Sum:
    """The sum behind a figure: the formula in words, the values put in, the result, and the source."""

    kind: Kind
    formula: str
    values: tuple[tuple[str, str], ...]
    result: str
    source: str


def badge(figure: Sum, around: Frame, label: str | None = None) -> None:
    """Draw the badge of a figure; a click opens its sum."""
    with st.popover(label or figure.kind, icon=ICONS[figure.kind], type="tertiary"):
        st.markdown(f"**{figure.kind.capitalize()}**")
        st.markdown(figure.formula)
        if figure.values:
            rows = "\n".join(f"| {name} | {value} |" for name, value in figure.values)
            st.markdown(f"| put in | value |\n|:--|--:|\n{rows}")
        st.markdown(f"**{figure.result}**")
        st.caption(f"Source: {figure.source}")
        if figure.kind == "simulated":
            page_link(TRUST, around)
