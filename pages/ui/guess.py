"""The guess: what a reader commits to before the truth is shown. The first stays; it can be changed."""

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from pages.ui import link
from pages.ui.chapters import Page
from pages.ui.controls import one_of, to_one_decimal, whole_number

NEAR = 1.2  # a guess within this factor of the truth is close


@dataclass(frozen=True)
class Guess:
    """The number in the box, the first and the latest one locked in, and whether the truth may be seen."""

    typed: float | None
    first: float | None
    latest: float | None
    is_revealed: bool

    @property
    def drawn(self) -> float | None:
        """The guess to draw: the latest locked in, before that the one in the box."""
        return self.latest if self.latest is not None else self.typed


def guess(
    question: str, unit: str, low: int, high: int, *, is_whole: bool = True, among: tuple[int, ...] = ()
) -> Guess:
    """Ask for a number and return what the reader has committed to.

    It is from `low` to `high`, whole or to one decimal, or one `among` a few.
    """
    typed_as = whole_number(low, high) if is_whole else to_one_decimal(low, high)
    restore_guesses(one_number(among) if among else typed_as)
    typed = pick(question, among) if among else number(question, unit, low, high, int if is_whole else float)
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


def pick(question: str, among: tuple[int, ...]) -> int | None:
    """Draw the few numbers among which one is guessed, and return the one picked."""
    return st.segmented_control(question, among, key=link.key("typed"), persist_state="session")


def one_number(among: tuple[int, ...]) -> Callable[[str], int]:
    """Return a parser that takes one of a few numbers and nothing else."""
    parse = one_of(tuple(map(str, among)))
    return lambda text: int(parse(text))


def number(question: str, unit: str, low: int, high: int, kind: type[int] | type[float]) -> float | None:
    """Draw the box in which a guess is typed, and return what is in it: an int where it is whole."""
    box, told = link.key("typed"), link.kept("typed")
    if isinstance(told, int | float):
        st.session_state[box] = kind(told)
    value = st.number_input(
        question,
        kind(low),
        kind(high),
        value=None,
        step=kind(1),
        format="%d" if kind is int else "%g",
        placeholder=f"your guess, in {unit}",
        key=box,
        persist_state="session",
    )
    return None if value is None else plain(value)


def plain(value: float) -> float:
    """Return a guess to one decimal, as an int where it is whole: 44, 2.7."""
    return int(value) if float(value).is_integer() else round(value, 1)


def answers(guessed: float, truth: float, near: float = NEAR) -> tuple[str, str, str]:
    """Return which passages answer a guess: what it was, how it is off (`near` is a factor), and why."""
    if truth / near <= guessed <= truth * near:
        return "guess.told", "guess.close", "guess.because"
    return "guess.told", "guess.over" if guessed > truth else "guess.under", "guess.because"


def verdict(guessed: float, truth: float, close: float) -> str:
    """Return the passage that says how a guess is off: over, under, or no further away than `close`."""
    if abs(guessed - truth) <= close:
        return "guess.close"
    return "guess.over" if guessed > truth else "guess.under"


def is_made(page: Page | None = None) -> bool:
    """Whether the guess of this page, or of another one, is locked in, or the truth shown without one."""
    return link.kept("shown", page) is True


def restore_guesses(parse: Callable[[str], float]) -> None:
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
    is_given = isinstance(typed, int | float) and low <= typed <= high
    st.session_state[link.key("is_missing")] = not is_given
    if not isinstance(typed, int | float) or not is_given:
        return
    st.session_state[link.key("guess")] = plain(typed)
    if link.kept("first") is None:
        st.session_state[link.key("first")] = plain(typed)
    show()


def show() -> None:
    """Let the truth be seen."""
    st.session_state[link.key("shown")] = True
    st.session_state[link.key("is_missing")] = False


def publish_guesses(typed: float | None) -> Guess:
    """Put the guesses into the address and return them."""
    latest, first = st.session_state[link.key("guess")], st.session_state[link.key("first")]
    link.publish("guess", latest)
    link.publish("first", first)
    link.publish("shown", "yes" if is_made() else None)
    return Guess(typed, first, latest, is_made())
