"""The button that has other Mondays and other assumptions tried, the progress and the stop of it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import Any

import pandas as pd
import streamlit as st

from pages.ui import link, turns
from pages.ui.monday_wish import is_yes
from pages.ui.plan_held import MONDAYS, Answer, Key, keep, kept_answer, key_of, work_out
from pages.ui.prose import say
from sim import Server, Targets

PAGE = "plan_trust"
STEP = 0.02  # of the bar
STOPPED, WAITS = "stopped", "Another reader's Mondays are being tried; yours are next"
LOOK_S = 0.1  # between two looks at whose turn it is
_TURN = Lock()


def asked_for(
    frame: pd.DataFrame, targets: Targets, space: Mapping[str, Sequence[Any]], server: Server
) -> Answer | None:
    """Draw the button, and while it works the progress; return the answer once the reader, or a link, asks for it."""
    key = (*key_of(targets, space, server), len(frame))
    link.restore("trust", False, is_yes)
    if link.kept("trust") and link.kept("trust.wanted") is None:
        want(key)
    answer = kept_answer(key) if link.kept("trust") else None
    if answer is None and not frame.empty:
        answer = (
            with_progress(key, frame, targets, space, server) if link.kept("trust.wanted") == key else None
        )
    if answer is None and not frame.empty:
        offer(key)
    link.publish("trust", "yes" if answer else None)
    return answer


def want(key: Key) -> None:
    """Note that other Mondays are wanted, and for which search."""
    st.session_state[link.key("trust")] = True
    st.session_state[link.key("trust.wanted")] = key


def stop() -> None:
    """Note that they are not wanted any more; what was tried before for other targets stays."""
    st.session_state[link.key("trust.wanted")] = STOPPED


def offer(key: Key) -> None:
    """Draw the button, and say why what was asked for is not there."""
    label = f"Try {MONDAYS} other Mondays and other assumptions"
    icon = ":material/calendar_month:"
    st.button(label, link.key("trust.try"), icon=icon, type="primary", on_click=want, args=(key,))
    wanted = link.kept("trust.wanted")
    if wanted == STOPPED:
        st.caption(say(PAGE, "stopped"))
    elif wanted is not None:
        st.caption(say(PAGE, "changed"))


def with_progress(
    key: Key, frame: pd.DataFrame, targets: Targets, space: Mapping[str, Sequence[Any]], server: Server
) -> Answer:
    """Work it out and say how far it is, one reader at a time; a press on Stop, or leaving, ends it."""
    place = st.empty()
    with place.container():
        st.button("Stop trying", link.key("trust.stop"), icon=":material/stop_circle:", on_click=stop)
        words = f"Trying {MONDAYS} other Mondays, and {len(frame):,} settings under other assumptions"
        bar = st.progress(0.0, words)
        with turns.aside(), turn(lambda: bar.progress(0.0, WAITS)):
            answer = kept_answer(key) or work_out(frame, targets, space, server, mover(bar, words))
            keep(key, answer)
    place.empty()
    return answer


@contextmanager
def turn(tell: Callable[[], object]) -> Iterator[None]:
    """Wait until nobody else has other Mondays tried; `tell` is called meanwhile, and may raise to leave."""
    while not _TURN.acquire(timeout=LOOK_S):
        tell()
    try:
        yield
    finally:
        _TURN.release()


def mover(bar: Any, words: str) -> Callable[[float], None]:
    """Return what moves the bar, a step at a time; where the reader has stopped, Streamlit ends the run in it."""
    shown = 0.0

    def move(share: float) -> None:
        nonlocal shown
        if share >= shown + STEP:
            shown = share
            bar.progress(min(1.0, share), words)

    return move
