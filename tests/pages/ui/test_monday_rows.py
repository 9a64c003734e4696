"""The rows of a search, kept small: nothing of them is lost."""

import pandas as pd
import pytest

from pages.ui.ladder import rush
from pages.ui.monday_rows import READ, compact
from pages.ui.served import server
from sim import MONDAY_TARGETS, Settings, search

SMALL = {"max_num_seqs": (1, 8, 24, 64), "kv_layout": ("paged", "reserve-max"), "weight_bits": (16, 4)}


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return search(rush(), server(), SMALL, MONDAY_TARGETS, base=Settings())


def test_columns_are_narrow_and_lose_nothing(frame: pd.DataFrame) -> None:
    small = compact(frame)
    pd.testing.assert_frame_equal(
        small, frame[list(READ)], check_dtype=False, check_categorical=False, rtol=0, atol=0
    )
    assert small.memory_usage(deep=True).sum() < frame[list(READ)].memory_usage(deep=True).sum() / 2
    assert len(compact(frame.head(0))) == 0


def test_the_counts_of_what_was_left_out_are_kept(frame: pd.DataFrame) -> None:
    assert compact(frame).attrs == frame.attrs
