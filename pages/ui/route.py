"""The ten-minute route: chapter 1's guess and run, then chapter 7 in three clicks. The link keeps it, and how far."""

import streamlit as st

from pages.ui import guess, link
from pages.ui.chapters import OVERVIEW, Chapter, Page, chapter
from pages.ui.controls import one_of

SHORT = "short"  # what the link says of a reader who walks it, followed by the stops already walked
STOPS = (chapter(1), chapter(7))
WAYS = (SHORT, f"{SHORT}1", f"{SHORT}7", f"{SHORT}17")
TOLD = {
    1: "**Ten-minute route, first stop:** type a guess and press “Lock in my guess”; then press “Run” and watch "
    "Larkspur mini write. You may skip the rest.",
    7: "**Ten-minute route, last stop:** lock in a guess, [change one knob](#knobs), then press [search](#search).",
}
END = (
    "**That was the ten-minute route.** What it comes to stands under [What it shows](#shows). The chapters between "
    "explain the knobs one by one; a chapter is marked done once its check is answered, too."
)
END_NO_GUESS = (
    "**That was the ten-minute route,** but for your guess: lock one in at the top, and [What it shows](#shows) says "
    "what it comes to."
)
ASIDE = "**You have left the ten-minute route for a moment.** It waits for you where you were."


def is_open() -> bool:
    """Whether the route can be walked to its end: all its stops are written."""
    return all(stop.is_ready for stop in STOPS)


def is_short() -> bool:
    """Whether the reader walks the ten-minute route: by the link, or since earlier in this visit."""
    if (told := link.news("route")) is not None:
        try:
            way = one_of(WAYS)(told)
            st.session_state["route"] = SHORT
            st.session_state["route.walked"] = walked() | set(map(int, way.removeprefix(SHORT)))
        except ValueError as problem:
            link.complain("route", told, str(problem), None)
    link.repeat_complaint("route", None)
    return st.session_state.get("route") == SHORT and is_open()


def walked() -> frozenset[int]:
    """Return the chapters of the stops that this reader has walked."""
    known: frozenset[int] = st.session_state.get("route.walked", frozenset())
    return known


def way() -> str:
    """Return what links say of the route: that it is walked, and how far."""
    return SHORT + "".join(map(str, sorted(walked())))


def note(page: Page) -> None:
    """Note where on the route the reader stands, and that a stop is walked: by its guess, the last by its search."""
    if page in STOPS:
        number = STOPS[STOPS.index(page)].number
        st.session_state["route.at"] = number
        if link.kept("found") is True if page == STOPS[-1] else guess.is_made():
            st.session_state["route.walked"] = walked() | {number}


def at() -> Chapter:
    """Return the stop where the reader was last, at first the first."""
    return chapter(st.session_state.get("route.at", STOPS[0].number))


def after(page: Page) -> Chapter | None:
    """Return the stop that follows `page`, or None at the last."""
    later = STOPS[STOPS.index(page) + 1 :] if page in STOPS else ()
    return next(iter(later), None)


def told(page: Page) -> str:
    """Say what the route asks for at one of its stops, or that it ends here, or waits elsewhere."""
    if page not in STOPS:
        return ASIDE
    stop = STOPS[STOPS.index(page)]
    if not is_ended(page):
        return TOLD[stop.number]
    return END if guess.is_made() else END_NO_GUESS


def is_ended(page: Page) -> bool:
    """Whether `page` is the last stop, and walked."""
    return page == STOPS[-1] and STOPS[-1].number in walked()


def leads_on(page: Page) -> bool:
    """Whether the foot of `page` shows the way on: to the next stop, back to the route, or home at its end.

    The overview has the route itself.
    """
    return page != OVERVIEW and (page != STOPS[-1] or is_ended(page))


def leave() -> None:
    """Leave the route: from here on links no longer speak of it."""
    st.session_state.pop("route", None)
