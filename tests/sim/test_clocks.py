"""A pass has two clocks, and a request alone is the sum of its passes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim import (
    Settings,
    UnitCosts,
    larkspur_server,
    lone_passes,
    lone_request,
    pass_time,
    prompt_pairs,
    reading_breaks_even,
)
from sim.clocks import sum_of_shorter

seconds = st.integers(0, 2**20).map(lambda n: n * 2.0**-20)
small_seconds = st.integers(0, 2**10).map(lambda n: n * 2.0**-20)
shares = st.integers(0, 16).map(lambda n: n / 16)
unit_costs = st.builds(
    UnitCosts,
    pass_s=seconds,
    token_s=small_seconds,
    kv_token_s=small_seconds,
    pair_s=st.integers(0, 16).map(lambda n: n * 2.0**-24),
    weight_s=seconds,
    overlap=shares,
    expert_s=seconds,
    expert_share=shares,
)
prompts, outputs = st.integers(1, 300), st.integers(1, 300)
budgets = st.none() | st.integers(1, 400)
COSTS = larkspur_server().unit_costs(Settings())


def scaled(costs, factor):
    times = {name: getattr(costs, name) * factor for name in vars(costs) if name.endswith("_s")}
    return UnitCosts(**(vars(costs) | times))


@given(unit_costs, prompts, st.integers(0, 5000), st.integers(0, 10**6))
def test_a_pass_takes_at_least_its_longer_clock_and_at_most_both(costs, tokens, kv_tokens, pairs):
    time = pass_time(costs, float(tokens), float(kv_tokens), float(pairs))
    read_s, compute_s = time.weight_read_s + time.kv_read_s, time.arithmetic_s
    assert time.total_s >= (costs.pass_s + max(read_s, compute_s)) * (1 - 1e-12)
    assert time.total_s <= (costs.pass_s + read_s + compute_s) * (1 + 1e-12)
    rule_s = costs.pass_s + max(read_s, compute_s) + (1 - costs.overlap) * min(read_s, compute_s)
    assert time.total_s == pytest.approx(rule_s, rel=1e-12)


def test_overlap_0_adds_the_clocks_up_and_1_is_a_roofline():
    apart = UnitCosts(pass_s=1, token_s=2, kv_token_s=3, pair_s=5, weight_s=7, overlap=0)
    together = UnitCosts(**(vars(apart) | {"overlap": 1}))
    assert pass_time(apart, 2.0, 4.0, 6.0).total_s == 1 + (7 + 12) + (4 + 30)
    assert pass_time(together, 2.0, 4.0, 6.0).total_s == 1 + 34


def test_experts_are_read_as_far_as_some_token_asks_for_them():
    costs = UnitCosts(pass_s=0, token_s=0, kv_token_s=0, pair_s=0, weight_s=1, expert_s=8, expert_share=0.5)
    assert [pass_time(costs, tokens, 0.0, 0.0).total_s for tokens in (1.0, 2.0, 3.0)] == [5, 7, 8]


def test_a_piece_of_one_token_has_no_pairs():
    assert prompt_pairs(100.0, 1.0) == 0
    assert prompt_pairs(100.0, 2.0) == 2 * 101
    assert list(prompt_pairs(np.array([0.0, 9.0]), np.array([4.0, 1.0]))) == [8, 0]


@given(unit_costs, prompts, outputs, budgets, st.data())
def test_the_closed_form_is_the_sum_of_the_passes(costs, prompt, output, budget, data):
    cached = data.draw(st.integers(0, prompt - 1))
    options = {"cached_tokens": cached, "max_num_batched_tokens": budget}
    closed, passes = (
        lone_request(costs, prompt, output, **options),
        lone_passes(costs, prompt, output, **options),
    )
    reading = passes[passes["state"] == "prefill"]
    assert closed.prefill_passes == len(reading)
    assert closed.decode_passes == len(passes) - len(reading) == output - 1
    assert closed.ttft_s == pytest.approx(reading["total_s"].sum(), rel=1e-12)
    assert closed.e2e_s == pytest.approx(passes["total_s"].sum(), rel=1e-12)
    assert closed.e2e_s == closed.ttft_s + closed.decode_s
    assert reading["tokens"].sum() == prompt - cached
    assert passes["kv_tokens"].iloc[-1] == prompt + output - 1


@given(unit_costs, prompts, outputs, budgets)
def test_halving_all_unit_costs_halves_every_time(costs, prompt, output, budget):
    whole = lone_request(costs, prompt, output, max_num_batched_tokens=budget)
    half = lone_request(scaled(costs, 0.5), prompt, output, max_num_batched_tokens=budget)
    assert (half.ttft_s, half.decode_s, half.e2e_s) == (whole.ttft_s / 2, whole.decode_s / 2, whole.e2e_s / 2)


@given(prompts, outputs)
def test_on_larkspur_server_a_longer_prompt_waits_longer_and_a_longer_reply_ends_later(prompt, output):
    now, longer_prompt = lone_request(COSTS, prompt, output), lone_request(COSTS, prompt + 1, output)
    longer_reply = lone_request(COSTS, prompt, output + 1)
    assert longer_prompt.ttft_s > now.ttft_s
    assert longer_reply.ttft_s == now.ttft_s
    assert longer_reply.e2e_s > now.e2e_s


@given(st.integers(1, 600), st.integers(2, 600))
def test_the_parts_of_each_pass_add_up_and_passes_follow_one_another(prompt, output):
    passes = lone_passes(COSTS, prompt, output)
    parts_s = passes["fixed_s"] + passes["weight_read_s"] + passes["kv_read_s"] + passes["arithmetic_s"]
    np.testing.assert_allclose(parts_s - passes["hidden_s"], passes["total_s"], rtol=1e-12)
    np.testing.assert_allclose(passes["end_s"] - passes["start_s"], passes["total_s"], rtol=1e-9)
    assert list(passes["start_s"][1:]) == list(passes["end_s"][:-1])


def test_the_closed_form_is_cut_where_reading_overtakes_arithmetic():
    # reading 1, 2, 3, … against arithmetic 3: hidden are 1 + 2 + 3 + 3 + 3
    costs = UnitCosts(pass_s=0, token_s=3, kv_token_s=1, pair_s=0, overlap=1)
    assert sum_of_shorter(5, 1, 1, 3, 0) == 12
    assert lone_request(costs, 1, 6).decode_s == 3 + 3 + 4 + 5 + 6


@given(st.integers(0, 50), *[st.integers(0, 100)] * 4)
def test_the_sum_of_the_shorter_line_is_exact(terms, first, step, other_first, other_step):
    summed = sum(min(first + j * step, other_first + j * other_step) for j in range(terms))
    assert sum_of_shorter(terms, first, step, other_first, other_step) == summed


def test_lines_that_meet_very_far_away_do_not_overflow():
    assert sum_of_shorter(3, 0.0, 5e-324, 1e308, 0.0) == pytest.approx(0, abs=1e-300)


@given(unit_costs)
def test_break_even_is_where_a_direct_search_finds_it(costs):
    found = reading_breaks_even(costs)
    for prompt in range(1, 400):
        time = pass_time(costs, float(prompt), float(prompt), prompt_pairs(0.0, float(prompt)))
        if time.arithmetic_s > time.weight_read_s + time.kv_read_s:
            assert found == prompt
            return
    assert found is None or found >= 400


def test_break_even_of_larkspur_server_is_where_a_direct_search_finds_it():
    passes = [lone_passes(COSTS, prompt, 1).iloc[0] for prompt in range(1, 130)]
    longer = [one.arithmetic_s > one.weight_read_s + one.kv_read_s for one in passes]
    assert reading_breaks_even(COSTS) == longer.index(True) + 1


def test_without_arithmetic_reading_never_breaks_even():
    assert reading_breaks_even(UnitCosts(pass_s=1, token_s=0, kv_token_s=0, pair_s=0)) is None


def test_a_billion_tokens_have_a_closed_form_at_once():
    long = lone_request(COSTS, 10**9, 10**9, max_num_batched_tokens=1)
    assert long.prefill_passes == 10**9
    assert np.isfinite(long.e2e_s)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((0, 1), "prompt_tokens: expected a whole number from 1"),
        ((1, 0), "output_tokens: expected a whole number from 1"),
        ((1.5, 1), "prompt_tokens"),
        (("7", 1), "prompt_tokens"),
        ((True, 1), "prompt_tokens"),
        ((float("nan"), 1), "prompt_tokens"),
    ],
)
def test_senseless_lengths_are_refused(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        lone_request(COSTS, *arguments)
    with pytest.raises(ValueError, match=sentence):
        lone_passes(COSTS, *arguments)


def test_a_cache_must_leave_something_to_compute():
    with pytest.raises(ValueError, match="cached_tokens: expected a whole number from 0 to 6, got 7"):
        lone_request(COSTS, 7, 1, cached_tokens=7)
