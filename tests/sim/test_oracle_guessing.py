"""The oracle's guesses: the hash, and timelines traced by hand; a pass takes 1 s, one of the draft 1/4 s."""

from dataclasses import replace

import numpy as np
import pytest

from sim import Server, Settings, Trace, UnitCosts
from tests.sim.cases import ACCELERATOR, MODEL, TICK_S, server_of
from tests.sim.oracle import oracle
from tests.sim.oracle.luck import luck, mix

FLAT = UnitCosts(pass_s=1, token_s=0, kv_token_s=0, pair_s=0)
QUARTER = UnitCosts(pass_s=0.25, token_s=0, kv_token_s=0, pair_s=0)


def guessing_run(requests, guesses, acceptance_rate, *, num_blocks=1000, draft_costs=QUARTER, **settings):
    trace = Trace(*zip(*requests, strict=True))
    server = server_of(FLAT, num_blocks, draft_costs=draft_costs)
    settings = {"num_speculative_tokens": guesses, "acceptance_rate": acceptance_rate} | settings
    return oracle(trace, server, Settings(**settings))


def test_the_mix_by_hand_for_one():
    # 1 ⊕ 0 = 1 · 1 × 569,420,461 · ⊕ its 17,377 · × 1,935,289,751 is 2,262,038,484 mod 2³² · ⊕ its 69,031
    assert (0x21F0AAAD, 0x735A2D97) == (569_420_461, 1_935_289_751)
    assert (569_420_461 // 2**15, 569_420_461 ^ 17_377) == (17_377, 569_436_492)
    assert 569_436_492 * 1_935_289_751 == 256_585_098 * 2**32 + 2_262_038_484
    assert 2_262_038_484 // 2**15 == 69_031
    assert mix(1) == 2_262_038_484 ^ 69_031 == 2_261_973_619
    assert mix(0) == 0


def test_the_mix_is_that_of_32_bit_arithmetic_and_loses_nothing():
    x = np.concatenate([np.arange(70_000), 2**32 - 1 - np.arange(70_000)]).astype(np.uint32)
    y = x ^ (x >> np.uint32(16))
    y = y * np.uint32(0x21F0AAAD)
    y = y ^ (y >> np.uint32(15))
    y = y * np.uint32(0x735A2D97)
    y = y ^ (y >> np.uint32(15))
    assert [mix(int(each)) for each in x[::1000]] == y[::1000].tolist()
    assert len(np.unique(y)) == len(x)  # the mix is one to one


def test_luck_is_uniform_and_names_seed_row_and_position():
    assert luck(5, 6, 7) == mix(mix(mix(5) ^ 6) ^ 7) / 2**32
    draws = np.array([float(luck(1, row, position)) for row in range(60) for position in range(60)])
    assert abs(draws.mean() - 0.5) < 5 * np.sqrt(1 / 12 / len(draws))
    assert len(np.unique(draws)) == len(draws)


def test_all_guesses_right_write_one_more_than_they_are():
    # [0, 1.25] the prompt, read by the draft too · 2 guesses: 1 + 2/4 s write 3 · 3 more: 7 of 8 written
    # · the last token leaves nothing to guess: 1 s without the draft
    run = guessing_run([(0, 3, 8)], 2, 1.0)
    assert run.token_times == [[1.25, 2.75, 2.75, 2.75, 4.25, 4.25, 4.25, 5.25]]
    assert [piece.guesses for row in run.passes for piece in row.pieces] == [0, 2, 2, 0]
    assert [piece.tokens for row in run.passes for piece in row.pieces] == [3, 3, 3, 1]


def test_no_guess_right_writes_one():
    # two guesses a pass while two tokens could still be right, then one, then none
    run = guessing_run([(0, 3, 8)], 2, 0.0)
    assert [piece.guesses for row in run.passes for piece in row.pieces] == [0, 2, 2, 2, 2, 2, 1, 0]
    assert run.token_times == [[1.25, 2.75, 4.25, 5.75, 7.25, 8.75, 10, 11]]
    assert [row.kv_tokens for row in run.passes] == [3, 6, 7, 8, 9, 10, 10, 10]


@pytest.mark.parametrize("seed", [0, 7])
def test_leading_guesses_are_kept_up_to_the_first_wrong_one(seed):
    run = guessing_run([(0, 1, 1), (0, 2, 40)], 3, 0.6, seed=seed)
    right = [luck(seed, 1, position) < 0.6 for position in range(40)]
    written, times = 1, [run.passes[0].end_s]
    for row in run.passes[1:]:
        guesses = min(3, 40 - written - 1)
        kept = 0
        while kept < guesses and right[written + kept]:
            kept += 1
        written += kept + 1
        times += [row.end_s] * (kept + 1)
    assert run.token_times[1] == times
    assert len(times) == 40


@pytest.mark.parametrize(("rate", "guesses"), [(0.5, 4), (0.7, 3), (0.8, 8)])
def test_the_mean_of_a_whole_step_is_that_of_the_paper(rate, guesses):
    # Leviathan et al. 2023 (arXiv 2211.17192), equation 1: (1 − α^(g+1)) ÷ (1 − α) tokens a step
    run = guessing_run([(0, 1, 400)] * 20, guesses, rate, max_model_len=500)
    pieces = [piece for row in run.passes for piece in row.pieces]
    written = np.array([piece.kept + 1 for piece in pieces if piece.guesses == guesses])
    error = written.std() / np.sqrt(len(written))
    assert abs(written.mean() - (1 - rate ** (guesses + 1)) / (1 - rate)) < 4 * error


def test_what_guesses_cost_the_model_and_its_draft():
    # In the pass at hand A (4 computed) guesses 2, B (3 computed) guesses 1, C reads a prompt of 3.
    # The model: 3 + 2 + 3 tokens, reads (4 + 3) + (3 + 2) + 3, pairs 3 · 5.5 + 2 · 4 + 3 · 1.5.
    # The draft's first pass: 1 + 1 + 3 tokens, reads 5 + 4 + 3, pairs of C; its second: A alone, reads 6.
    costs = UnitCosts(pass_s=1, token_s=10, kv_token_s=100, pair_s=1000)
    draft_costs = UnitCosts(pass_s=1 / 8, token_s=1 / 16, kv_token_s=1 / 64, pair_s=1 / 2)
    server = server_of(costs, 1000, draft_costs=draft_costs)
    settings = Settings(num_speculative_tokens=2, acceptance_rate=0.0)
    run = oracle(Trace([0, 0, 1], [4, 3, 3], [9, 3, 1]), server, settings)
    first, second = run.passes[:2]
    assert [piece.guesses for piece in second.pieces] == [2, 1, 0]
    model_s = 1 + 10 * 8 + 100 * 15 + 1000 * (16.5 + 8 + 4.5)
    draft_s = (1 / 8 + 5 / 16 + 12 / 64 + 4.5 / 2) + (1 / 8 + 1 / 16 + 6 / 64)
    assert second.end_s - second.start_s == model_s + draft_s
    # the pass before holds prompts of 4 and 3 and no guess: one pass of the draft
    pairs = 4 * 2 + 3 * 1.5
    assert first.end_s == 1 + 70 + 700 + 1000 * pairs + (1 / 8 + 7 / 16 + 7 / 64 + pairs / 2)


def test_riders_cost_the_draft_nothing():
    costs = UnitCosts(pass_s=0, token_s=0, kv_token_s=0, pair_s=0)
    draft_costs = UnitCosts(pass_s=1, token_s=1, kv_token_s=1, pair_s=0)
    settings = Settings(scheduler="request-level", num_speculative_tokens=1, acceptance_rate=0.0)
    run = oracle(Trace([0, 0], [2, 2], [4, 1]), server_of(costs, 100, draft_costs=draft_costs), settings)
    # prompts: 1 + 4 + 4 · A guesses one: 1 + 1 + (2 + 1) · again with 3 + 1 · nothing left to guess
    assert [row.end_s - row.start_s for row in run.passes] == [9, 5, 6, 0]


def test_a_draft_without_given_costs_is_counted_at_16_bit_weights():
    settings = {"num_speculative_tokens": 1, "acceptance_rate": 0.0, "weight_bits": 4}
    run = oracle(Trace([0], [1], [1]), server_of(FLAT, 100), Settings(**settings))
    plain = oracle(Trace([0], [1], [1]), server_of(FLAT, 100), Settings(weight_bits=4))
    # 128 parameters: reads 256 + 4 bytes at 2²⁰ a second, computes 256 at 2³⁰; half of the shorter hides
    draft_s = 2.0**-20 + 260 / 2**20 + 256 / 2**30 / 2
    assert run.finish_s[0] - plain.finish_s[0] == draft_s


def test_given_costs_of_a_draft_read_half_at_8_bits_of_cache_and_all_its_weights():
    # counting explains more of both than is given, so that all of the KV's share is halved
    draft_costs = UnitCosts(pass_s=0, token_s=0, kv_token_s=2 * TICK_S, pair_s=0, weight_s=8 * TICK_S)
    server = server_of(FLAT, 100, draft_costs=draft_costs)
    settings = {"num_speculative_tokens": 1, "kv_bits": 8}
    assert oracle(Trace([0], [3], [1]), server, Settings(**settings)).finish_s == [1 + 11 * TICK_S]
    fewer = Settings(**settings, weight_bits=8)
    plain = oracle(Trace([0], [3], [1]), server, replace(fewer, num_speculative_tokens=0))
    assert oracle(Trace([0], [3], [1]), server, fewer).finish_s[0] - plain.finish_s[0] == 11 * TICK_S


def test_guesses_count_against_the_budget():
    # budget 3: A's 2 guesses and its token take all, B is stalled until A has only its last to write
    run = guessing_run([(0, 1, 5), (0, 1, 4)], 2, 0.0, max_num_batched_tokens=3, draft_costs=None)
    assert [[(p.request, p.guesses) for p in row.pieces] for row in run.passes] == [
        [(0, 0), (1, 0)],
        [(0, 2)],
        [(0, 2)],
        [(0, 1), (1, 0)],
        [(0, 0), (1, 1)],
        [(1, 0)],
    ]


def test_decode_passes_of_prefill_first_guess_beyond_the_budget():
    run = guessing_run([(0, 1, 5)], 3, 1.0, max_num_batched_tokens=1, scheduler="prefill-first")
    assert [piece.guesses for row in run.passes for piece in row.pieces] == [0, 3]


def test_blocks_to_look_ahead_preempt_and_may_cost_the_guesser_its_own_seat():
    # 7 blocks of 1: [0,1] A, B, C read · [1,2] A guesses 3 and holds 5; B guesses 2 and lacks 3: C goes,
    # then B itself · [2,3] A's last: 6 held; B would need 2 · [3,4] B and C read 2 each, C is done
    # [4,5] B guesses 1 and is done
    free = UnitCosts(0, 0, 0, 0)
    requests = [(0, 1, 6), (0, 1, 4), (0, 1, 2)]
    run = guessing_run(requests, 3, 1.0, num_blocks=7, draft_costs=free, block_size=1)
    assert run.token_times == [[1, 2, 2, 2, 2, 3], [1, 4, 5, 5], [1, 4]]
    assert run.preemptions == [0, 1, 1]
    assert [row.kv_blocks for row in run.passes] == [3, 5, 6, 4, 4]


def test_blocks_to_look_ahead_stay_held():
    # 6 blocks: A guesses 3 in [1,2], keeps none and holds 5: B's prompt of 2 has to wait for its end
    free = UnitCosts(0, 0, 0, 0)
    settings = {"num_blocks": 6, "draft_costs": free, "block_size": 1, "scheduler": "prefill-first"}
    run = guessing_run([(0, 1, 5), (1.5, 2, 1)], 3, 0.0, **settings)
    assert run.token_times == [[1, 2, 3, 4, 5], [6]]
    assert [row.kv_blocks for row in run.passes] == [1, 5, 5, 5, 5, 2]


@pytest.mark.parametrize("scheduler", ["chunked", "iteration-level", "prefill-first"])
def test_one_that_enters_does_not_guess_in_that_pass_nor_return_in_the_one_it_leaves(scheduler):
    # 7 blocks, no guess right. [1,2] A guesses 3 and holds 5; B would guess 2 and lacks 2 of 3 blocks: it
    # goes, and though its 2 tokens would fit in 2 free blocks, it is not back in that pass
    # [2,6] A holds 6 · [6,7] B returns, without a guess · [7,8] it guesses 1 · [8,9] its last
    settings = {"num_blocks": 7, "draft_costs": UnitCosts(0, 0, 0, 0), "block_size": 1, "preemption": "swap"}
    run = guessing_run([(0, 1, 6), (0, 1, 4)], 3, 0.0, **settings, scheduler=scheduler)
    of_b = [(row.start_s, piece) for row in run.passes for piece in row.pieces if piece.request == 1]
    assert [(piece.computed, piece.guesses) for _, piece in of_b] == [(0, 0), (1, 0), (2, 1), (3, 0)]
    assert run.preemptions == [0, 1]
    assert of_b[1][0] == run.finish_s[0]


def test_a_block_that_moves_holds_both_models_cache():
    settings = {"num_blocks": 7, "draft_costs": UnitCosts(0, 0, 0, 0), "block_size": 1}
    run = guessing_run([(0, 1, 6), (0, 1, 4)], 3, 0.0, **settings, preemption="swap")
    moving = run.passes[1]
    assert moving.moved_blocks == 1
    assert moving.end_s - moving.start_s == 1 + (4 + 4) / ACCELERATOR.link_bytes_per_s


def test_guessing_without_a_draft_is_an_error():
    server = Server(MODEL, ACCELERATOR, costs=FLAT, num_gpu_blocks=10)
    with pytest.raises(ValueError, match="draft"):
        oracle(Trace([0], [1], [1]), server, Settings(num_speculative_tokens=1))
