"""The controls whose values are settings of a page: kept for the visit, and in the page's address."""

import re
from collections.abc import Callable

import streamlit as st

from pages.ui import link


def slider(label: str, low: int, high: int, default: int, *, name: str, locked_at: int | None = None) -> int:
    """Draw a slider over whole numbers and return its value.

    While `locked_at` is given it stands there and cannot be moved; the reader's own value is kept for later.
    """
    link.restore(name, default, whole_number(low, high))
    link.publish(name, link.kept(name))
    if locked_at is not None:
        st.slider(label, low, high, locked_at, key=link.key(f"locked.{name}"), disabled=True)
        return locked_at
    value = st.slider(label, low, high, key=link.key(name), persist_state="session")
    link.publish(name, value)
    return value


def choice(
    label: str,
    options: tuple[str, ...],
    default: str,
    *,
    name: str,
    about: str | None = None,
    wraps: bool = False,
) -> str:
    """Draw a choice among a few words and return the one chosen; `about` explains it on demand.

    What `wraps` goes on in a second line where a phone is too narrow for it.
    """
    link.restore(name, default, one_of(options))
    draw = st.pills if wraps else st.segmented_control
    chosen = draw(label, options, required=True, key=link.key(name), persist_state="session", help=about)
    link.publish(name, chosen)
    return chosen or default


def reset(names: tuple[str, ...], words: str = "Reset") -> None:
    """Draw the button that puts this page's settings back to where they began."""
    icon = ":material/restart_alt:"
    is_asked = st.button(words, link.key("reset"), on_click=forget, args=(names,), type="tertiary", icon=icon)
    if is_asked and not link.is_whole():
        st.rerun()  # the settings may stand in several parts


def forget(names: tuple[str, ...]) -> None:
    """Drop settings and what was wrong with the link for them, so that the next run begins them anew."""
    for name in names:
        st.session_state.pop(link.key(name), None)
        link.forgive(name)


def whole_number(low: int, high: int) -> Callable[[str], int]:
    """Return a parser of whole numbers from `low` to `high`."""

    def parse(text: str) -> int:
        if not re.fullmatch(r"-?[0-9]{1,18}", text) or not low <= int(text) <= high:
            raise ValueError(f"expected a whole number from {low:,} to {high:,}")
        return int(text)

    return parse


def to_one_decimal(low: int, high: int) -> Callable[[str], float]:
    """Return a parser of numbers from `low` to `high` with one decimal at most: 44 (an int), 2.7."""

    def parse(text: str) -> float:
        if not re.fullmatch(r"[0-9]{1,9}(\.[0-9])?", text) or not low <= float(text) <= high:
            raise ValueError(f"expected a number from {low:,} to {high:,} with one decimal at most")
        return int(float(text)) if float(text).is_integer() else float(text)

    return parse


def one_of(options: tuple[str, ...]) -> Callable[[str], str]:
    """Return a parser that takes one of `options` and nothing else."""

    def parse(text: str) -> str:
        if text not in options:
            are_phrases = any(" " in option for option in options)
            named = [f"“{option}”" for option in options] if are_phrases else options
            raise ValueError(f"expected one of {', '.join(named)}")
        return text

    return parse
