"""When requests arrive: dates, or numbers whose unit must be known."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from sim.arrays import Chosen, Counts, Seconds
from sim.trace_files.table import plain

PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
WORDS = {"s": "seconds", "ms": "milliseconds", "us": "microseconds", "ns": "nanoseconds"}
ENDINGS = {
    "_s": "s",
    "_sec": "s",
    "_seconds": "s",
    "_ms": "ms",
    "_milliseconds": "ms",
    "_us": "us",
    "_ns": "ns",
}
LARGEST = 1e300  # of numbers: differences and rates stay finite
SECONDS_1970_TO_2096 = (1e9, 4e9)
PLAUSIBLE_RATES = (0.001, 1000)  # requests a second
FRACTIONS_RATE = 100  # numbers with fractions are milliseconds only below this many requests a second


class Ticks(NamedTuple):
    """Arrivals [n_rows] as numbers of a unit still to be found, or as nanoseconds of dates; False: no time."""

    numbers: npt.NDArray[Any]
    good: Chosen
    dated: bool


class Unit(NamedTuple):
    """The unit of arrivals, and the sentence that says how it is known."""

    unit: str
    remark: str


def numbers(cells: Sequence[Any]) -> Seconds:
    """Return cells [n_rows] as numbers, NaN where one is none; true and false are none."""
    found, kinds = np.full(len(cells), np.nan), set(map(type, cells))
    if str in kinds:
        found = pd.to_numeric(_texts(cells), errors="coerce").to_numpy(np.float64, copy=True)
    if kinds & {int, float}:
        usable = (cell if type(cell) in (int, float) and abs(cell) < LARGEST else np.nan for cell in cells)
        found = np.where(np.isnan(found), np.fromiter(usable, np.float64, len(cells)), found)
    found[~(np.abs(found) < LARGEST)] = np.nan
    return found


def exact(cells: Sequence[Any], good: Chosen) -> Counts | None:
    """Return numbers as whole ones, 0 where one is not `good`; None where some are not whole, or too large."""
    if any(type(cell) is float for cell in cells):
        return None
    try:
        wholes = [int(cell) if is_good else 0 for cell, is_good in zip(cells, good.tolist(), strict=True)]
    except ValueError:
        return None
    fits = max(map(abs, wholes)) < 2**62  # so do their differences
    return np.array(wholes, dtype=np.int64) if fits else None


def ticks(cells: Sequence[Any]) -> Ticks:
    """Return when each row arrives, as numbers or as dates: whichever more cells are."""
    found: npt.NDArray[Any] = numbers(cells)
    good = np.isfinite(found)
    if 2 * good.sum() < len(found):
        dates = _dates(cells)
        if dates.notna().sum() > good.sum():
            as_ns = dates.dt.as_unit("ns").astype(np.int64).to_numpy()
            return Ticks(as_ns, dates.notna().to_numpy(), dated=True)
    if np.abs(found[good]).max(initial=0) > 2**53:  # whole numbers that floats cannot tell apart
        wholes = exact(cells, good)
        found = found if wholes is None else wholes
    return Ticks(found, good, dated=False)


def _dates(cells: Sequence[Any]) -> "pd.Series[pd.Timestamp]":
    """Return cells as dates, in UTC where they name no zone; NaT where one is none, or no nanoseconds hold it."""
    dates = pd.to_datetime(_texts(cells), format="ISO8601", utc=True, errors="coerce")
    first, last = (limit.tz_localize("UTC") for limit in (pd.Timestamp.min, pd.Timestamp.max))
    return dates.where(dates.between(first, last))


def _texts(cells: Sequence[Any]) -> "pd.Series[str]":
    return pd.Series([cell if isinstance(cell, str) else "" for cell in cells], dtype="object")


def unit_of(kept: npt.NDArray[Any], column: str, format_unit: str | None, given: str | None) -> Unit:
    """Return the unit of arrivals [n_requests]: as given, as the format or the name states, or as evident.

    Raises ValueError where two units are both plausible.
    """
    if given is not None:
        return Unit(given, f"Arrivals in {WORDS[given]}, as asked.")
    if format_unit is not None:
        return Unit(format_unit, f"Arrivals in {WORDS[format_unit]}, as this format has them.")
    stated = next((unit for ending, unit in ENDINGS.items() if plain(column).endswith(ending)), None)
    if stated is not None:
        return Unit(stated, f"Arrivals in {WORDS[stated]}, as the name of the column says.")
    return _evident(kept, column)


def _evident(kept: npt.NDArray[Any], column: str) -> Unit:
    """Return the unit that the numbers themselves show: their size, or the only plausible rate."""
    span = float(np.ptp(kept))
    if span == 0:
        return Unit("s", "All requests arrive at once, so that the unit of arrivals does not matter.")
    low, high = SECONDS_1970_TO_2096
    for unit, per_second in PER_SECOND.items():
        if low * per_second <= kept.min() and kept.max() < high * per_second:
            return Unit(unit, f"Arrivals in {WORDS[unit]} since 1970, as their size shows.")
    rates = {unit: (len(kept) - 1) / span * PER_SECOND[unit] for unit in ("s", "ms")}
    said = {unit: f"{rate:,.0f}" if rate >= 100 else f"{rate:.3g}" for unit, rate in rates.items()}
    plausible = [unit for unit, rate in rates.items() if _plausible(unit, rate, kept)]
    if len(plausible) != 1:
        raise ValueError(
            f"unit: expected to know what {column!r} counts, got numbers that do not show it: as seconds the file "
            f"has {said['s']} requests a second, as milliseconds {said['ms']}; give unit='s' or unit='ms'."
        )
    unit, other = ("s", "ms") if plausible == ["s"] else ("ms", "s")
    return Unit(
        unit,
        f"Arrivals taken as {WORDS[unit]}: {said[unit]} requests a second, where {WORDS[other]} would mean "
        f"{said[other]}. If that is wrong, give unit={other!r}.",
    )


def _plausible(unit: str, rate_per_s: float, kept: npt.NDArray[Any]) -> bool:
    slowest, fastest = PLAUSIBLE_RATES
    if unit == "ms" and (kept % 1 != 0).any():
        fastest = FRACTIONS_RATE
    return slowest <= rate_per_s <= fastest
