"""The controls whose values are settings of a page: kept for the visit, and in the page's address."""

from collections.abc import Callable
from typing import TypeVar

import streamlit as st

from pages.ui import link

T = TypeVar("T")


def slider(
    label: str,
    low: int,
    high: int,
    default: int,
    *,
    name: str,
    note: str | None = None,
) -> int:
    """Draw a slider over whole numbers and return its value."""
    complaint = link.restore(name, default, whole_number(low, high))
    value = st.slider(label, low, high, key=link.key(name), persist_state="session", help=note)
    return settle(name, value, default, complaint)


def locked_slider(label: str, low: int, high: int, value: int) -> int:
    """Draw a slider that stands at `value` until the page unlocks it, and return that."""
    st.slider(label, low, high, value, key=link.key(f"locked.{label}"), disabled=True)
    return value


def choice(label: str, options: tuple[str, ...], *, name: str, note: str | None = None) -> str:
    """Draw a row of words to choose from, the first by default, and return the one chosen."""
    complaint = link.restore(name, options[0], one_of(options))
    value = st.segmented_control(
        label, options, required=True, key=link.key(name), persist_state="session", help=note
    )
    return settle(name, value or options[0], options[0], complaint)


def settle(name: str, value: T, default: T, complaint: str | None) -> T:
    """Put a control's value into the address and say beside it what was wrong with the link."""
    link.publish(name, value, default)
    if complaint:
        st.warning(complaint, icon=":material/link_off:")
    return value


def reset(names: tuple[str, ...]) -> None:
    """Draw the button that puts this page's settings back to where they began."""
    keys = [link.key(name) for name in names]
    icon = ":material/restart_alt:"
    st.button("Reset", link.key("reset"), on_click=forget, args=(keys,), type="tertiary", icon=icon)


def forget(keys: list[str]) -> None:
    """Drop settings, so that the next run begins them anew."""
    for key in keys:
        st.session_state.pop(key, None)


def whole_number(low: int, high: int) -> Callable[[str], int]:
    """Return a parser of whole numbers from `low` to `high`."""

    def parse(text: str) -> int:
        expected = f"expected a whole number from {low:,} to {high:,}"
        if not text.isascii() or not text.lstrip("-").isdigit() or not low <= int(text) <= high:
            raise ValueError(expected)
        return int(text)

    return parse


def one_of(options: tuple[str, ...]) -> Callable[[str], str]:
    """Return a parser that takes one of `options` and nothing else."""

    def parse(text: str) -> str:
        if text not in options:
            raise ValueError(f"expected one of {', '.join(options)}")
        return text

    return parse
