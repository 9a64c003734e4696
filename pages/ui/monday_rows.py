"""The rows of a search, kept small: what pages read, in narrow columns."""

import pandas as pd

from sim.grid import FIELDS

READ = (*FIELDS, "exists_today", "on_target", "ttft_mean_s", "e2e_mean_s")


def compact(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the columns that pages read, of a search's rows, as narrow as their values allow."""
    return narrow(frame[list(READ)])


def narrow(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame whose whole numbers are as short as they can be, and whose words are kept once each."""
    columns = {name: narrowed(column) for name, column in frame.items()}
    small = pd.DataFrame(columns, index=frame.index)
    small.attrs = frame.attrs
    return small


def narrowed(column: pd.Series) -> pd.Series:
    """Return a column of the same values in fewer bytes; fractions keep all their digits."""
    if column.dtype.kind == "i":
        return pd.to_numeric(column, downcast="integer")
    return column if column.dtype.kind in "fb" else column.astype("category")
