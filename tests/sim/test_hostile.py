"""Whatever comes in, a result or a sentence comes out, soon and in bounded memory."""

import threading
from dataclasses import replace

import numpy as np
import pytest

from sim import (
    ACCELERATORS,
    MODELS,
    CancelledError,
    Server,
    Settings,
    Trace,
    UnitCosts,
    larkspur_server,
    simulate,
)
from sim.serve import serve
from sim.settings import KV_LAYOUTS, PREEMPTIONS, SCHEDULERS

COSTS = UnitCosts(pass_s=0.01, token_s=1e-5, kv_token_s=1e-8, pair_s=1e-12)
HUGE = Server(
    MODELS["opt-13b"], ACCELERATORS["a100-80gb"], costs=COSTS, num_gpu_blocks=10**9, draft=MODELS["opt-125m"]
)


@pytest.mark.parametrize("scheduler", SCHEDULERS)
@pytest.mark.parametrize("budget", [1, 7, 10**6])
def test_a_billion_tokens_in_and_out_end_in_a_result_of_few_rows(scheduler, budget):
    trace = Trace([0.0, 1.0, 2.0], [10**9, 5, 10**9], [10**9, 5, 7])
    settings = Settings(scheduler=scheduler, max_num_batched_tokens=budget, max_model_len=10**10)
    run = simulate(trace, HUGE, settings)
    assert (run.requests["status"] == "done").all()
    assert np.isfinite(run.requests["finish_s"]).all()
    assert len(run.passes) < 100
    assert len(run.segments) < 100


def test_a_billion_tokens_read_in_pieces_of_one_by_a_draft_too():
    settings = Settings(max_num_batched_tokens=1, max_model_len=10**10, num_speculative_tokens=3)
    run = simulate(Trace([0.0], [10**9], [5]), HUGE, settings)
    assert run.passes["passes"].sum() >= 10**9
    assert len(run.passes) < 10


def test_guessing_without_an_end_is_refused():
    settings = Settings(max_model_len=10**10, num_speculative_tokens=3)
    with pytest.raises(ValueError, match="expected at most 2,000,000,000 guesses"):
        simulate(Trace([0.0], [5], [10**9]), HUGE, settings)


def test_more_guesses_than_the_reply_has_tokens_are_no_trouble():
    settings = Settings(num_speculative_tokens=10**6, acceptance_rate=1.0)
    run = simulate(Trace([0.0], [5], [50]), larkspur_server(), settings)
    assert run.outcome.num_passes == 2


@pytest.mark.parametrize("scheduler", SCHEDULERS)
@pytest.mark.parametrize("kv_layout", KV_LAYOUTS)
def test_a_million_equal_arrivals(scheduler, kv_layout):
    count = 10**6 if kv_layout in ("paged", "reserve-max") else 10**4
    trace = Trace(np.zeros(count), np.full(count, 20), np.full(count, 3))
    requests = serve(trace, larkspur_server(), Settings(scheduler=scheduler, kv_layout=kv_layout)).requests
    assert (requests["written"] == 3).all()


@pytest.mark.parametrize("scheduler", SCHEDULERS)
@pytest.mark.parametrize("preemption", PREEMPTIONS)
def test_one_block_and_a_budget_of_one(scheduler, preemption):
    server = replace(HUGE, num_gpu_blocks=2)
    settings = Settings(scheduler=scheduler, max_num_batched_tokens=1, preemption=preemption)
    trace = Trace(np.zeros(20), [9] * 20, [8] * 19 + [9])
    requests = simulate(trace, server, settings).requests
    assert list(requests["status"]) == ["done"] * 19 + ["rejected"]
    assert requests["reason"].iloc[-1] == "needs 2 blocks of 16 tokens, the server has 1"


def test_a_server_without_any_block_rejects_everyone():
    requests = simulate(
        Trace([0.0, 1.0], [1, 2], [1, 1]), replace(HUGE, num_gpu_blocks=1), Settings()
    ).requests
    assert (requests["status"] == "rejected").all()


