"""Segments, memory, lateness and blame of random runs agree with the requests and passes they belong to."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given

from sim import Settings, Targets, Trace, UnitCosts, larkspur_server, monday, simulate
from sim.lateness import CAUSES
from tests.sim.random_runs import TICK_S, cases

SEATED = ("prefill", "decode", "stalled", "riding")


@given(cases())
def test_segments_follow_one_another_and_add_up_to_e2e(case):
    run = simulate(*case)
    requests, segments = run.requests, run.segments
    assert set(segments["state"]) <= {*SEATED, "waiting", "preempted"}
    assert (segments["end_s"] > segments["start_s"]).all()
    for request, own in segments.groupby("request"):
        assert own["start_s"].iloc[0] == requests["arrival_s"][request]
        assert list(own["start_s"][1:]) == list(own["end_s"][:-1])
        living = own[own["state"] != "riding"]
        assert living["end_s"].iloc[-1] == requests["finish_s"][request]
        lasted_s = (living["end_s"] - living["start_s"]).sum()
        assert lasted_s == pytest.approx(requests["e2e_s"][request], rel=1e-9)
        assert list(own["state"] == "riding") == sorted(own["state"] == "riding")
    rides = segments["state"] == "riding"
    assert not rides.any() or case[2].scheduler == "request-level"
    waits = segments[segments["state"] == "waiting"].groupby("request")["end_s"].max()
    assert (requests["admitted_s"][waits.index] == waits).all()


@given(cases())
def test_lateness_adds_up_to_e2e_and_is_never_negative(case):
    run = simulate(*case)
    lateness, requests = run.lateness(), run.requests
    assert list(lateness.columns) == list(CAUSES)
    np.testing.assert_allclose(lateness.sum(axis=1, skipna=False), requests["e2e_s"], rtol=1e-9, atol=1e-12)
    assert not (lateness < -1e-12).any(axis=None)
    done = requests["status"] == "done"
    assert lateness[~done].isna().all(axis=None)
    spared = done & (requests["preemptions"] == 0)
    assert (lateness["preempted_s"][spared] == 0).all()
    np.testing.assert_array_equal(lateness["queue_s"], requests["admitted_s"] - requests["arrival_s"])


@given(cases())
def test_freezes_add_up_to_the_longest_gap(case):
    run = simulate(*case)
    freezes, requests = run.freezes(), run.requests
    assert list(freezes.columns) == ["preempted_s", "alone_s", "others_prefill_s", "batch_s"]
    assert not (freezes < -1e-9).any(axis=None)
    has_gap = requests["longest_gap_s"].notna()
    longest_s = freezes.sum(axis=1, skipna=False)
    np.testing.assert_allclose(longest_s[has_gap], requests["longest_gap_s"][has_gap], rtol=1e-9, atol=1e-9)
    assert freezes[~has_gap].isna().all(axis=None)


def test_a_long_prompt_read_in_one_pass_is_what_freezes_the_defaults():
    run = simulate(monday(), larkspur_server(), Settings(weight_bits=4))
    frozen = run.requests["longest_gap_s"] > 0.3
    assert frozen.sum() == 21
    causes = run.freezes()[frozen]
    assert (causes["others_prefill_s"] > 0.9 * causes.sum(axis=1)).all()


@given(cases())
def test_blame_adds_up_to_the_lateness_it_shares_out_and_nobody_blames_himself(case):
    run = simulate(*case)
    blame, lateness = run.blame(), run.lateness()
    assert list(blame.columns) == ["request", "by", "cause", "seconds"]
    assert (blame["request"] != blame["by"]).all()
    assert (blame["seconds"] > 0).all()
    for cause in ("queue_s", "preempted_s", "others_prefill_s", "batch_s"):
        summed = blame[blame["cause"] == cause].groupby("request")["seconds"].sum()
        shared = summed.reindex(lateness.index, fill_value=0.0)
        np.testing.assert_allclose(shared, lateness[cause].fillna(0.0), rtol=1e-9, atol=1e-9, err_msg=cause)


@given(cases())
def test_memory_adds_up_to_the_blocks_of_the_passes(case):
    trace, server, settings = case
    assume(server.replicas == 1)
    run = simulate(trace, server, settings)
    memory, passes = run.memory, run.passes
    num_blocks = server.num_blocks(settings)
    if settings.kv_layout == "paged":
        assert (memory["first_block"] == -1).all()
        wasted = memory["blocks"] * settings.block_size - memory["tokens"]
        if settings.num_speculative_tokens == 0:
            assert (wasted < settings.block_size).all()
        assert (wasted >= 0).all()
    held, tokens, place = {}, {}, 0
    for event in passes.itertuples():
        while place < len(memory) and memory["at_s"][place] <= event.start_s:
            held[memory["request"][place]] = memory["blocks"][place]
            tokens[memory["request"][place]] = memory["tokens"][place]
            place += 1
        if event.end_s > event.start_s:  # at one moment several passes of no duration can start
            assert sum(held.values()) == event.kv_blocks
            assert sum(tokens.values()) == event.kv_tokens
        assert event.kv_blocks <= num_blocks
    last = memory.groupby("request").last()
    assert (last["blocks"] == 0).all()


@given(cases(kv_layout="reserve-pow2"))
def test_reservations_are_one_piece_and_never_overlap(case):
    trace, server, settings = case
    assume(server.replicas == 1)
    memory = simulate(trace, server, settings).memory
    seated: dict[int, tuple[int, int]] = {}
    for change in memory.itertuples():
        seated.pop(change.request, None)
        if change.blocks:
            first, end = change.first_block, change.first_block + change.blocks
            assert 0 <= first < end <= server.num_blocks(settings)
            assert all(end <= low or high <= first for low, high in seated.values())
            seated[change.request] = (first, end)


def test_blocks_taken_inside_an_event_have_their_own_time():
    trace = Trace([0.0], [7], [40])
    run = simulate(trace, larkspur_server(), Settings())
    assert list(run.passes["passes"]) == [1, 39]
    assert list(run.memory["blocks"]) == [1, 1, 2, 3, 0]
    assert list(run.memory["tokens"]) == [7, 8, 17, 33, 0]
    stepped = np.cumsum(
        [
            simulate(Trace([0.0], [7], [n]), larkspur_server(), Settings()).requests["e2e_s"][0]
            for n in (10, 26)
        ]
    )
    first, second = stepped[0], stepped[1] - stepped[0]
    assert list(run.memory["at_s"][2:4]) == pytest.approx([first, second], rel=1e-12)


def test_what_a_long_prompt_costs_the_one_beside_it():
    trace = Trace([0.0, 0.05], [10, 1500], [40, 1])
    run = simulate(trace, larkspur_server(), Settings())
    lateness, blame = run.lateness(), run.blame()
    assert lateness["others_prefill_s"][0] > 0.2
    assert lateness["others_prefill_s"][1] == 0
    ours = blame[(blame["request"] == 0) & (blame["cause"] == "others_prefill_s")]
    assert list(ours["by"]) == [1]
    assert ours["seconds"].iloc[0] == pytest.approx(lateness["others_prefill_s"][0])


def test_frames_of_an_empty_run_have_their_columns():
    run = simulate(Trace([], [], []), larkspur_server(), Settings(), Targets(1, 1))
    assert list(run.segments.columns) == ["request", "start_s", "end_s", "state"]
    assert list(run.memory.columns) == ["at_s", "request", "first_block", "blocks", "tokens"]
    assert list(run.blame().columns) == ["request", "by", "cause", "seconds"]
    assert list(run.lateness().columns) == list(CAUSES)
    assert run.summary()["on_target"] == 0


def test_frames_of_replicas_are_those_of_each_alone():
    trace = monday()
    both = simulate(trace, replace(larkspur_server(), replicas=2), Settings())
    for replica in (0, 1):
        own = slice(replica, None, 2)
        share = Trace(trace.arrival_s[own], trace.prompt_tokens[own], trace.output_tokens[own])
        alone = simulate(share, larkspur_server(), Settings())
        times = ["admitted_s", "first_token_s", "finish_s"]
        np.testing.assert_allclose(both.requests[times][own], alone.requests[times], rtol=1e-12)
        np.testing.assert_allclose(both.lateness()[own], alone.lateness(), rtol=1e-9, atol=1e-12)
        passes = both.passes[both.passes["replica"] == replica].drop(columns="replica")
        assert len(passes) == len(alone.passes)
    assert both.passes["start_s"].is_monotonic_increasing
    pd.testing.assert_frame_equal(both.requests, both.requests.sort_index())


def test_who_makes_the_batch_draft_is_blamed_for_it_where_its_own_work_is_free():
    costs, draft_costs = UnitCosts(0.0, 0.0, 0.0, TICK_S), UnitCosts(0.0, 0.0, 16 * TICK_S, 0.0)
    server = replace(larkspur_server(), num_gpu_blocks=100, costs=costs, draft_costs=draft_costs)
    settings = Settings(num_speculative_tokens=2, acceptance_rate=0.0, max_num_batched_tokens=3)
    run = simulate(Trace([0.0, 0.0], [1, 4], [4, 8]), server, settings)
    blame, lateness = run.blame(), run.lateness()
    assert lateness["batch_s"][0] > 0
    ours = blame[(blame["request"] == 0) & (blame["cause"] == "batch_s")]
    assert ours["by"].tolist() == [1]
    np.testing.assert_allclose(ours["seconds"].sum(), lateness["batch_s"][0], rtol=1e-12)
