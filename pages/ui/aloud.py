"""A sentence for screen readers when something that took a while is there: said politely, and never seen."""

import streamlit as st

from pages.ui import link

_ALOUD = st.components.v2.component(
    "aloud",
    html='<p role="status"></p>',
    css="p { position: absolute; width: 1px; height: 1px; margin: 0; overflow: hidden; clip-path: inset(50%); }",
    js=link.script("aloud.js"),
)


def aloud(words: str, name: str) -> None:
    """Say `words` when they are new; an empty sentence only makes the place ready for one."""
    _ALOUD(key=link.key(f"aloud.{name}"), data={"words": words})
