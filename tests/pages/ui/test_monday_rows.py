"""The rows of a search, kept small: nothing of them is lost."""

import pandas as pd
import pytest

from pages.ui.ladder import rush
from pages.ui.monday_rows import compact, rarely_read
from pages.ui.served import server
from sim import MONDAY_TARGETS, Settings, search

SMALL = {"max_num_seqs": (1, 8, 24, 64), "kv_layout": ("paged", "reserve-max"), "weight_bits": (16, 4)}


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return search(rush(), server(), SMALL, MONDAY_TARGETS, base=Settings())


def test_what_is_kept_of_a_search_gives_back_all_of_it(frame: pd.DataFrame) -> None:
    small, measures = compact(frame), rarely_read(frame)
    assert measures.beside(small).round(6).to_csv() == frame.round(6).to_csv()
    pd.testing.assert_frame_equal(
        measures.beside(small), frame, check_dtype=False, check_categorical=False, rtol=0, atol=0
    )


def test_rows_that_repeat_are_kept_once_and_columns_are_narrow(frame: pd.DataFrame) -> None:
    twice = pd.concat([frame.iloc[[0, 0]], frame]).reset_index(drop=True)
    assert len(rarely_read(twice).rows) == len(rarely_read(frame).rows)
    kept = compact(frame).memory_usage(deep=True).sum() + rarely_read(frame).rows.memory_usage().sum()
    assert kept < frame.memory_usage(deep=True).sum()
    assert len(rarely_read(frame.head(0)).rows) == 0


def test_the_counts_of_what_was_left_out_are_kept(frame: pd.DataFrame) -> None:
    assert compact(frame).attrs == frame.attrs
