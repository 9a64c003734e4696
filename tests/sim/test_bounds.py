"""Values of other kinds, of few bits and beyond all bounds: converted, or refused with a sentence."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from sim import (
    MEASURED_PASSES,
    Assumptions,
    Settings,
    Targets,
    Trace,
    UnitCosts,
    larkspur_server,
    lone_passes,
    lone_request,
    pass_time,
    reading_breaks_even,
    simulate,
)

SERVER = larkspur_server()
MEASURED = next(iter(MEASURED_PASSES.values()))
EMPTY = Trace([], [], [])
COSTS = UnitCosts(pass_s=0.01, token_s=1e-5, kv_token_s=1e-8, pair_s=1e-12)


def test_numpys_numbers_of_few_bits_and_fractions_become_pythons_own():
    settings = Settings(block_size=np.int32(6000), weight_bits=np.uint8(8), acceptance_rate=np.float32(0.5))
    assert SERVER.num_blocks(settings) == SERVER.num_blocks(Settings(block_size=6000, weight_bits=8))
    assert SERVER.num_blocks(Settings(block_size=np.int32(6000))) == 2
    few_bits = [
        settings,
        replace(
            SERVER, replicas=np.int8(2), num_gpu_blocks=np.int16(9), gpu_memory_utilization=Fraction(1, 2)
        ),
        UnitCosts(np.float32(0.5), Fraction(1, 4), 0, np.float16(0.5)),
        Assumptions(activation_bytes=np.int32(5), overlap=np.float16(0.5)),
        replace(SERVER.accelerator, memory_bytes=np.int64(5), flops_per_s=np.float32(2)),
        Targets(np.float16(1), Fraction(1, 50)),
        replace(SERVER.model, params=np.int64(10**9), active_params=np.int32(10**9), num_layers=np.int8(40)),
    ]
    for one in few_bits:
        for name, value in vars(one).items():
            assert not isinstance(value, np.generic | Fraction), name
    assert SERVER.model.kv_bytes(np.int32(10**6), np.uint8(8)) == SERVER.model.kv_bytes(10**6, 8)
    assert SERVER.model.weight_bytes(np.uint8(8)) == SERVER.model.weight_bytes(8)


@pytest.mark.parametrize(
    "wrong", [10**400, -(10**400), 10**5000, Fraction(10**400)], ids=["large", "low", "endless", "fraction"]
)
def test_numbers_beyond_all_bounds_are_a_sentence(wrong):
    for make in (
        lambda: Settings(max_num_seqs=wrong),
        lambda: Settings(acceptance_rate=wrong),
        lambda: Targets(wrong, 1),
        lambda: replace(SERVER, replicas=wrong),
    ):
        with pytest.raises(ValueError, match=r"expected .*, got ") as caught:
            make()
        assert len(str(caught.value)) < 400


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: UnitCosts(1.7e308, 0, 0, 0), "pass_s: expected a number from 0 to 1,000,000,000, got 1.7e"),
        (lambda: UnitCosts(0, 0, 0, 0, expert_s=2e9), "expert_s: expected a number from 0 to 1,000,000,000"),
        (lambda: Assumptions(overhead_s=1e300), "overhead_s: expected a number from 0 to"),
        (
            lambda: replace(SERVER.accelerator, link_bytes_per_s=5e-324),
            "link_bytes_per_s: expected at least 1",
        ),
        (lambda: replace(SERVER.accelerator, flops_per_s=1e-300), "flops_per_s: expected at least 1"),
        (lambda: replace(SERVER, replicas=10**12), "replicas: expected a whole number from 1 to 1,024"),
        (lambda: SERVER.num_blocks(None), "settings: expected an instance of Settings"),
        (lambda: SERVER.unit_costs("chunked"), "settings: expected an instance of Settings"),
        (lambda: simulate(EMPTY, SERVER, Settings(), cancel=True), "cancel: expected a threading.Event"),
        (
            lambda: simulate(EMPTY, SERVER, Settings()).summary("x"),
            "targets: expected an instance of Targets",
        ),
        (lambda: lone_request(None, 1, 1), "costs: expected an instance of UnitCosts"),
        (lambda: lone_passes(None, 1, 1), "costs: expected an instance of UnitCosts"),
        (lambda: lone_passes(COSTS, 5, 10**12), "at most 10,000,000 passes, got 1,000,000,000,000; ask"),
        (lambda: pass_time(None, 1.0, 1.0, 0.0), "costs: expected an instance of UnitCosts"),
        (
            lambda: Trace.steady(rate_per_s=1e-308, num_requests=9, like=EMPTY),
            "rate_per_s: expected at least 1e-09",
        ),
        (
            lambda: Trace.steady(rate_per_s=1, num_requests=10**9, like=EMPTY),
            "num_requests: expected a whole",
        ),
        (lambda: MEASURED.prefill_s("5"), "prompt_tokens: expected a whole number from 1"),
        (lambda: MEASURED.decode_s(0, 5), "num_seqs: expected a whole number from 1"),
        (lambda: MEASURED.decode_s(1, -5), "kv_tokens: expected a whole number from 0"),
        (lambda: reading_breaks_even(None), "costs: expected an instance of UnitCosts"),
    ],
)
def test_what_is_beyond_bounds_or_of_another_kind_is_a_sentence(make, sentence):
    with pytest.raises(ValueError, match=sentence):
        make()


def test_the_dearest_passes_and_slowest_links_stay_finite():
    dear = UnitCosts(*[1e9] * 5)
    slow = replace(SERVER.accelerator, link_bytes_per_s=1)
    for server in (replace(SERVER, costs=dear), replace(SERVER, accelerator=slow, num_gpu_blocks=6)):
        run = simulate(Trace([0, 0], [30, 30], [30, 30]), server, Settings(preemption="swap"))
        assert np.isfinite(run.requests[["ttft_s", "tpot_s", "e2e_s"]]).all(axis=None)


def test_as_many_guesses_as_anyone_likes_take_no_more_room_than_the_longest_reply():
    for guesses in (10**6, 10**9, 10**12):
        run = simulate(Trace([0.0], [5], [50]), SERVER, Settings(num_speculative_tokens=guesses))
        assert run.outcome.num_passes <= 50
        assert len(run.lateness()) == len(run.requests) == 1
        assert len(run.memory) > 1


def test_a_thousand_replicas_share_the_room_of_one():
    trace = Trace(np.zeros(2000), np.full(2000, 9), np.full(2000, 3))
    run = simulate(trace, replace(SERVER, replicas=1024), Settings(max_num_seqs=10**6))
    assert (run.requests["status"] == "done").all()
    assert len(run.segments) == 4000
