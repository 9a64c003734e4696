"""Inputs are checked where they enter: a sentence says what was expected and what came."""

from dataclasses import FrozenInstanceError, replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim import (
    ACCELERATOR_ENTRIES,
    ACCELERATORS,
    MODELS,
    Accelerator,
    Assumptions,
    Server,
    Settings,
    Targets,
    Trace,
    UnitCosts,
    larkspur_server,
)

NOT_NUMBERS = [float("nan"), float("inf"), -float("inf"), "1", True, None, [1]]
SERVER = larkspur_server()


def test_defaults_are_those_of_the_specification():
    assert Assumptions() == Assumptions(0.85, 0.55, 0.0003, 0.5, 4 * 2**30)
    assert Settings() == Settings("chunked", 256, 2048, "paged", 16, 2048, "recompute", 16, 16, 0, 0.7, 0)
    a100 = ACCELERATORS["a100-80gb"]
    assert replace(a100, price_per_hour=0.0) == Accelerator(80 * 2**30, 2.039e12, 312e12, 25e9, 0.0)
    assert Server(MODELS["gpt2"], a100).gpu_memory_utilization == 0.92


@pytest.mark.parametrize("entry", ACCELERATOR_ENTRIES.values(), ids=list(ACCELERATOR_ENTRIES))
def test_every_number_of_an_accelerator_has_a_source_and_prices_are_assumptions(entry):
    assert set(entry.origins) == set(vars(entry.accelerator))
    assert all(origin.source for origin in entry.origins.values())
    assert entry.origins["price_per_hour"].assumption
    assert not entry.origins["bandwidth_bytes_per_s"].assumption
    assert 1e11 < entry.accelerator.bandwidth_bytes_per_s < 1e13
    assert 1e13 < entry.accelerator.flops_per_s < 1e16


@pytest.mark.parametrize("wrong", [*NOT_NUMBERS, -1e-9])
@pytest.mark.parametrize(
    ("kind", "name", "others"),
    [
        (UnitCosts, "pass_s", {"token_s": 0, "kv_token_s": 0, "pair_s": 0}),
        (UnitCosts, "pair_s", {"pass_s": 0, "token_s": 0, "kv_token_s": 0}),
        (UnitCosts, "overlap", {"pass_s": 0, "token_s": 0, "kv_token_s": 0, "pair_s": 0}),
        (UnitCosts, "expert_s", {"pass_s": 0, "token_s": 0, "kv_token_s": 0, "pair_s": 0}),
        (Assumptions, "bandwidth_share", {}),
        (Assumptions, "overhead_s", {}),
        (Assumptions, "activation_bytes", {}),
        (Settings, "acceptance_rate", {}),
        (Settings, "max_num_seqs", {}),
        (Settings, "seed", {}),
        (Targets, "ttft_s", {"tpot_s": 1}),
    ],
)
def test_what_is_no_such_number_is_refused_by_name(kind, name, others, wrong):
    with pytest.raises(ValueError, match=f"{name}: expected .*, got "):
        kind(**others, **{name: wrong})


@pytest.mark.parametrize(
    ("name", "wrong", "sentence"),
    [
        ("scheduler", "fifo", "scheduler: expected one of 'chunked', 'request-level'"),
        ("scheduler", None, "got None"),
        ("kv_layout", "Paged", "kv_layout: expected one of 'paged'"),
        ("preemption", 0, "preemption: expected one of 'recompute'"),
        ("weight_bits", 5, "weight_bits: expected one of 16, 8, 4, 3, got 5"),
        ("weight_bits", True, "got True"),
        ("weight_bits", 16.0, "got 16.0"),
        ("kv_bits", 4, "kv_bits: expected one of 16, 8, got 4"),
        ("block_size", 0, "block_size: expected a whole number from 1"),
        ("max_num_batched_tokens", 0, "max_num_batched_tokens"),
        ("num_speculative_tokens", -1, "num_speculative_tokens: expected a whole number from 0"),
        ("acceptance_rate", 1.01, "acceptance_rate: expected a share from 0 to 1, got 1.01"),
        ("seed", 2**32, "seed"),
    ],
)
def test_settings_refuse_words_and_numbers_they_do_not_know(name, wrong, sentence):
    with pytest.raises(ValueError, match=sentence):
        Settings(**{name: wrong})


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"model": "opt-13b"}, "model: expected an instance of ModelShape, got 'opt-13b'"),
        ({"accelerator": None}, "accelerator: expected an instance of Accelerator"),
        ({"gpu_memory_utilization": 0}, "above 0 to 1"),
        ({"gpu_memory_utilization": 92}, "above 0 to 1"),
        ({"num_gpu_blocks": 0}, "num_gpu_blocks"),
        ({"replicas": 0}, "replicas"),
        ({"costs": {}}, "costs: expected an instance of UnitCosts"),
        ({"draft": "opt-125m"}, "draft: expected an instance of ModelShape"),
    ],
)
def test_servers_refuse_what_makes_no_sense(changes, sentence):
    with pytest.raises(ValueError, match=sentence):
        replace(SERVER, **changes)


