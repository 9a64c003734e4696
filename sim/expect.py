"""Checks of plain values: each returns the value as Python's own type, or raises a ValueError with a sentence."""

from collections.abc import Callable, Sequence
from math import isfinite
from numbers import Integral, Real
from typing import Any, TypeVar

LARGEST_COUNT = 10**12  # sums of token counts stay far inside 64 bits
LONGEST_S = 1e9  # sums of seconds stay far inside floats, and exact to less than a microsecond
SHORTEST_S = 1e-9  # a sum of measured seconds below this is none
SHOWN_CHARACTERS = 200
Choice = TypeVar("Choice", str, int)


def shown(value: object) -> str:
    """Return what a sentence shows of a wrong value: all of it unless that is very long."""
    try:
        text = " ".join(repr(value).split())
    except ValueError:  # Python writes out no number of more than some thousand digits
        return "a number of thousands of digits"
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]} …"


def whole(name: str, value: object, least: int = 1, most: int = LARGEST_COUNT) -> int:
    """Return a whole number in [least, most]."""
    if type(value) is int and least <= value <= most:
        return value  # at once: a search checks a million values
    if isinstance(value, bool) or not isinstance(value, Integral) or not least <= int(value) <= most:
        raise ValueError(f"{name}: expected a whole number from {least:,} to {most:,}, got {shown(value)}.")
    return int(value)


def number(name: str, value: object) -> float:
    """Return a finite real number."""
    if not isinstance(value, bool) and isinstance(value, Real):
        try:
            found = float(value)
        except OverflowError:
            found = float("inf")
        if isfinite(found):
            return found
    raise ValueError(f"{name}: expected a finite number, got {shown(value)}.")


def not_negative(name: str, value: object, most: float = float("inf")) -> float:
    """Return a finite number of at least 0, and at most `most`."""
    found = number(name, value)
    if not 0 <= found <= most:
        limits = "0 or more" if most == float("inf") else f"a number from 0 to {most:,.0f}"
        raise ValueError(f"{name}: expected {limits}, got {shown(value)}.")
    return found


def positive(name: str, value: object, least: float = 0.0) -> float:
    """Return a finite number above 0, and at least `least`."""
    found = number(name, value)
    if found <= 0 or found < least:
        limits = f"at least {least:g}" if least else "more than 0"
        raise ValueError(f"{name}: expected {limits}, got {shown(value)}.")
    return found


def share(name: str, value: object, *, zero: bool = True) -> float:
    """Return a number from 0 (or above 0) to 1."""
    found = number(name, value)
    if not 0 <= found <= 1 or (found == 0 and not zero):
        raise ValueError(
            f"{name}: expected a share {'from' if zero else 'above'} 0 to 1, got {shown(value)}."
        )
    return found


def one_of(name: str, value: object, choices: Sequence[Choice]) -> Choice:
    """Return the one of `choices` that `value` is."""
    if isinstance(value, bool) or not isinstance(value, str | Integral) or value not in choices:
        known = ", ".join(repr(choice) for choice in choices)
        raise ValueError(f"{name}: expected one of {known}, got {shown(value)}.")
    return choices[choices.index(value)]


def instance(name: str, value: object, kind: type) -> None:
    """Raise ValueError unless `value` is an instance of `kind`."""
    if not isinstance(value, kind):
        raise ValueError(f"{name}: expected an instance of {kind.__name__}, got {shown(value)}.")


def flag(name: str, value: object) -> None:
    """Raise ValueError unless `value` is None, or can be asked whether it `is_set`, as a threading.Event can."""
    if value is not None and not callable(getattr(value, "is_set", None)):
        raise ValueError(f"{name}: expected a threading.Event or None, got {shown(value)}.")


def settle(record: object, name: str, check: Callable[..., Any], *limits: Any, **more_limits: Any) -> None:
    """Put what `check` returns in place of a field of a frozen dataclass.

    NumPy's numbers of few bits would overflow where they are multiplied.
    """
    object.__setattr__(record, name, check(name, getattr(record, name), *limits, **more_limits))
