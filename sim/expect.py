"""Checks of plain values: each passes in silence or raises a ValueError that says what was expected."""

from collections.abc import Sequence
from math import isfinite
from numbers import Integral, Real

LARGEST_COUNT = 10**12  # sums of token counts stay far inside 64 bits


def whole(name: str, value: object, least: int = 1, most: int = LARGEST_COUNT) -> None:
    """Raise ValueError unless `value` is a whole number in [least, most]."""
    if isinstance(value, bool) or not isinstance(value, Integral) or not least <= int(value) <= most:
        raise ValueError(f"{name}: expected a whole number from {least:,} to {most:,}, got {value!r}.")


def number(name: str, value: object) -> float:
    """Return `value` as a float, or raise ValueError unless it is a finite real number."""
    if isinstance(value, bool) or not isinstance(value, Real) or not isfinite(value):
        raise ValueError(f"{name}: expected a finite number, got {value!r}.")
    return float(value)


def not_negative(name: str, value: object) -> None:
    """Raise ValueError unless `value` is a finite number of at least 0."""
    if number(name, value) < 0:
        raise ValueError(f"{name}: expected 0 or more, got {value!r}.")


def positive(name: str, value: object) -> None:
    """Raise ValueError unless `value` is a finite number above 0."""
    if number(name, value) <= 0:
        raise ValueError(f"{name}: expected more than 0, got {value!r}.")


def share(name: str, value: object, *, zero: bool = True) -> None:
    """Raise ValueError unless `value` is a number from 0 (or above 0) to 1."""
    if not 0 <= number(name, value) <= 1 or (value == 0 and not zero):
        raise ValueError(f"{name}: expected a share {'from' if zero else 'above'} 0 to 1, got {value!r}.")


def one_of(name: str, value: object, choices: Sequence[str] | Sequence[int]) -> None:
    """Raise ValueError unless `value` is one of `choices`."""
    if isinstance(value, bool) or not isinstance(value, str | Integral) or value not in choices:
        known = ", ".join(repr(choice) for choice in choices)
        raise ValueError(f"{name}: expected one of {known}, got {value!r}.")


def instance(name: str, value: object, kind: type) -> None:
    """Raise ValueError unless `value` is an instance of `kind`."""
    if not isinstance(value, kind):
        raise ValueError(f"{name}: expected an instance of {kind.__name__}, got {value!r}.")
