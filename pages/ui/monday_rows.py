"""The rows of a search, kept small: what pages read in narrow columns, all other measures without repeats."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from sim.grid import FIELDS

READ = (*FIELDS, "exists_today", "on_target", "ttft_mean_s", "e2e_mean_s")


@dataclass(frozen=True, eq=False)
class Measures:
    """What was measured of settings: of neighbors in which all of it is the same one row, and which row is whose."""

    rows: pd.DataFrame
    which: npt.NDArray[np.int32]  # [n_settings]
    names: tuple[str, ...]  # of all columns of the search, in its order

    def beside(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return the rows of a search as it gave them, from `frame`, what is kept of them in narrow columns."""
        rest = self.rows.iloc[self.which].reset_index(drop=True)
        return pd.concat([frame, rest], axis="columns")[list(self.names)]


def rarely_read(frame: pd.DataFrame) -> Measures:
    """Return the columns of a search that only its CSV has."""
    rest = frame.drop(columns=list(READ))
    values = rest.to_numpy(np.float64)  # [n_settings, n_columns]
    same = (values[1:] == values[:-1]) | (np.isnan(values[1:]) & np.isnan(values[:-1]))
    differs = np.concatenate([[True] * (len(values) > 0), ~same.all(axis=1)])
    which = np.cumsum(differs, dtype=np.int32) - 1
    return Measures(narrow(rest[differs].reset_index(drop=True)), which, tuple(frame.columns))


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
