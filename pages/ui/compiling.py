"""What a page says while the simulator's rules are being compiled, once on a new machine."""

import time
from collections.abc import Callable

import streamlit as st

from pages.ui import turns
from sim.compiler import is_compiling

LOOK_S = 0.1
WAITS = (
    ":material/hourglass_empty: Getting ready: the simulated server's rules are being compiled, which happens once. "
    "What stands above can be used meanwhile."
)


def until_compiled() -> None:
    """Say what is waited for until the rules are ready; whatever a reader does meanwhile is heard at once."""
    if not is_compiling():
        return
    place = st.empty()
    with turns.aside():
        wait_for_compiler(lambda: place.caption(WAITS))
    place.empty()


def wait_for_compiler(tell: Callable[[], object]) -> None:
    """Wait until the rules are ready; `tell` is called meanwhile, and may raise to leave."""
    while is_compiling():
        tell()
        time.sleep(LOOK_S)
