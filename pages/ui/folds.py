"""A part of a page that is drawn, and counted, only while the reader has it open; the link keeps it open."""

from collections.abc import Callable, Mapping

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.ui import link
from pages.ui.controls import one_of

OPEN = "open"


def open_for_complaints(name: str, settings: Mapping[str, Callable[[str], object]]) -> None:
    """Open the fold `name` where the link asks one of the settings in it for what its parser refuses."""
    for setting, parse in settings.items():
        if link.has_news(setting):
            try:
                parse(st.query_params.get(setting, "")[: link.LONGEST_VALUE])
            except ValueError:
                st.session_state[link.key(name)] = True


def fold(label: str, *, name: str) -> DeltaGenerator | None:
    """Draw a closed fold and return its inside, or None while it is closed."""
    link.restore(name, False, lambda text: one_of((OPEN,))(text) == OPEN)
    inside = st.expander(label, key=link.key(name), on_change="rerun")
    link.publish(name, OPEN if inside.open else None)
    return inside if inside.open else None
