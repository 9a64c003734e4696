"""Where a figure comes from: a quiet badge that opens to the sum behind it."""

from dataclasses import dataclass
from typing import Literal

import streamlit as st

from pages.ui.chapters import TRUST
from pages.ui.frame import Frame, page_link
from pages.ui.numbers import spaced

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
    figure: str
    formula: str
    values: tuple[tuple[str, str], ...]
    result: str
    source: str

    @property
    def told(self) -> str:
        """The sum as Markdown."""
        rows = "\n".join(f"| {name} | {value} |" for name, value in self.values)
        table = f"| put in | value |\n|:--|--:|\n{rows}" if rows else ""
        source = f":gray[Source: {self.source}]"
        return spaced("\n\n".join(filter(None, (self.formula, table, f"**{self.result}**", source))))


def badge(figure: Sum, around: Frame) -> None:
    """Draw the badge of a figure; a click opens its sum."""
    label = f"{figure.kind} · {figure.figure}"
    with st.popover(label, icon=ICONS[figure.kind], type="tertiary"):
        st.markdown(figure.told)
        if figure.kind == "simulated":
            page_link(TRUST, around)
