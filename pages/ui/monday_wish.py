"""What the reader lets the search choose from, and the button, the progress and the stop of it."""

from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.ui import link, turns
from pages.ui.controls import choice, one_of
from pages.ui.monday_knobs import BITS
from pages.ui.monday_search import Found, already, find
from sim import MONDAY_SPACE, Targets

STOPPED = "stopped"


@dataclass(frozen=True)
class Wish:
    """What is allowed: the fewest bits of a weight, whether to guess, and whether an engine must offer it today."""

    fewest_bits: int = 4
    may_guess: bool = True
    only_today: bool = False

    @property
    def space(self) -> dict[str, tuple[Any, ...]]:
        """What is left of Monday's grid."""
        left = dict(MONDAY_SPACE)
        left["weight_bits"] = tuple(bits for bits in left["weight_bits"] if bits >= self.fewest_bits)
        if not self.may_guess:
            left["num_speculative_tokens"] = (0,)
        if self.only_today:
            left |= {"scheduler": ("chunked",), "kv_layout": ("paged",), "preemption": ("recompute",)}
        return left


def wishes() -> Wish:
    """Draw what the reader accepts and return it."""
    left, right = st.columns(2)
    with left:
        bits = choice("Fewest bits I accept", tuple(BITS.words.values()), "4", name="fewest")
    with right:
        cannot_guess = switch("We cannot guess ahead", name="no_guesses")
        only_today = switch("Only what engines offer today", name="today")
    return Wish(int(bits), not cannot_guess, only_today)


def switch(label: str, *, name: str) -> bool:
    """Draw a box to tick and return whether it is ticked."""
    link.restore(name, False, is_yes)
    value = st.checkbox(label, key=link.key(name), persist_state="session")
    link.publish(name, "yes" if value else None)
    return value


def is_yes(text: str) -> bool:
    """Return True for the one word that a link may say; ValueError for others."""
    return one_of(("yes",))(text) == "yes"


def search_here(targets: Targets, count: str) -> Found | None:
    """Draw the button of the search, or its progress, and return what was found; None until it is asked for."""
    link.restore("search", False, is_yes)
    if link.kept("search") and link.kept("asked") is None:
        ask(targets)
    is_asked = link.kept("asked") == targets
    found = already(targets) if link.kept("search") else None
    if found is None and is_asked:
        found = with_progress(targets)
    if found is None:
        again = " with these targets" if link.kept("search") else ""
        label = f"Try all {count} settings{again}"
        st.button(
            label,
            link.key("try_all"),
            type="primary",
            icon=":material/search:",
            on_click=ask,
            args=(targets,),
        )
        if link.kept("asked") == STOPPED:
            st.caption("Stopped: nothing of it is kept.")
    st.session_state[link.key("found")] = bool(found) or link.kept("found") is True
    link.publish("search", "yes" if found else None)
    return found


def ask(targets: Targets) -> None:
    """Note that the search is wanted, and for which targets."""
    st.session_state[link.key("search")] = True
    st.session_state[link.key("asked")] = targets


def stop() -> None:
    """Note that the search is not wanted any more; what was found before, for other targets, stays."""
    st.session_state[link.key("search")] = link.kept("found") is True
    st.session_state[link.key("asked")] = STOPPED


def with_progress(targets: Targets) -> Found:
    """Search and say how far it is; a press on Stop, or leaving, ends it."""
    place = st.empty()
    with place.container():
        bar = st.progress(0.0, "Beginning")
        st.button("Stop", link.key("stop"), on_click=stop)

    def tell(words: str, share: float) -> None:
        bar.progress(share, words)

    with turns.aside():
        found = find(targets, tell)
    place.empty()
    return found
