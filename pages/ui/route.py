"""The ten-minute route: chapter 1's guess and run, then chapter 7 in three clicks. The link keeps it."""

import streamlit as st

from pages.ui import link
from pages.ui.chapters import Chapter, Page, chapter
from pages.ui.controls import one_of

SHORT = "short"  # what the link says of a reader who walks it
STOPS = (chapter(1), chapter(7))
TOLD = {
    1: "**Ten-minute route, first stop:** make your guess and run it.",
    7: "**Ten-minute route, last stop:** look at the start, [change one knob](#knobs), then press [search](#search).",
}


def is_open() -> bool:
    """Whether the route can be walked to its end: all its stops are written."""
    return all(stop.is_ready for stop in STOPS)


def is_short() -> bool:
    """Whether the reader walks the ten-minute route: by the link, or since earlier in this visit."""
    if (told := link.news("route")) is not None:
        try:
            st.session_state["route"] = one_of((SHORT,))(told)
        except ValueError as problem:
            link.complain("route", told, str(problem), None)
    link.repeat_complaint("route", None)
    return st.session_state.get("route") == SHORT and is_open()


def after(page: Page) -> Chapter | None:
    """Return the stop that follows `page`, or None at the last."""
    later = STOPS[STOPS.index(page) + 1 :] if page in STOPS else ()
    return next(iter(later), None)


def told(page: Page) -> str:
    """Say what the route asks for at one of its stops."""
    return TOLD[STOPS[STOPS.index(page)].number]


def leave() -> None:
    """Leave the route: from here on links no longer speak of it."""
    st.session_state.pop("route", None)
