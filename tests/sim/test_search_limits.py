"""A search that is given up stops soon, and one that makes no sense is a sentence before it starts."""

import threading
import time
from fractions import Fraction
from unittest.mock import patch

import numpy as np
import pytest

from sim import Settings, Targets, Trace, larkspur_server, monday, search
from sim.exchange import blank_seqs
from sim.grid import grid_of

TARGETS = Targets(ttft_s=1, tpot_s=0.03)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"cancel": True}, "cancel: expected a threading.Event or None, got True"),
        ({"progress": 5}, "progress: expected a function of two numbers, or None, got 5"),
        ({"base": "fast"}, "base: expected an instance of Settings"),
        ({"threads": 0}, "threads: expected a whole number from 1"),
    ],
)
def test_what_a_search_is_not_told_with_is_a_sentence(wrong, sentence):
    with pytest.raises(ValueError, match=sentence):
        search(monday(), larkspur_server(), {}, TARGETS, **wrong)


def test_a_search_for_guesses_without_an_end_is_refused():
    trace = Trace([0.0], [5], [10**6])
    with pytest.raises(ValueError, match="num_speculative_tokens: expected at most"):
        search(trace, larkspur_server(), {"num_speculative_tokens": [0, 10**6]}, TARGETS)


def test_fractions_and_numpys_numbers_are_values_like_others():
    space = {"acceptance_rate": [Fraction(1, 2)], "max_num_seqs": np.array([3, 5], dtype=np.int8)}
    frame = search(monday(), larkspur_server(), space, TARGETS, base=Settings(num_speculative_tokens=2))
    assert sorted(frame["max_num_seqs"]) == [3, 5]
    assert list(frame["acceptance_rate"]) == [0.5, 0.5]


def test_a_million_combinations_are_sorted_out_soon():
    space = {"max_num_seqs": range(1, 1001), "scheduler": ["iteration-level"], "seed": range(1000)}
    began_s = time.process_time()
    grid = grid_of(space, Settings(), larkspur_server())
    assert time.process_time() - began_s < 3
    assert (len(grid), grid.same) == (1000, 999_000)


def test_no_piece_of_a_search_begins_once_it_is_cancelled_or_given_up():
    count, cancel, begun = 20_000, threading.Event(), []
    trace = Trace(np.arange(count) * 0.05, np.full(count, 100), np.full(count, 20))
    space = {"max_num_seqs": range(1, 501)}

    def blank_seqs_counted(rules, trace):
        begun.append(1)
        return blank_seqs(rules, trace)

    with patch("sim.search.blank_seqs", blank_seqs_counted):
        frame = search(
            trace,
            larkspur_server(),
            space,
            TARGETS,
            progress=lambda *_: cancel.set(),
            threads=2,
            cancel=cancel,
        )
        assert 0 < len(frame) < 60
        assert len(begun) <= 8
        begun.clear()
        with pytest.raises(ZeroDivisionError):
            search(trace, larkspur_server(), space, TARGETS, progress=lambda *_: 1 / 0, threads=2)
        assert len(begun) <= 8
