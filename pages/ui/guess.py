"""The guess: what a reader commits to before the truth is shown. The first stays; it can be changed."""

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from pages.ui import link
from pages.ui.controls import one_of, whole_number


@dataclass(frozen=True)
class Guess:
    """The number in the box, the first and the latest one locked in, and whether the truth may be seen."""

    typed: int | None
    first: int | None
    latest: int | None
    is_revealed: bool

    @property
    def drawn(self) -> int | None:
        """The guess to draw: the latest locked in, before that the one in the box."""
        return self.latest if self.latest is not None else self.typed


def guess(question: str, unit: str, low: int, high: int, *, among: tuple[int, ...] = ()) -> Guess:
    """Ask for a number from `low` to `high`, or one `among` a few, and return what the reader has committed to."""
    restore_guesses(one_number(among) if among else whole_number(low, high))
    typed = pick(question, among) if among else number(question, unit, low, high)
    with st.container(horizontal=True, vertical_alignment="center"):
        label = "Lock in my guess" if link.kept("guess") is None else "Change my guess"
        st.button(label, icon=":material/check:", on_click=lock, args=(low, high), key=link.key("lock"))
        if not is_made():
            st.button("Show me", on_click=show, key=link.key("show"))
    if link.kept("is_missing") and typed is None:
        instead = "" if is_made() else ", or press “Show me”"
        asked = "Pick one" if among else f"Type a number from {low:,} to {high:,} {unit}"
        st.caption(f"{asked} first{instead}.")
    return publish_guesses(typed)


def number(question: str, unit: str, low: int, high: int) -> int | None:
    """Draw the box in which a guess is typed, and return what is in it."""
    return st.number_input(
        question,
        low,
        high,
        value=None,
        step=1,
        placeholder=f"your guess, in {unit}",
        key=link.key("typed"),
        persist_state="session",
    )


def pick(question: str, among: tuple[int, ...]) -> int | None:
    """Draw the few numbers among which one is guessed, and return the one picked."""
    return st.segmented_control(question, among, key=link.key("typed"), persist_state="session")


def one_number(among: tuple[int, ...]) -> Callable[[str], int]:
    """Return a parser that takes one of a few numbers and nothing else."""
    parse = one_of(tuple(map(str, among)))
    return lambda text: int(parse(text))


def is_made() -> bool:
    """Whether this page's guess is locked in, or the truth shown without one."""
    return link.kept("shown") is True


def restore_guesses(parse: Callable[[str], int]) -> None:
    """Take over the guesses that the link tells of."""
    state = st.session_state
    is_told = link.has_news("guess")
    for name in ("guess", "first"):
        link.restore(name, None, parse)
    link.restore("shown", False, lambda text: one_of(("yes",))(text) == "yes")
    if (latest := link.kept("guess")) is not None:
        state[link.key("shown")] = True
        if is_told or link.key("typed") not in state:
            state[link.key("typed")] = latest
        state[link.key("first")] = latest if link.kept("first") is None else link.kept("first")


def lock(low: int, high: int) -> None:
    """Commit to the number in the box; the first one ever stays."""
    typed = link.kept("typed")
    is_given = isinstance(typed, int) and low <= typed <= high
    st.session_state[link.key("is_missing")] = not is_given
    if not is_given:
        return
    st.session_state[link.key("guess")] = typed
    if link.kept("first") is None:
        st.session_state[link.key("first")] = typed
    show()


def show() -> None:
    """Let the truth be seen."""
    st.session_state[link.key("shown")] = True
    st.session_state[link.key("is_missing")] = False


def publish_guesses(typed: int | None) -> Guess:
    """Put the guesses into the address and return them."""
    latest, first = st.session_state[link.key("guess")], st.session_state[link.key("first")]
    link.publish("guess", latest)
    link.publish("first", first)
    link.publish("shown", "yes" if is_made() else None)
    return Guess(typed, first, latest, is_made())
