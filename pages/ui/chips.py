"""Tokens as chips, in the color of what happened to them."""

from collections.abc import Iterable
from typing import Literal

import streamlit as st

from pages.ui.prose import escape

COLORS = {"prefill": "orange", "decode": "blue"}


def chips(tokens: Iterable[str], happened: Literal["prefill", "decode"]) -> None:
    """Draw a line of tokens, read (prefill) or written (decode); a leading space shows as ␣."""
    st.markdown(" ".join(f":{COLORS[happened]}-badge[{escape(visible(token))}]" for token in tokens))


def visible(token: str) -> str:
    """Return a token with its white space made visible."""
    return token.replace(" ", "␣").replace("\n", "⏎").replace("\t", "⇥") or "∅"
