"""Counted costs: experts are read as far as they are asked, latents and image towers cost what they cost."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim import (
    ACCELERATORS,
    MODELS,
    Accelerator,
    Assumptions,
    ModelShape,
    Server,
    Settings,
    UnitCosts,
    pass_time,
)
from sim.costs import counted_costs, rescaled_costs

A100 = ACCELERATORS["a100-80gb"]
PLAIN = Assumptions(bandwidth_share=1.0, flops_share=1.0, overhead_s=0.0, overlap=0.0)
ROUND = Accelerator(2**40, 2.0**30, 2.0**40, 2.0**20, 1.0)  # a GiB a second: seconds are GiB
MIXTURES = ["mixtral-8x7b", "qwen3-30b-a3b", "deepseek-v2-lite", "gpt-oss-20b"]


def costs_of(model, **bits):
    return counted_costs(model, ROUND, PLAIN, **bits)


def read_bytes(costs, tokens):
    return pass_time(costs, float(tokens), 0.0, 0.0).weight_read_s * 2**30


@pytest.mark.parametrize("name", [name for name, shape in MODELS.items() if not shape.num_experts])
def test_without_experts_all_weights_are_read_in_every_pass(name):
    costs = costs_of(MODELS[name])
    assert (costs.expert_s, costs.expert_share) == (0, 0)
    assert read_bytes(costs, 1) == 2 * MODELS[name].params


@pytest.mark.parametrize("name", MIXTURES)
def test_one_token_reads_the_active_parameters_and_many_read_all(name):
    shape, costs = MODELS[name], costs_of(MODELS[name])
    assert read_bytes(costs, 0) == pytest.approx(2 * (shape.params - shape.expert_params), rel=1e-12)
    assert read_bytes(costs, 1) == pytest.approx(2 * shape.active_params, rel=1e-12)
    assert read_bytes(costs, 5000) == pytest.approx(2 * shape.params, rel=1e-12)
    assert read_bytes(costs, 1) < read_bytes(costs, 2) < 2 * read_bytes(costs, 1)


@pytest.mark.parametrize("name", MIXTURES)
def test_arithmetic_is_that_of_active_parameters(name):
    shape = MODELS[name]
    assert costs_of(shape).token_s * 2**40 == pytest.approx(2 * shape.active_params)


def test_two_tokens_that_ask_two_of_eight_experts_each_read_seven_sixteenths():
    costs = UnitCosts(0, 0, 0, 0, weight_s=1.0, expert_s=16.0, expert_share=0.25)
    assert pass_time(costs, 2.0, 0.0, 0.0).weight_read_s == 1 + 16 * (1 - 0.75**2) == 1 + 7


@pytest.mark.parametrize("bits", [8, 4, 3])
@pytest.mark.parametrize("name", MIXTURES)
def test_fewer_bits_shrink_experts_as_all_weights(name, bits):
    shape, costs = MODELS[name], costs_of(MODELS[name], weight_bits=bits)
    assert read_bytes(costs, 10**5) == pytest.approx(shape.weight_bytes(bits), abs=1)
    assert costs.expert_s / costs_of(shape).expert_s == pytest.approx((bits + 0.25) / 16)


def test_pairs_of_latent_attention_meet_keys_and_values_of_different_width():
    shape = MODELS["deepseek-v2-lite"]
    assert costs_of(shape).pair_s * 2**40 == 2 * 27 * 16 * (192 + 128)
    even = MODELS["opt-13b"]
    assert costs_of(even).pair_s * 2**40 == 4 * 40 * 40 * 128


def test_an_image_tower_takes_memory_but_is_not_read():
    images, plain = MODELS["qwen3-vl-30b-a3b"], MODELS["qwen3-30b-a3b"]
    assert costs_of(images) == costs_of(plain)
    settings = Settings(weight_bits=4)
    assert Server(images, A100).num_blocks(settings) < Server(plain, A100).num_blocks(settings)


MEASURED = UnitCosts(pass_s=2.0, token_s=0.25, kv_token_s=0.5, pair_s=0.125)
COUNTED_16 = UnitCosts(0, 0, 0.25, 0, weight_s=0.5, expert_s=1.0, expert_share=0.5)
COUNTED_4 = replace(COUNTED_16, weight_s=0.125, expert_s=0.25)


def test_measured_costs_without_experts_hold_the_reading_of_all_in_the_pass():
    assert rescaled_costs(MEASURED, COUNTED_16, COUNTED_4) == replace(MEASURED, pass_s=2 - 1.5 * 0.75)


def test_measured_costs_with_experts_shrink_each_where_it_is():
    given = replace(MEASURED, weight_s=1.0, expert_s=4.0, expert_share=0.5)
    expected = replace(given, weight_s=1 - 0.5 * 0.75, expert_s=4 - 1 * 0.75)
    assert rescaled_costs(given, COUNTED_16, COUNTED_4) == expected


@given(*[st.floats(0, 0.1)] * 3, st.sampled_from(MIXTURES), st.sampled_from([8, 4, 3]))
def test_estimates_of_mixtures_never_turn_negative_nor_grow(pass_s, weight_s, expert_s, name, bits):
    given = UnitCosts(pass_s, 0, 0, 0, weight_s=weight_s, expert_s=expert_s, expert_share=0.1)
    server = Server(MODELS[name], A100, costs=given)
    fewer = server.unit_costs(Settings(weight_bits=bits))
    for field in ("pass_s", "weight_s", "expert_s"):
        assert 0 <= getattr(fewer, field) <= getattr(given, field)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"expert_params": 11}, "expert_params: expected a whole number from 0 to 10, got 11"),
        (
            {"num_experts": 2, "experts_per_token": 3},
            "experts_per_token: expected a whole number from 0 to 2",
        ),
        ({"window_layers": 1}, "window_layers: expected a whole number from 0 to 0, got 1"),
        ({"window_tokens": 5}, "window_layers: expected a whole number from 1 to 2, got 0"),
        ({"window_tokens": 0, "window_layers": 1}, "window_tokens: expected a whole number from 1"),
        (
            {"window_tokens": 5, "window_layers": 3},
            "window_layers: expected a whole number from 1 to 2, got 3",
        ),
        ({"latent_dim": -1}, "latent_dim"),
        ({"value_head_dim": 0}, "value_head_dim"),
        ({"vision_params": 1.5}, "vision_params"),
        ({"checkpoint_bytes": 0}, "checkpoint_bytes"),
    ],
)
def test_shapes_refuse_what_makes_no_sense(changes, sentence):
    plain = {"params": 10, "active_params": 10, "num_layers": 2, "hidden_size": 2}
    with pytest.raises(ValueError, match=sentence):
        ModelShape(**plain, num_heads=1, num_kv_heads=1, head_dim=2, **changes)
