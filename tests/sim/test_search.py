"""A search runs every setting that is possible and can differ, and ranks them the same whoever helps."""

import threading
from dataclasses import fields
from fractions import Fraction
from itertools import product
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings

from sim import (
    ACCELERATORS,
    MODELS,
    Server,
    Settings,
    Targets,
    Trace,
    larkspur_server,
    monday,
    search,
    simulate,
)
from sim.compiler import PLAIN
from tests.sim.random_runs import cases

TARGETS = Targets(ttft_s=1, tpot_s=0.03)
FIELDS = [field.name for field in fields(Settings)]
SPACE = {
    "scheduler": ["request-level", "iteration-level", "prefill-first", "chunked"],
    "kv_layout": ["paged", "reserve-max"],
    "preemption": ["recompute", "swap", "none"],
    "max_num_batched_tokens": [256, 2048],
    "num_speculative_tokens": [0, 3],
    "seed": [0, 1],
}


def test_each_row_is_what_simulate_says_of_its_setting():
    frame = search(monday(), larkspur_server(), SPACE, TARGETS)
    assert list(frame.columns[:13]) == [*FIELDS, "exists_today"]
    for _, row in frame.iterrows():
        settings = Settings(**{name: row[name] for name in FIELDS})
        summary = simulate(monday(), larkspur_server(), settings, TARGETS).summary()
        for name in frame.columns[13:]:
            assert row[name] == pytest.approx(summary[name], rel=1e-12), name


def test_what_cannot_differ_is_run_once_and_counted():
    frame = search(monday(), larkspur_server(), SPACE, TARGETS)
    everything = [dict(zip(SPACE, values, strict=True)) for values in product(*SPACE.values())]

    def kind(setting):
        request_level = setting["scheduler"] == "request-level"
        no_budget = request_level or setting["scheduler"] == "iteration-level"
        idle = {
            "preemption": setting["kv_layout"] != "paged" or request_level,
            "max_num_batched_tokens": no_budget,
            "seed": setting["num_speculative_tokens"] == 0,
        }
        return tuple(None if idle.get(name) else value for name, value in setting.items())

    assert len(frame) == len({kind(setting) for setting in everything})
    assert frame.attrs["same"] == len(everything) - len(frame)
    assert frame.attrs["left_out"] == 0
    ignored = frame[frame["scheduler"] == "request-level"]
    assert set(ignored["preemption"]) == {"recompute"}
    assert set(ignored["max_num_batched_tokens"]) == {2048}


def test_the_best_comes_first():
    frame = search(monday(), larkspur_server(), SPACE, TARGETS)
    unlike = sum((frame[name] != getattr(Settings(), name)).astype(int) for name in FIELDS)
    keys = list(zip(-frame["on_target"], frame["e2e_mean_s"], unlike, strict=True))
    assert keys == sorted(keys)


def test_ties_keep_the_order_of_the_grid():
    space = {"max_num_seqs": [999, 998, 256, 997]}
    frame = search(Trace([0.0], [5], [5]), larkspur_server(), space, TARGETS)
    assert list(frame["max_num_seqs"]) == [256, 999, 998, 997]


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_the_order_does_not_depend_on_threads(threads):
    alone = search(monday(), larkspur_server(), SPACE, TARGETS, threads=1)
    pd.testing.assert_frame_equal(alone, search(monday(), larkspur_server(), SPACE, TARGETS, threads=threads))


def test_without_the_compiler_the_frame_is_the_same():
    compiled = search(monday(), larkspur_server(), SPACE, TARGETS)
    with patch("sim.search.compiled_rules", lambda: PLAIN):
        plain = search(monday(), larkspur_server(), SPACE, TARGETS)
    pd.testing.assert_frame_equal(compiled, plain)


def test_impossible_combinations_are_left_out_and_counted():
    server = Server(MODELS["opt-13b"], ACCELERATORS["l4-24gb"])
    space = {
        "weight_bits": [16, 4],
        "num_speculative_tokens": [0, 2],
        "preemption": ["swap", "recompute"],
    }
    frame = search(monday(), server, space, TARGETS)
    assert len(frame) == 2
    assert frame.attrs["left_out"] == 6
    assert frame.attrs["reasons"] == {"guessing without a draft": 4, "no memory left for requests": 2}
    nothing = search(monday(), server, {"weight_bits": [16]}, TARGETS)
    assert len(nothing) == 0
    assert list(nothing.columns[:12]) == FIELDS