def test_targets_may_leave_out_reply_and_gap_but_not_be_zero():
    assert Targets(1, 0.03) == Targets(1, 0.03, None, None)
    for wrong in ({"ttft_s": 0}, {"gap_s": 0}, {"e2e_s": float("nan")}, {"tpot_s": None}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            Targets(**({"ttft_s": 1, "tpot_s": 1} | wrong))


def test_everything_is_frozen_and_hashable():
    for one, name in ((Settings(), "seed"), (SERVER, "replicas"), (Targets(1, 1), "ttft_s")):
        hash(one)
        with pytest.raises(FrozenInstanceError):
            setattr(one, name, 1)
    with pytest.raises(TypeError):
        MODELS["mine"] = MODELS["gpt2"]


def test_given_costs_are_used_as_they_are_and_estimated_at_fewer_bits():
    measured = UnitCosts(pass_s=0.02, token_s=1e-4, kv_token_s=1e-6, pair_s=1e-9)
    server = replace(SERVER, costs=measured)
    assert server.unit_costs(Settings()) is measured
    assert [server.costs_are(Settings(weight_bits=bits)) for bits in (16, 4)] == ["given", "estimated"]
    assert SERVER.costs_are(Settings(weight_bits=4)) == "counted"
    small = Settings(weight_bits=4, kv_bits=8)
    counted, fewer = [SERVER.unit_costs(Settings()), SERVER.unit_costs(small)], server.unit_costs(small)
    assert measured.pass_s - fewer.pass_s == pytest.approx(counted[0].weight_s - counted[1].weight_s)
    assert measured.kv_token_s - fewer.kv_token_s == pytest.approx(counted[0].kv_token_s / 2)
    assert (fewer.token_s, fewer.pair_s) == (measured.token_s, measured.pair_s)


@given(st.floats(0, 0.1), st.floats(0, 0.1), st.sampled_from([8, 4, 3]))
def test_estimated_costs_never_turn_negative_nor_grow(pass_s, weight_s, bits):
    measured = UnitCosts(pass_s=pass_s, token_s=0, kv_token_s=0, pair_s=0, weight_s=weight_s)
    fewer = replace(SERVER, costs=measured).unit_costs(Settings(weight_bits=bits))
    assert 0 <= fewer.pass_s <= pass_s
    assert 0 <= fewer.weight_s <= weight_s


def test_fewer_bits_leave_room_for_more_blocks_and_eight_bit_kv_for_twice_as_many():
    blocks = [SERVER.num_blocks(Settings(weight_bits=bits)) for bits in (16, 8, 4, 3)]
    assert blocks == sorted(blocks)
    assert SERVER.num_blocks(Settings(kv_bits=8)) in (2 * 987, 2 * 987 + 1)


def test_a_trace_is_sorted_stably_into_contiguous_writable_columns():
    table = pd.DataFrame({"at": [2.0, 0.5, 2.0, 0.0], "prompt": [1, 2, 3, 4], "reply": [5.0, 6.0, 7.0, 8.0]})
    trace = Trace(table["at"], table["prompt"], table["reply"], notes=["sorted"])
    assert list(trace.arrival_s) == [0, 0.5, 2, 2]
    assert list(trace.prompt_tokens) == [4, 2, 1, 3]
    assert list(trace.output_tokens) == [8, 6, 5, 7]
    assert list(trace.cached_tokens) == [0, 0, 0, 0]
    assert trace.notes == ("sorted",)
    assert len(trace) == 4
    assert trace.arrival_s.dtype == np.float64
    for column in (trace.prompt_tokens, trace.output_tokens, trace.cached_tokens):
        assert column.dtype == np.int64
        assert column.flags.c_contiguous
        assert column.flags.writeable


def test_a_trace_keeps_its_own_copy():
    arrivals = np.array([0.0, 1.0])
    trace = Trace(arrivals, [1, 1], [1, 1])
    arrivals[0] = 5
    assert trace.arrival_s[0] == 0


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.longdouble, np.int8, np.uint16, np.uint64])
def test_a_trace_takes_numbers_of_any_width(kind):
    trace = Trace(np.array([0, 2], dtype=kind), np.array([100, 7], dtype=kind), np.array([5, 3], dtype=kind))
    assert list(trace.arrival_s) == [0, 2]
    assert list(trace.prompt_tokens) == [100, 7]
    assert list(Trace(np.ma.array([0.0]), [1], [1]).arrival_s) == [0]


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        (([0.0], [1, 2], [1]), "equal length"),
        (([0.0], [1], [1], [0, 0]), "equal length"),
        (
            ([float("nan")], [1], [1]),
            "arrival_s: expected seconds from 0 to 10,000,000,000, got nan in request 0",
        ),
        (([0.0, float("inf")], [1, 1], [1, 1]), "got inf in request 1"),
        (([-1.0], [1], [1]), "arrival_s"),
        (([0.0], [0], [1]), "prompt_tokens: expected whole numbers from 1"),
        (([0.0], [1], [-3]), "output_tokens"),
        (([0.0], [1.5], [1]), "prompt_tokens"),
        (([0.0], [float("nan")], [1]), "prompt_tokens"),
        (([0.0], [10**13], [1]), "prompt_tokens"),
        (([0.0], [10**30], [1]), "prompt_tokens"),
        (([0.0], ["7"], [1]), "prompt_tokens: expected a list of numbers"),
        (([0.0], [True], [1]), "prompt_tokens: expected a list of numbers"),
        (([0.0], [None], [1]), "prompt_tokens: expected a list of numbers"),
        ((["now"], [1], [1]), "arrival_s: expected a list of numbers"),
        ((0.0, [1], [1]), "arrival_s: expected a list of numbers"),
        (([[0.0]], [1], [1]), "arrival_s: expected a list of numbers"),
        (([[0.0], [1.0, 2.0]], [1], [1]), "arrival_s: expected a list of numbers"),
        (([0.0], [7], [1], [7]), "cached_tokens: expected fewer than the prompt's tokens, got 7"),
        (([0.0], [7], [1], [-1]), "cached_tokens"),
        (([0.0, 1e16], [1, 1], [1, 1]), "seconds from 0 to 10,000,000,000, got 1e\\+16 in request 1"),
        (([5.0, 2e9], [1, 1], [1, 1]), "arrivals within 1,000,000,000 s of the first, got 2000000000.0"),
        ((np.ma.array([0.0, 1.0], mask=[False, True]), [1, 1], [1, 1]), "arrival_s: .* got masked ones"),
        (([0.0], np.ma.array([1], mask=[True]), [1]), "prompt_tokens: .* got masked ones"),
        (([0.0], [1], [1], None, "abc"), "notes: expected a list of sentences, got 'abc'"),
        (([0.0], [1], [1], None, [3]), "notes: expected a list of sentences"),
        (([0.0], [1], [1], None, 5), "notes: expected a list of sentences"),
        (([0.0], np.array(["1e400"], dtype=np.longdouble), [1]), "prompt_tokens: expected whole numbers"),
    ],
)
def test_a_trace_refuses_what_is_no_trace(columns, sentence):
    with pytest.raises(ValueError, match=sentence):
        Trace(*columns)
