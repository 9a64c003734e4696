"""Compiled or not, jumping or stepping: the rules give the same run, to the last bit."""

import time
from dataclasses import replace
from unittest.mock import patch

import numpy as np
from hypothesis import given

from sim import Settings, Trace, larkspur_server, monday
from sim.compiler import PLAIN, compiled_rules
from sim.kernel import events
from sim.kernel.batch import keep, set_back
from sim.kernel.records import Result, Seq
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


def test_set_back_forgets_every_field_but_what_a_request_brings():
    seq, brought = Seq(), ("arrival_s", "prompt_tokens", "output_tokens", "cached_tokens", "final_blocks")
    for name in Seq.__slots__:
        setattr(seq, name, 77)
    set_back([seq])
    for name in Seq.__slots__:
        np.testing.assert_equal(getattr(seq, name), 77 if name in brought else getattr(Seq(), name), name)


def test_keep_copies_every_field_of_a_result():
    seq, result = Seq(), Result()
    for number, name in enumerate(Result.__slots__):
        setattr(seq, name, 100 + number)
    keep([seq], [result])
    assert [getattr(result, name) for name in Result.__slots__] == [100 + n for n in range(6)]


def test_a_crowd_that_reserves_in_one_pass_is_seated_in_time_that_grows_with_it():
    count = 100_000
    server = replace(larkspur_server(), num_gpu_blocks=10**9)
    settings = Settings(max_num_seqs=10**6, max_num_batched_tokens=10**9, kv_layout="reserve-exact")
    trace = Trace(np.zeros(count), np.full(count, 100), np.full(count, 20))
    served(trace, server, settings, compiled_rules())
    began_s = time.process_time()
    run = served(trace, server, settings, compiled_rules())
    assert time.process_time() - began_s < 5  # in time that grows with its square: a minute
    assert run.peak_blocks == 8 * count
    assert run.num_passes == 20
