"""What a browser reports of a run, and the block of bytes that it gets."""

import json
from copy import deepcopy
from typing import Any

import numpy as np
import pytest

from larkspur import load
from pages.ui.mini_browser import SCRIPT, finished_run
from pages.ui.mini_bytes import packed
from pages.ui.mini_passes import pass_alt, pass_marks, pass_table, passes_sum

FIVE = [[300, 0.5], [301, 0.25], [302, 0.1], [0, 0.05], [5, 0]]
REPORT: dict[str, Any] = {
    "prompt_tokens": 7,
    "temperature": 0,
    "tick_us": 100,
    "ids": [300, 0],
    "likeliest": [FIVE, FIVE],
    "cached_us": [300.0, 50.04],
    "cached_repeats": [7, 40],
    "uncached_us": [310.0, 350],
    "uncached_repeats": [7, 6],
}


def test_a_reported_run_becomes_table_chart_and_sum() -> None:
    run = finished_run(REPORT)
    table = pass_table(run)
    assert table["with_cache_us"].tolist() == [300.0, 50.0]
    assert table["with_cache_tokens_read"].tolist() == [7, 1]
    assert table["without_cache_tokens_read"].tolist() == [7, 8]
    assert table["without_cache_repeats"].tolist() == [7, 6]
    assert table["token_written"].tolist() == ["␣l", "<|endoftext|>"]
    assert "50 µs" in pass_alt(run)
    assert "350 µs without" in pass_alt(run)
    drawn = pass_marks(run).to_pandas()
    assert drawn[drawn.kind == "with"].y.tolist() == [300.0, 50.0]
    assert drawn[drawn.kind == "without"].y.tolist() == [310.0, 350.0]
    upper = drawn[drawn.label.str.startswith("without")].y.item()
    assert upper == drawn[drawn.kind == "without"].y.max()
    assert "in your browser" in passes_sum(run).formula
    assert dict(passes_sum(run).values)["runs of one pass"] == "6 to 40"


def test_before_a_run_the_chart_is_empty_and_says_so() -> None:
    assert pass_marks(None).num_rows == 0
    assert "empty until" in pass_alt(None)


WRONG = [
    *(("prompt_tokens", value) for value in (1, 193, 2.5, "7", None)),
    *(("tick_us", value) for value in (0, float("nan"), "x")),
    *(("ids", value) for value in ([], [0] * 65, [544], [-1], [300], "ab", None)),
    *(("cached_us", value) for value in ([1], [0, 1], [float("inf"), 1], [float("nan"), 1], [[], 1])),
    *(("uncached_repeats", value) for value in ([0, 1], [1], [1e12, 1], [float("inf"), 1])),
    *(("likeliest", value) for value in ([FIVE], [FIVE, FIVE[:4]], [FIVE, [[1, 2]] * 5], [FIVE, [[1]] * 5])),
]


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_a_report_that_makes_no_sense_is_refused(name: str, value: object) -> None:
    with pytest.raises((KeyError, OverflowError, TypeError, ValueError)):
        finished_run(deepcopy(REPORT) | {name: value})


@pytest.mark.parametrize("report", [{}, [], "run", 7])
def test_what_is_no_report_at_all_is_refused(report: Any) -> None:
    with pytest.raises((KeyError, TypeError)):
        finished_run(report)


def test_the_block_holds_every_number_of_the_model_behind_its_header() -> None:
    block = packed("an example", "a “shared” \ud800 text")
    size = int.from_bytes(block[:4], "little")
    header = json.loads(block[4 : 4 + size])
    assert (4 + size) % 4 == 0
    assert (header["example"], header["shared"]) == ("an example", "a “shared” \ud800 text")
    for name, array in load("mini").params.items():
        kind, offset, count = header["arrays"][name]
        got = np.frombuffer(block, f"<{kind}", count, 4 + size + offset)
        np.testing.assert_array_equal(got, array.ravel())


def test_the_block_is_the_same_for_everyone_but_for_its_words() -> None:
    assert packed("a", "b") == packed("a", "b")
    assert packed("a", "b") != packed("a", "c")


def test_the_script_fetches_and_stores_nothing() -> None:
    for name in (
        "fetch(",
        "XMLHttpRequest",
        "sendBeacon",
        "WebSocket",
        "localStorage",
        "sessionStorage",
        "cookie",
    ):
        assert name not in SCRIPT
