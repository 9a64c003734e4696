"""Numbers as a reader sees them: with a unit and as many digits as make sense."""

import math

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
