"""Compiled or not, jumping or stepping: the rules give the same run, to the last bit."""

from unittest.mock import patch

import numpy as np
from hypothesis import given

from sim import Settings, larkspur_server, monday
from sim.compiler import PLAIN, compiled_rules
from sim.kernel import events
from sim.serve import serve
from tests.sim.random_runs import cases

TIMES = ("admitted_s", "first_token_s", "finish_s", "longest_gap_s", "preemptions", "rejected")


def served(trace, server, settings, rules, records=0):
    with patch("sim.serve.rules_for", lambda _: rules):
        return serve(trace, server, settings, records)


def assert_same_requests(one, other):
    for name in TIMES:
        np.testing.assert_array_equal(one.requests[name], other.requests[name], err_msg=name)


@given(cases())
def test_compiled_rules_are_the_plain_ones(case):
    plain, compiled = (served(*case, rules, records=2) for rules in (PLAIN, compiled_rules()))
    assert_same_requests(plain, compiled)
    assert plain.events.tobytes() == compiled.events.tobytes()
    assert plain.rows.tobytes() == compiled.rows.tobytes()


@given(cases())
def test_a_run_of_equal_passes_is_what_its_passes_are_one_by_one(case):
    jumping = served(*case, compiled_rules(), records=1)
    with patch.object(events, "equal_passes", lambda *_: 1):
        stepping = served(*case, PLAIN, records=1)
    assert_same_requests(stepping, jumping)
    assert len(stepping.events) == stepping.num_passes == jumping.num_passes
    assert stepping.peak_blocks == jumping.peak_blocks


def test_there_is_one_signature_whatever_is_run():
    for settings in (Settings(), Settings(num_speculative_tokens=4), Settings(kv_layout="reserve-max")):
        serve(monday(), larkspur_server(), settings, records=2)
    for entry in (compiled_rules().enroll, compiled_rules().advance, compiled_rules().serve_many):
        assert len(entry.signatures) == 1
