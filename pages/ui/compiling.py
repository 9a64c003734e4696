"""What a page says while the simulator's rules are being compiled, once on a new machine."""

import time

import streamlit as st

from pages.ui import turns
from sim.compiler import is_compiling

LOOK_S = 0.1
WAITS = (
    ":material/hourglass_empty: Getting ready: the simulated server's rules are being compiled, which happens once "
    "and takes some ten seconds. What stands above can be used meanwhile."
)


def until_compiled() -> None:
    """Say what is waited for until the rules are ready; whatever a reader does meanwhile is heard at once."""
    if not is_compiling():
        return
    place = st.empty()
    with turns.aside():
        while is_compiling():
            place.caption(WAITS)
            time.sleep(LOOK_S)
    place.empty()
