"""Preemption by swapping, traced by hand: what was computed stays, and its blocks cross the link twice."""

from dataclasses import replace

import numpy as np
import pytest

from sim import (
    ACCELERATORS,
    MODELS,
    Server,
    Settings,
    Targets,
    Trace,
    UnitCosts,
    larkspur_server,
    search,
    simulate,
)

SECOND_A_PASS = UnitCosts(pass_s=1, token_s=0, kv_token_s=0, pair_s=0)
SETTINGS = Settings(block_size=1, preemption="swap")
PAIR = [(0, 2, 4), (0, 2, 3)]  # of prompts of 2 that write 4 and 3
LATER = (2.5, 1, 1)


def run(requests, settings=SETTINGS, num_blocks=6, blocks_per_s=8, costs=SECOND_A_PASS):
    model = MODELS["opt-13b"]
    bytes_per_s = blocks_per_s * settings.block_size * model.kv_bytes_per_token(settings.kv_bits)
    accelerator = replace(ACCELERATORS["a100-80gb"], link_bytes_per_s=bytes_per_s)
    server = Server(model, accelerator, costs=costs, num_gpu_blocks=num_blocks + 1)
    return simulate(Trace(*zip(*requests, strict=True)), server, settings)


@pytest.mark.parametrize("scheduler", ["chunked", "iteration-level", "prefill-first"])
def test_blocks_cross_the_link_in_the_pass_in_which_they_leave_and_in_which_they_return(scheduler):
    # [0,1] both read · [1,2] both write a second token, 3 + 3 blocks · [2,3] A needs a fourth: B's 3 leave,
    # 3/8 s · A writes its last · B's 3 return, 3/8 s, and it takes a fourth and writes its last
    out = run(PAIR, replace(SETTINGS, scheduler=scheduler))
    assert list(out.passes["end_s"]) == [1, 2, 3.375, 4.375, 5.75]
    assert list(out.passes["prefill_tokens"]) == [4, 0, 0, 0, 0]
    assert list(out.passes["decode_seqs"]) == [0, 2, 1, 1, 1]
    assert list(out.passes["kv_blocks"]) == [4, 6, 4, 5, 4]
    assert list(out.requests["finish_s"]) == [4.375, 5.75]
    assert list(out.requests["preemptions"]) == [0, 1]
    assert list(out.requests["longest_gap_s"]) == [1.375, 3.75]
    own = out.segments[out.segments["request"] == 1]
    assert list(own["state"]) == ["prefill", "decode", "preempted", "decode"]
    assert list(own["end_s"]) == [1, 2, 4.375, 5.75]


def test_who_swaps_is_preempted_until_back_and_makes_others_wait_while_leaving():
    out = run(PAIR)
    lateness = out.lateness()
    assert list(lateness["preempted_s"]) == [0, 3.75]
    assert list(lateness["own_prefill_s"]) == [1, 1]
    assert list(lateness["alone_s"]) == [3, 1]
    assert list(lateness["batch_s"]) == [0.375, 0]
    assert sorted(out.blame().itertuples(index=False, name=None)) == [
        (0, 1, "batch_s", 0.375),
        (1, 0, "preempted_s", 3.75),
    ]


def test_memory_is_given_back_while_swapped_out():
    memory = run(PAIR).memory
    own = memory[memory["request"] == 1]
    assert list(own["at_s"]) == [0, 1, 2, 4.375, 5.75]
    assert list(own["blocks"]) == list(own["tokens"]) == [2, 3, 0, 4, 0]


def test_one_swapped_out_returns_before_anyone_new_also_under_prefill_first():
    # C would fit while B, in front of it, does not; then it is read with B's last token if chunked, and
    # under prefill-first in a pass of its own after that
    chunked = run([*PAIR, LATER])
    assert list(chunked.requests["finish_s"]) == [4.375, 5.75, 5.75]
    prefill_first = run([*PAIR, LATER], replace(SETTINGS, scheduler="prefill-first"))
    assert list(prefill_first.requests["finish_s"]) == [4.375, 5.75, 6.75]
    assert list(prefill_first.requests["admitted_s"]) == [0, 0, 5.75]


def test_a_prompt_swapped_out_half_read_goes_on_where_it_was():
    # a budget of 4 a pass, blocks of 2: [0,1] A reads 2, B 2 of 5 · [1,2] A writes, B reads 3 more: 2 + 3 blocks
    # [2,…] A's fifth token would need a third block of 5 − 5: B leaves with its 5 tokens, 3 blocks
    settings = replace(SETTINGS, block_size=2, max_num_batched_tokens=4)
    out = run([(0, 2, 4), (0, 7, 1)], settings, num_blocks=5, blocks_per_s=16)
    states = out.segments[out.segments["request"] == 1]["state"].tolist()
    assert states == ["prefill", "preempted", "prefill"]
    assert list(out.passes["prefill_tokens"]) == [4, 3, 0, 0, 2]
    assert list(out.passes["end_s"]) == [1, 2, 3 + 3 / 16, 4 + 3 / 16, 5 + 6 / 16]


def test_eight_bits_move_in_half_the_time_and_guessing_moves_the_drafts_share_too():
    server = larkspur_server()
    plain_s = server.block_move_s(Settings())
    assert plain_s == pytest.approx(16 * 819_200 / 25e9)
    assert server.block_move_s(Settings(kv_bits=8)) == pytest.approx(plain_s / 2)
    draft_bytes = server.draft.kv_bytes_per_token()
    guessing_s = server.block_move_s(Settings(num_speculative_tokens=2))
    assert guessing_s == pytest.approx(16 * (819_200 + draft_bytes) / 25e9)


def test_a_fast_link_beats_reading_again_and_a_slow_one_does_not():
    costs = UnitCosts(pass_s=1, token_s=0.25, kv_token_s=0, pair_s=0)
    ends_s = {
        name: run(PAIR, replace(SETTINGS, preemption=preemption), blocks_per_s=speed, costs=costs)
        .requests["finish_s"]
        .max()
        for name, preemption, speed in (("fast", "swap", 64), ("slow", "swap", 2), ("read", "recompute", 8))
    }
    assert ends_s["fast"] < ends_s["read"] < ends_s["slow"]


def test_a_search_knows_that_swapping_differs_where_paged_and_exists_no_more():
    trace = Trace(np.zeros(40), [300] * 40, [200] * 40)
    space = {"preemption": ["recompute", "swap"], "kv_layout": ["paged", "reserve-max"]}
    frame = search(trace, larkspur_server(), space, Targets(1, 1))
    paged = frame[frame["kv_layout"] == "paged"].set_index("preemption")
    assert len(frame) == 3
    assert (paged["preemptions"] > 0).all()
    assert paged["e2e_mean_s"]["swap"] != paged["e2e_mean_s"]["recompute"]
    assert list(frame["exists_today"]) == list(
        (frame["preemption"] == "recompute") & (frame["kv_layout"] == "paged")
    )
