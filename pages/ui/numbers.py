"""Numbers as a reader sees them: with a unit and as many digits as make sense."""

import math
import re
from collections.abc import Sequence

APART = "\N{NO-BREAK SPACE}"  # between a number and its unit, so that no line ends there
MEASURED_IN = "ms|µs|s|KB|MB|GB|TB|bytes|bits?|tokens?|times"
UNITS = ("bytes", "KB", "MB", "GB")


def ms(seconds: float, decimals: int | None = None) -> str:
    """Return a time in milliseconds: 16 ms, 1,632 ms; one decimal below 10, unless told how many."""
    value = seconds * 1e3
    if decimals is None:
        decimals = 1 if abs(value) < 9.95 else 0
    return f"{value:,.{decimals}f} ms"


def brief(seconds: float) -> str:
    """Return a time in the unit that suits it: 240 µs, 1.6 ms, 16 ms, 2.4 s."""
    if seconds < 0.9995e-3:
        return f"{seconds * 1e6:,.0f} µs"
    return ms(seconds) if seconds < 0.9995 else f"{seconds:,.1f} s"


def count(value: float) -> str:
    """Return a whole number with thousands marked: 12,853,473,280."""
    return f"{value:,.0f}"


def tokens(number: int) -> str:
    """Return a number of tokens: 1 token, 2,048 tokens."""
    return f"{number:,} token{'' if number == 1 else 's'}"


def memory(size_bytes: float) -> str:
    """Return memory as the papers write it, in KB, MB and GB of 1,024: 800 KB, 1.6 GB."""
    if size_bytes < 1024:
        return f"{size_bytes:,.0f} bytes"
    power = min(3, int(math.log(size_bytes, 1024)))
    size = size_bytes / 1024**power
    return f"{size:.1f} {UNITS[power]}" if size < 9.95 else f"{size:,.0f} {UNITS[power]}"


def percent(share: float, decimals: int = 0) -> str:
    """Return a share, 0 to 1, in percent: 41 %; what is neither nothing nor all never reads 0 % or 100 %."""
    value = round(100 * share, decimals)
    if share in (0, 1) or value not in (0, 100):
        return f"{value:.{decimals}f} %"
    if decimals == 0:
        return percent(share, 1)
    return "below 0.1 %" if value == 0 else "above 99.9 %"


def adding_up(parts: Sequence[float], decimals: int) -> list[float]:
    """Return the parts rounded so that they add up to their rounded sum: those nearest to the next step go up."""
    steps = [part * 10**decimals for part in parts]
    floors = [math.floor(step) for step in steps]
    missing = round(sum(steps)) - sum(floors)
    raised = sorted(range(len(steps)), key=lambda place: floors[place] - steps[place])[:missing]
    return [(floor + (place in raised)) / 10**decimals for place, floor in enumerate(floors)]


def beside(value: float, limit: float, decimals: int = 2) -> str:
    """Return a number with two decimals, or with as many more as show on which side of `limit` it is: 1.497."""
    told = f"{value:.{decimals}f}"
    is_told = value == limit or (float(told) < limit) == (value < limit)
    return told if is_told or decimals > 6 else beside(value, limit, decimals + 1)


def spaced(text: str) -> str:
    """Return a text with a space before each percent sign, and no line break between a number and its unit."""
    text = re.sub(r"(?<=\d)%(?![0-9A-Fa-f]{2})", " %", text)
    return re.sub(rf"(?<=\d)(\**) (?=(?:%|(?:{MEASURED_IN})\b))", rf"\1{APART}", text)
