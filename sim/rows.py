"""Rows of frames: how many there may be, and how they are numbered where some things have several each."""

import numpy as np

from sim.arrays import Counts

MOST_ROWS = 20_000_000  # of a log, or of a frame: about two gigabytes


def check_rows(count: float) -> None:
    """Raise ValueError where so many rows would not fit in memory."""
    if count > MOST_ROWS:
        raise ValueError(
            f"expected a run that can be written down in {MOST_ROWS:,} rows, got {count:,.0f}; "
            "ask for these frames of a shorter trace."
        )


def numbered(counts: Counts) -> tuple[Counts, Counts]:
    """Return rows for things [n] that have so many each: whose each row is, and its number among those, from 0.

    Raises ValueError where they would not fit in memory.
    """
    check_rows(counts.sum(dtype=np.float64))
    which = np.repeat(np.arange(len(counts)), counts)
    return which, np.arange(len(which)) - np.repeat(np.cumsum(counts) - counts, counts)
