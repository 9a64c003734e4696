"""A part of a page that is drawn, and counted, only while the reader has it open; the link keeps it open."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.ui import link
from pages.ui.controls import one_of

OPEN = "open"


def fold(label: str, *, name: str) -> DeltaGenerator | None:
    """Draw a closed fold and return its inside, or None while it is closed."""
    link.restore(name, False, lambda text: one_of((OPEN,))(text) == OPEN)
    inside = st.expander(label, key=link.key(name), on_change="rerun")
    link.publish(name, OPEN if inside.open else None)
    return inside if inside.open else None