@pytest.mark.parametrize("cost", [0.0, 5e-324, 1e-300, 1e9])
@pytest.mark.parametrize("scheduler", SCHEDULERS)
@pytest.mark.parametrize("guesses", [0, 2])
def test_costs_of_nothing_and_costs_beyond_all_bounds(cost, scheduler, guesses):
    costs = UnitCosts(pass_s=cost, token_s=cost, kv_token_s=cost, pair_s=cost, weight_s=cost, overlap=0.5)
    settings = Settings(scheduler=scheduler, num_speculative_tokens=guesses)
    trace = Trace([0.0, 0.5, 1e9], [5, 50, 5], [20, 2, 20])
    run = simulate(trace, replace(HUGE, costs=costs, draft_costs=costs), settings)
    assert (run.outcome.requests["written"] == trace.output_tokens).all()
    assert len(run.passes) > 0


def test_waiting_for_a_time_far_away_takes_no_time():
    run = simulate(Trace([0.0, 1e9], [5, 5], [5, 5]), HUGE, Settings())
    assert run.requests["ttft_s"].iloc[1] > 0
    assert len(run.passes) == 4


def test_times_stay_exact_on_a_clock_that_started_long_ago():
    early, late = (
        simulate(Trace([at, at + 0.5], [7, 7], [7, 7]), larkspur_server(), Settings()).requests
        for at in (0.0, float(2**33))
    )
    np.testing.assert_array_equal(early["e2e_s"], late["e2e_s"])


@pytest.mark.parametrize("scheduler", ["chunked", "prefill-first", "iteration-level"])
def test_thrashing_ends(scheduler):
    server = replace(HUGE, num_gpu_blocks=101)
    trace = Trace(np.zeros(200), np.full(200, 700), np.full(200, 900))
    settings = Settings(scheduler=scheduler, max_num_batched_tokens=64, block_size=16)
    requests = serve(trace, server, settings).requests
    assert (requests["written"] == 900).all()


def test_a_run_that_is_given_up_ends_at_once():
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(CancelledError, match="given up"):
        simulate(Trace([0.0], [5], [5]), HUGE, Settings(), cancel=cancel)


def test_a_run_can_be_given_up_in_the_middle(monkeypatch):
    looks = []

    class Cancel:
        def is_set(self):
            looks.append(1)
            return len(looks) > 3

    monkeypatch.setattr("sim.serve.PATIENCE", (5, 5))
    trace = Trace(np.arange(500) * 0.1, np.full(500, 40), np.full(500, 40))
    with pytest.raises(CancelledError):
        simulate(trace, HUGE, Settings(), cancel=Cancel())
    assert len(looks) == 4


def test_frames_that_would_not_fit_in_memory_are_refused(monkeypatch):
    monkeypatch.setattr("sim.rows.MOST_ROWS", 1000)
    trace = Trace(np.arange(500) * 0.1, np.full(500, 40), np.full(500, 40))
    run = simulate(trace, larkspur_server(), Settings())
    assert len(run.requests) == 500
    with pytest.raises(ValueError, match="ask for these frames of a shorter trace"):
        _ = run.segments


@pytest.mark.parametrize(
    "settings",
    [
        Settings(max_num_seqs=10**12, max_num_batched_tokens=10**12, max_model_len=10**12),
        Settings(block_size=10**12),
        Settings(block_size=10**12, max_model_len=10**12, kv_layout="reserve-max"),
        Settings(max_model_len=1),
        Settings(max_num_seqs=1, max_num_batched_tokens=1, block_size=1),
    ],
)
def test_settings_at_their_ends(settings):
    run = simulate(Trace([0.0, 0.0], [1000, 10], [10, 1000]), HUGE, settings)
    assert set(run.requests["status"]) <= {"done", "rejected"}
    assert run.requests["status"].nunique() == 1