def test_only_chunked_paged_recompute_exists_today():
    frame = search(monday(), larkspur_server(), SPACE, TARGETS)
    today = frame[frame["exists_today"]]
    assert set(today["scheduler"]) == {"chunked"}
    assert set(today["kv_layout"]) == {"paged"}
    assert set(today["preemption"]) == {"recompute"}
    assert len(today) == 6


def test_progress_is_told_and_ends_with_everything():
    told = []
    frame = search(
        monday(), larkspur_server(), SPACE, TARGETS, progress=lambda *now: told.append(now), threads=2
    )
    assert told == sorted(told)
    assert len(told) > 1
    assert told[-1] == (len(frame), len(frame))


def test_a_cancelled_search_returns_what_it_finished():
    cancel = threading.Event()
    space = {"max_num_seqs": list(range(1, 2001)), "seed": [0]}
    frame = search(
        monday(),
        larkspur_server(),
        space,
        TARGETS,
        progress=lambda *_: cancel.set(),
        threads=1,
        cancel=cancel,
    )
    assert frame.attrs["cancelled"]
    assert 0 < len(frame) < 2000
    cancel.set()
    count = 300_000
    long = Trace(np.arange(count) * 0.001, np.full(count, 500), np.full(count, 500))
    none = search(long, larkspur_server(), {"max_num_seqs": [200, 256]}, TARGETS, cancel=cancel)
    assert len(none) == 0
    assert none.attrs["cancelled"]


def test_what_progress_raises_comes_out_and_no_thread_goes_on():
    def fail(*_):
        raise RuntimeError("the page was left")

    with pytest.raises(RuntimeError, match="the page was left"):
        search(monday(), larkspur_server(), SPACE, TARGETS, progress=fail)
    assert not [thread for thread in threading.enumerate() if "ThreadPool" in thread.name]


@pytest.mark.parametrize(
    ("space", "sentence"),
    [
        ({"seats": [1]}, "space: expected fields of Settings .*, got 'seats'"),
        ({"seed": []}, "space\\['seed'\\]: expected a list of at least one value"),
        ({"scheduler": "chunked"}, "space\\['scheduler'\\]: expected a list"),
        ({"seed": 3}, "space\\['seed'\\]: expected a list"),
        ({"seed": [1, 1]}, "expected different values"),
        ({"max_num_seqs": [0]}, "max_num_seqs: expected a whole number from 1"),
        ({"seed": range(10_000), "max_num_seqs": range(1, 1001)}, "at most 1,000,000 combinations"),
        ({"seed": range(10**5), "max_num_seqs": range(-5, 10**5)}, "combinations, got 10,000,500,000"),
        ({"seed": np.array(3)}, "space\\['seed'\\]: expected a list of at least one value, got array"),
        ({"acceptance_rate": [Fraction(3, 2)]}, "acceptance_rate: expected a share .*, got Fraction"),
        ([1], "space: expected an instance of Mapping, got \\[1\\]"),
        (None, "space: expected an instance of Mapping, got None"),
    ],
)
def test_spaces_that_make_no_sense_are_refused(space, sentence):
    with pytest.raises(ValueError, match=sentence):
        search(monday(), larkspur_server(), space, TARGETS)


def test_an_empty_space_runs_the_base_and_an_empty_trace_nobody():
    base = Settings(max_num_seqs=8)
    frame = search(monday(), larkspur_server(), {}, TARGETS, base=base)
    assert list(frame["max_num_seqs"]) == [8]
    nobody = search(Trace([], [], []), larkspur_server(), {"max_num_seqs": [1, 2]}, TARGETS)
    assert list(nobody["requests"]) == [0, 0]
    assert nobody["e2e_mean_s"].isna().all()


@given(cases())
@hypothesis_settings(max_examples=30)
def test_a_search_of_one_random_setting_is_its_run(case):
    trace, server, settings = case
    targets = Targets(ttft_s=0.02, tpot_s=0.005)
    row = search(trace, server, {}, targets, base=settings).iloc[0]
    summary = simulate(trace, server, settings, targets).summary()
    assert {name: None if pd.isna(row[name]) else row[name] for name in summary if name in row} == {
        name: value for name, value in summary.items() if name in row
    }
