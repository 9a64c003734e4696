"""Runs that are kept and judged by other targets say what a search for those targets says."""

import threading
from dataclasses import fields, replace

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings

from sim import MONDAY_SPACE, Settings, Targets, Trace, larkspur_server, monday, search
from sim.tried import try_all
from tests.sim.random_runs import cases

SPACE = {
    "scheduler": ("request-level", "iteration-level", "prefill-first", "chunked"),
    "kv_layout": ("paged", "reserve-max", "reserve-pow2"),
    "max_num_seqs": (4, 24, 64),
    "num_speculative_tokens": (0, 3),
}
TARGETS = (Targets(1, 0.03), Targets(0.2, 0.03), Targets(2, 0.05, gap_s=0.2), Targets(9, 0.09, e2e_s=4))


def test_runs_judged_by_any_targets_are_the_search_for_them():
    tried = try_all(monday(), larkspur_server(), SPACE)
    for targets in TARGETS:
        pd.testing.assert_frame_equal(
            tried.judged(targets), search(monday(), larkspur_server(), SPACE, targets)
        )


def test_equal_times_are_kept_once():
    tried = try_all(monday(), larkspur_server(), SPACE)
    assert tried.which.max() + 1 == len(tried.times.ttft_s) < len(tried.which)


@given(cases())
@hypothesis_settings(max_examples=25)
def test_a_random_setting_is_judged_as_its_search_judges_it(case):
    trace, server, settings = case
    tried = try_all(trace, server, {}, base=settings)
    for targets in (*TARGETS, Targets(0.02, 0.005)):
        again = search(trace, server, {}, targets, base=settings)
        pd.testing.assert_frame_equal(tried.judged(targets), again)


def test_on_two_cards_too():
    two = replace(larkspur_server(), replicas=2)
    tried = try_all(monday(), two, SPACE)
    for targets in TARGETS:
        pd.testing.assert_frame_equal(tried.judged(targets), search(monday(), two, SPACE, targets))


def test_what_was_finished_before_it_was_given_up_is_judged_as_the_search_judges_it():
    cancel = threading.Event()
    tried = try_all(
        monday(), larkspur_server(), MONDAY_SPACE, progress=lambda done, of: cancel.set(), cancel=cancel
    )
    some = tried.judged(TARGETS[0])
    everything = search(monday(), larkspur_server(), MONDAY_SPACE, TARGETS[0])
    assert 0 < len(some) < len(everything)
    names = [field.name for field in fields(Settings)]
    same = everything.merge(some[names], on=names)  # in the order of the whole search
    pd.testing.assert_frame_equal(some, same, check_like=False)


def test_an_empty_trace_and_runs_given_up_at_once_are_empty_frames():
    nobody = Trace([], [], [])
    assert try_all(nobody, larkspur_server(), SPACE).judged(TARGETS[0])["on_target"].sum() == 0
    cancel = threading.Event()
    cancel.set()
    tried = try_all(monday(), larkspur_server(), SPACE, cancel=cancel)
    frame = tried.judged(TARGETS[0])
    assert len(frame) == 0
    assert frame.attrs["cancelled"]


def test_targets_and_spaces_that_are_none_are_refused():
    tried = try_all(monday(), larkspur_server(), {"max_num_seqs": (4,)}, base=Settings())
    with pytest.raises(ValueError, match="targets: expected"):
        tried.judged(1.0)
    with pytest.raises(ValueError, match="space: expected"):
        try_all(monday(), larkspur_server(), 4)
