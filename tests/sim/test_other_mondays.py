"""How settings hold on other Mondays is what direct runs say, and ties are ordered by it."""

import threading
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest

from sim import (
    MONDAY_SPACE,
    MONDAY_START,
    MONDAY_TARGETS,
    CancelledError,
    Settings,
    larkspur_server,
    monday,
    mondays,
    search,
    simulate,
)
from sim.compiler import PLAIN
from sim.other_mondays import MOST_KEPT, on_target_counts, order_ties, settings_of

pytestmark = pytest.mark.slow  # left to dev.py test


SERVER = larkspur_server()
OTHERS = mondays(30, seed=1)
SMALL = {"max_num_seqs": [8, 24], "max_num_batched_tokens": [512, 2048], "weight_bits": [16, 4]}


def direct(settings, trace):
    return simulate(trace, SERVER, settings, MONDAY_TARGETS).summary()["on_target"]


@pytest.fixture(scope="module")
def frame():
    return search(monday(), SERVER, MONDAY_SPACE, MONDAY_TARGETS)


@pytest.mark.parametrize("threads", [1, 3])
def test_counts_are_those_of_direct_runs(threads):
    settings = [MONDAY_START, Settings(), Settings(weight_bits=4, num_speculative_tokens=2)]
    counts = on_target_counts(OTHERS, SERVER, settings, MONDAY_TARGETS, threads=threads)
    assert counts.tolist() == [[direct(one, trace) for trace in OTHERS] for one in settings]


def test_counts_are_the_same_without_a_compiler():
    settings = [Settings(), Settings(weight_bits=4, num_speculative_tokens=2)]
    counts = on_target_counts(OTHERS[:3], SERVER, settings, MONDAY_TARGETS)
    with patch("sim.other_mondays.compiled_rules", return_value=PLAIN):
        plain = on_target_counts(OTHERS[:3], SERVER, settings, MONDAY_TARGETS)
    assert plain.tolist() == counts.tolist()


def test_nothing_to_run_is_nothing():
    assert on_target_counts(OTHERS, SERVER, [], MONDAY_TARGETS).shape == (0, 30)
    assert on_target_counts([], SERVER, [Settings()], MONDAY_TARGETS).shape == (1, 0)


def test_ties_are_ordered_by_how_they_hold_then_by_closeness_to_the_defaults(frame):
    rows = order_ties(frame, OTHERS, SERVER, MONDAY_TARGETS)
    most = frame["on_target"].max()
    assert len(rows) == (frame["on_target"] == most).sum()
    assert (rows["on_target"] == most).all()
    told = list(
        zip(-rows["others_tried"], -rows["others_held"], -rows["others_mean"], rows["unlike"], strict=True)
    )
    assert told == sorted(told)
    for place in (0, 1, len(rows) // 2, len(rows) - 1):
        row = rows.iloc[place]
        counts = [
            direct(settings_of(rows.iloc[[place]])[0], trace) for trace in OTHERS[: int(row["others_tried"])]
        ]
        assert row["others_held"] == sum(count >= most for count in counts)
        assert row["others_mean"] == pytest.approx(np.mean(counts))


def test_what_was_run_before_is_not_run_again_and_changes_nothing(frame):
    known = {}
    today = frame[frame["exists_today"]]
    rows = order_ties(today, OTHERS, SERVER, MONDAY_TARGETS, slack=1, known=known)
    runs = []
    again = order_ties(
        today, OTHERS, SERVER, MONDAY_TARGETS, slack=1, known=known, progress=lambda *n: runs.append(n)
    )
    assert runs == []
    pd.testing.assert_frame_equal(again, rows)
    pd.testing.assert_frame_equal(
        order_ties(frame, OTHERS, SERVER, MONDAY_TARGETS, known=known),
        order_ties(frame, OTHERS, SERVER, MONDAY_TARGETS),
    )
    assert {len(counts) for counts in known.values()} <= {20, len(OTHERS)}


def test_the_tie_that_search_puts_first_is_not_the_one_that_holds_on_most(frame):
    rows = order_ties(frame, mondays(200, seed=1), SERVER, MONDAY_TARGETS)
    found = rows[(rows["others_tried"] == 200)]
    first = settings_of(frame.head(1))[0]
    counts = on_target_counts(mondays(200, seed=1), SERVER, [first], MONDAY_TARGETS)[0]
    assert (counts >= frame["on_target"].max()).sum() < found["others_held"].max()


def test_few_kinds_are_all_run_on_all_traces_and_slack_lets_more_in():
    frame = search(monday(), SERVER, SMALL, MONDAY_TARGETS)
    rows = order_ties(frame, OTHERS, SERVER, MONDAY_TARGETS, slack=24)
    assert len(rows) == len(frame) < MOST_KEPT
    assert (rows["others_tried"] == len(OTHERS)).all()
    assert len(order_ties(frame.head(0), OTHERS, SERVER, MONDAY_TARGETS)) == 0


def test_progress_ends_with_all_runs_done():
    told = []
    on_target_counts(
        OTHERS, SERVER, [Settings(), MONDAY_START], MONDAY_TARGETS, progress=lambda *n: told.append(n)
    )
    assert told == [(2 * (n + 1), 60) for n in range(30)]


def test_it_can_be_given_up():
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(CancelledError):
        on_target_counts(OTHERS, SERVER, [Settings()], MONDAY_TARGETS, cancel=cancel)


def test_whatever_progress_raises_ends_it():
    def leave(done, _):
        raise KeyboardInterrupt(done)

    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        on_target_counts(OTHERS, SERVER, [Settings()] * 20, MONDAY_TARGETS, progress=leave)
    assert threading.active_count() == before
