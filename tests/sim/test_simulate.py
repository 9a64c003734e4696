"""One request alone, its frames, and what is rejected or refused."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim import (
    ACCELERATORS,
    MODELS,
    Server,
    Settings,
    Targets,
    Trace,
    UnitCosts,
    larkspur_server,
    lone_passes,
    lone_request,
    simulate,
)
from sim.settings import KV_LAYOUTS, SCHEDULERS

SMALL = Path(__file__).resolve().parents[3] / "shared" / "reference" / "small"
ROUND = UnitCosts(pass_s=1, token_s=1 / 8, kv_token_s=1 / 16, pair_s=1 / 64, weight_s=2)
REQUEST_COLUMNS = [
    "arrival_s",
    "admitted_s",
    "first_token_s",
    "finish_s",
    "ttft_s",
    "tpot_s",
    "e2e_s",
    "longest_gap_s",
    "preemptions",
    "status",
    "reason",
    "on_target",
]
PASS_COLUMNS = [
    "start_s",
    "end_s",
    "passes",
    "prefill_tokens",
    "decode_seqs",
    "waiting",
    "kv_tokens",
    "kv_blocks",
]


def round_server(**changes):
    return Server(MODELS["opt-13b"], ACCELERATORS["a100-80gb"], costs=ROUND, **changes)


def one(prompt, output, arrival_s=0.0, cached=0):
    return Trace([arrival_s], [prompt], [output], [cached])


def test_a_hand_traced_request_read_in_three_pieces():
    settings = Settings(max_num_batched_tokens=4, block_size=4)
    run = simulate(one(9, 3, arrival_s=10.0), round_server(), settings)
    # reading 2 + kv/16, arithmetic k/8 + pairs/64, fixed 1:
    first = 1 + (2 + 4 / 16) + (4 / 8 + 4 * 2 / 64)
    second = 1 + (2 + 8 / 16) + (4 / 8 + 4 * 6 / 64)
    third = 1 + (2 + 9 / 16) + 1 / 8
    fourth, fifth = 1 + (2 + 10 / 16) + 1 / 8, 1 + (2 + 11 / 16) + 1 / 8
    read_s = first + second + third
    request = run.requests.iloc[0]
    assert (request.arrival_s, request.admitted_s) == (10, 10)
    assert (request.ttft_s, request.first_token_s) == (read_s, 10 + read_s)
    assert request.e2e_s == read_s + fourth + fifth
    assert request.tpot_s == (fourth + fifth) / 2
    assert request.longest_gap_s == fifth
    assert list(run.passes["passes"]) == [2, 1, 2]
    assert list(run.passes["prefill_tokens"]) == [4, 1, 0]
    assert list(run.passes["decode_seqs"]) == [0, 0, 1]
    assert list(run.passes["kv_tokens"]) == [4, 9, 10]
    assert list(run.passes["kv_blocks"]) == [1, 3, 3]
    assert list(run.passes["start_s"]) == [10, 10 + first + second, 10 + read_s]
    assert run.passes["end_s"].iloc[-1] == request.finish_s


@given(st.integers(1, 600), st.integers(1, 400), st.sampled_from(SCHEDULERS), st.integers(1, 700))
def test_one_request_alone_is_the_closed_form_under_every_scheduler(prompt, output, scheduler, budget):
    settings = Settings(scheduler=scheduler, max_num_batched_tokens=budget)
    request = simulate(one(prompt, output), larkspur_server(), settings).requests.iloc[0]
    pieces_of = budget if scheduler == "chunked" else None
    costs = larkspur_server().unit_costs(settings)
    alone = lone_request(costs, prompt, output, max_num_batched_tokens=pieces_of)
    assert request.ttft_s == pytest.approx(alone.ttft_s, rel=1e-9)
    assert request.e2e_s == pytest.approx(alone.e2e_s, rel=1e-9)
    gaps_s = lone_passes(costs, prompt, output)["total_s"].to_numpy()[1:]
    if output > 1:
        assert request.e2e_s == pytest.approx(request.ttft_s + gaps_s.sum(), rel=1e-9)
        assert request.longest_gap_s == pytest.approx(gaps_s.max(), rel=1e-12)


@pytest.mark.parametrize("kv_layout", KV_LAYOUTS)
def test_the_layout_changes_only_the_blocks_held(kv_layout):
    run = simulate(one(40, 21), larkspur_server(), Settings(kv_layout=kv_layout))
    paged = simulate(one(40, 21), larkspur_server(), Settings())
    assert run.requests.equals(paged.requests)
    held = {"paged": [3, 3], "reserve-max": [128] * 2, "reserve-pow2": [5] * 2, "reserve-exact": [4] * 2}
    assert list(run.passes["kv_blocks"]) == held[kv_layout]


def test_cached_tokens_are_read_but_not_computed():
    fresh, cached = (simulate(one(600, 2, cached=n), larkspur_server(), Settings()) for n in (0, 599))
    assert cached.passes["prefill_tokens"].iloc[0] == 1
    assert cached.passes["kv_tokens"].iloc[0] == 600
    assert cached.requests["ttft_s"].iloc[0] < fresh.requests["ttft_s"].iloc[0] / 5


def test_a_reply_of_one_token_has_no_time_per_later_token_and_meets_its_target():
    run = simulate(one(7, 1), larkspur_server(), Settings(), Targets(ttft_s=1, tpot_s=1e-9, gap_s=1e-9))
    assert np.isnan(run.requests["tpot_s"].iloc[0])
    assert np.isnan(run.requests["longest_gap_s"].iloc[0])
    assert bool(run.requests["on_target"].iloc[0])
    assert list(run.passes["passes"]) == [1]


@pytest.mark.parametrize("missed", [{"ttft_s": 0.015}, {"tpot_s": 0.015}, {"e2e_s": 0.1}, {"gap_s": 0.015}])
def test_a_request_is_on_target_when_all_targets_hold(missed):
    held = {"ttft_s": 0.016, "tpot_s": 0.016, "e2e_s": 0.11, "gap_s": 0.016}
    results = [
        simulate(one(7, 7), larkspur_server(), Settings(), Targets(**targets)).requests["on_target"].iloc[0]
        for targets in (held, held | missed)
    ]
    assert results == [True, False]


def test_without_targets_nothing_is_said_about_them():
    assert simulate(one(7, 7), larkspur_server(), Settings()).requests["on_target"].isna().all()


def test_a_request_too_long_is_rejected_with_the_numbers_and_has_missed():
    run = simulate(one(2000, 49), larkspur_server(), Settings(), Targets(1, 1))
    request = run.requests.iloc[0]
    assert request.status == "rejected"
    assert request.reason == "prompt 2,000 + reply 49 = 2,049 tokens, above max_model_len 2,048"
    assert not request.on_target
    assert np.isnan(request[["ttft_s", "tpot_s", "e2e_s", "finish_s", "admitted_s"]].astype(float)).all()
    assert len(run.passes) == 0
    fits = simulate(one(2000, 48), larkspur_server(), Settings()).requests.iloc[0]
    assert (fits.status, fits.reason) == ("done", "")


def test_a_request_too_big_is_rejected_with_the_numbers():
    request = simulate(one(200, 10), round_server(num_gpu_blocks=11), Settings()).requests.iloc[0]
    assert request.reason == "needs 14 blocks of 16 tokens, the server has 10"
    reserved = simulate(one(1, 1), round_server(num_gpu_blocks=128), Settings(kv_layout="reserve-max"))
    assert "needs 128 blocks of 16 tokens, the server has 127" in reserved.requests["reason"].iloc[0]


def test_a_model_that_leaves_no_room_rejects_everything_and_does_not_fail():
    server = Server(MODELS["llama-3.1-405b"], ACCELERATORS["l4-24gb"])
    assert server.num_blocks(Settings()) == 0
    assert (simulate(one(1, 1), server, Settings()).requests["status"] == "rejected").all()


@pytest.mark.skipif(not SMALL.exists(), reason="the reference cases are not here")
@pytest.mark.parametrize(
    ("place", "status"), [(0, "done"), (1, "rejected"), (2, "rejected"), (3, "rejected")]
)
def test_one_of_vllms_blocks_is_its_null_block(place, status):
    cases = json.loads((SMALL / "scheduler_cases.json").read_text(encoding="utf-8"))
    case = next(case for case in cases if case["id"] == "null_block_boundary")
    settings = Settings(block_size=case["block_size"], max_model_len=case["max_model_len"])
    arrival_s, prompt, output = case["requests"][place]
    run = simulate(one(prompt, output, arrival_s), round_server(num_gpu_blocks=case["num_blocks"]), settings)
    assert run.requests["status"].iloc[0] == status


def test_an_empty_trace_gives_empty_frames_with_all_columns():
    run = simulate(Trace([], [], []), larkspur_server(), Settings(), Targets(1, 1))
    assert list(run.requests.columns) == REQUEST_COLUMNS
    assert list(run.passes.columns) == PASS_COLUMNS
    assert len(run.requests) == len(run.passes) == 0


def test_frames_have_the_same_columns_and_types_whatever_happened():
    runs = [
        simulate(trace, larkspur_server(), Settings())
        for trace in (Trace([], [], []), one(7, 7), one(9999, 1))
    ]
    for frames in ([run.requests for run in runs], [run.passes for run in runs]):
        assert frames[0].dtypes.equals(frames[1].dtypes)
        assert frames[0].dtypes.equals(frames[2].dtypes)


def test_guessing_without_a_draft_is_an_error():
    with pytest.raises(ValueError, match="without a draft model, got 2"):
        simulate(one(7, 7), round_server(num_gpu_blocks=100), Settings(num_speculative_tokens=2))


@pytest.mark.parametrize("wrong", [None, "monday", 3])
def test_wrong_things_are_named(wrong):
    for arguments in (
        (wrong, larkspur_server(), Settings()),
        (one(1, 1), wrong, Settings()),
        (one(1, 1), larkspur_server(), wrong),
    ):
        with pytest.raises(
            ValueError, match=r"(trace|server|settings): expected an instance of (Trace|Server|Settings)"
        ):
            simulate(*arguments)


def test_the_same_inputs_give_the_same_bytes():
    frames = [simulate(one(700, 70), larkspur_server(), Settings()).requests.to_csv() for _ in range(2)]
    assert frames[0] == frames[1]


def test_a_billion_tokens_end_in_a_result():
    settings = Settings(max_model_len=10**10, max_num_batched_tokens=2**20)
    run = simulate(one(10**9, 10**9), round_server(num_gpu_blocks=10**9), settings)
    assert run.passes["passes"].iloc[-1] == 10**9 - 1
    assert run.requests["finish_s"].iloc[0] == run.passes["end_s"].iloc[-1]
