"""Every family, on a small config of our own: parameters, heads, experts and windows, counted by hand."""

import json

import pytest

from sim import ModelShape
from sim.config import DEFAULTS
from sim.families import FAMILIES, IMAGE_FAMILIES
from tests.sim.tiny_configs import PARAMS, TINY, VISION_PARAMS, shape_of, tiny

TEXT_PARTS = {family.text_type for family in IMAGE_FAMILIES.values()}


def test_every_family_has_a_small_config_of_its_own_or_as_part_of_one():
    assert set(TINY) | TEXT_PARTS == {*FAMILIES, *IMAGE_FAMILIES}
    assert set(PARAMS) == set(TINY)
    assert set(VISION_PARAMS) == set(IMAGE_FAMILIES)


@pytest.mark.parametrize("model_type", TINY)
def test_a_small_model_is_counted_as_by_hand(model_type):
    shape = shape_of(model_type)
    assert shape.params == PARAMS[model_type]
    assert shape.vision_params == VISION_PARAMS.get(model_type, 0)
    assert shape.weight_bytes() == 2 * (shape.params + shape.vision_params)
    assert (shape.num_layers, shape.hidden_size, shape.num_heads) == (3, 8, 4)


KINDS = {
    "multi-head": ("opt", "gpt2", "gpt_neox", "bloom"),
    "multi-query": ("RefinedWebModel",),
    "latent": ("deepseek_v2",),
}


@pytest.mark.parametrize("model_type", TINY)
def test_every_small_model_says_how_its_heads_share(model_type):
    kind = next((kind for kind, types in KINDS.items() if model_type in types), "grouped")
    shape = shape_of(model_type)
    assert shape.attention == kind
    kv_heads = {"multi-head": 4, "multi-query": 1, "latent": 1, "grouped": 2}[kind]
    assert shape.num_kv_heads == kv_heads
    numbers = 5 + 2 if kind == "latent" else 2 * kv_heads * shape.head_dim
    assert shape.kv_bytes_per_token() == 3 * numbers * 2
    assert shape.kv_bytes_per_token(8) == 3 * numbers


def test_a_latent_stands_for_key_and_value_and_is_there_once():
    shape = shape_of("deepseek_v2")
    assert (shape.latent_dim, shape.head_dim, shape.value_dim) == (7, 5, 4)
    assert shape.kv_bytes_per_token() * 2 == 3 * 2 * 7 * 2  # both factors doubled would be twice as much
    assert shape.kv_bytes_per_token() < 3 * 2 * 4 * 4 * 2  # and keys and values of all heads far more


def test_compressed_queries_have_two_matrices_and_a_norm():
    plain, compressed = (shape_of("deepseek_v2", q_lora_rank=rank) for rank in (None, 6))
    assert compressed.params - plain.params == 3 * (8 * 6 + 6 + 6 * 20 - 8 * 20)
    biased = shape_of("deepseek_v2", q_lora_rank=6, attention_bias=True)
    assert biased.params - compressed.params == 3 * (6 + 7 + 8)


@pytest.mark.parametrize(
    ("first", "step", "sparse_layers"), [(0, 1, 3), (1, 1, 2), (5, 1, 0), (0, 2, 2), (1, 2, 1), (0, 9, 1)]
)
def test_deepseek_has_experts_from_a_layer_on_and_every_so_many(first, step, sparse_layers):
    shape = shape_of("deepseek_v2", first_k_dense_replace=first, moe_layer_freq=step)
    assert sparse_layers == sum(layer >= first and layer % step == 0 for layer in range(3))
    assert shape.expert_params == sparse_layers * 4 * 3 * 48


@pytest.mark.parametrize(
    ("step", "dense", "sparse_layers"),
    [(1, [], 3), (1, [1, 1, 7], 2), (2, [], 1), (2, [1], 0), (3, [0], 1), (4, [], 0)],
)
def test_qwen3_has_experts_in_every_so_many_layers_but_those_named(step, dense, sparse_layers):
    shape = shape_of("qwen3_moe", decoder_sparse_step=step, mlp_only_layers=dense)
    assert shape.expert_params == sparse_layers * 4 * 3 * 48
    assert shape_of("qwen3_moe", mlp_only_layers=None) == shape_of("qwen3_moe", mlp_only_layers=[])


EXPERTS = {
    "mixtral": (4, 1, 3 * 4 * 3 * 128),
    "qwen3_moe": (4, 2, 4 * 3 * 48),
    "qwen3_vl_moe": (4, 2, 4 * 3 * 48),
    "deepseek_v2": (4, 3, 2 * 4 * 3 * 48),
    "gpt_oss": (4, 1, 3 * 4 * 424),
}


@pytest.mark.parametrize("model_type", TINY)
def test_memory_holds_every_expert_and_arithmetic_meets_only_those_asked(model_type):
    shape = shape_of(model_type)
    experts, asked, expert_params = EXPERTS.get(model_type, (0, 0, 0))
    assert (shape.num_experts, shape.experts_per_token, shape.expert_params) == (
        experts,
        asked,
        expert_params,
    )
    idle = expert_params * (experts - asked) // experts if experts else 0
    assert shape.active_params == shape.params - idle
    assert shape.expert_share == (asked / experts if experts else 0)


def test_asking_every_expert_makes_all_parameters_active():
    assert shape_of("mixtral", num_experts_per_tok=4).active_params == PARAMS["mixtral"]
    with pytest.raises(ValueError, match="num_experts_per_tok: expected a whole number from 1 to 4, got 5"):
        shape_of("mixtral", num_experts_per_tok=5)


@pytest.mark.parametrize(
    ("changes", "kv_heads", "params"),
    [
        ({"new_decoder_architecture": False}, 1, 3 * (8 * (8 + 2 * 2) + 64 + 512 + 16)),
        ({"new_decoder_architecture": False, "multi_query": False}, 4, 3 * (8 * 24 + 64 + 512 + 16)),
        ({"num_ln_in_parallel_attn": 1}, 2, 3 * (8 * 16 + 64 + 512 + 16)),
        ({"parallel_attn": False, "bias": True}, 2, 3 * (9 * 16 + 72 + 512 + 40 + 32)),
        ({"ffn_hidden_size": 5}, 2, 3 * (8 * 16 + 64 + 80 + 32)),
    ],
)
def test_falcon_shares_keys_as_its_architecture_says(changes, kv_heads, params):
    shape = shape_of("falcon", **changes)
    assert (shape.num_kv_heads, shape.params) == (kv_heads, 80 + params + 16)


def test_both_names_of_a_key_do_unless_they_disagree():
    renamed = {"hidden_size": 8, "num_hidden_layers": 3, "n_head": 4, "vocab_size": 10, "model_type": "bloom"}
    assert ModelShape.from_config(renamed) == shape_of("bloom")
    assert shape_of("bloom", hidden_size=8) == shape_of("bloom")
    with pytest.raises(ValueError, match="n_embed: expected one value, as they name one thing"):
        shape_of("bloom", hidden_size=16)
    saved_again = {key: value for key, value in tiny("qwen3_moe").items() if key != "num_experts"}
    assert ModelShape.from_config(saved_again | {"num_local_experts": 4}) == shape_of("qwen3_moe")


def test_keys_of_which_published_defaults_disagree_must_be_given():
    for key in ("num_hidden_layers", "n_routed_experts", "n_shared_experts", "num_experts_per_tok"):
        config = {name: value for name, value in tiny("deepseek_v2").items() if name != key}
        with pytest.raises(ValueError, match=f"{key}: expected this key in the config.json"):
            ModelShape.from_config(config)


def test_what_a_count_does_not_cover_is_refused_by_name():
    with pytest.raises(ValueError, match="mlp_bias: expected False, got True, which is not counted"):
        shape_of("deepseek_v2", mlp_bias=True)
    assert shape_of("deepseek_v2", mlp_bias=False) == shape_of("deepseek_v2")
    with pytest.raises(ValueError, match="mlp_only_layers: expected a whole number from 0"):
        shape_of("qwen3_moe", mlp_only_layers=[-1])


def test_defaults_are_those_of_the_family_and_not_of_llama():
    assert shape_of("mistral", head_dim=None).num_kv_heads == 2
    without = {key: value for key, value in tiny("mistral").items() if key != "num_key_value_heads"}
    shape = ModelShape.from_config(without | {"num_attention_heads": 8})
    assert shape.num_kv_heads == 8 == DEFAULTS["mistral"]["keys"]["num_key_value_heads"]
    assert "num_key_value_heads" in shape.from_defaults
    assert shape_of("mistral", num_key_value_heads=None).num_kv_heads == 4  # null means as many as heads


def test_how_a_checkpoint_is_stored_is_said_and_does_not_change_the_count():
    plain = shape_of("gpt_oss")
    stored = shape_of("gpt_oss", quantization_config={"quant_method": "mxfp4"})
    assert (plain.quant_method, plain.checkpoint_bytes) == (None, None)
    matrices = 3 * 4 * 3 * 128  # in groups of 32 with a scale of 8 bits; all else 16 bits
    assert stored.quant_method == "mxfp4"
    assert stored.checkpoint_bytes == matrices * 4.25 / 8 + 2 * (PARAMS["gpt_oss"] - matrices)
    assert (stored.params, stored.weight_bytes()) == (plain.params, plain.weight_bytes())
    gptq = shape_of("llama", quantization_config={"quant_method": "gptq", "bits": 4})
    assert (gptq.quant_method, gptq.checkpoint_bytes) == ("gptq", None)


@pytest.mark.parametrize("model_type", TINY)
def test_shapes_hash_and_survive_json(model_type):
    config = json.loads(json.dumps(tiny(model_type)))
    assert len({ModelShape.from_config(config), shape_of(model_type)}) == 1


@pytest.mark.parametrize("model_type", ["qwen3_moe", "deepseek_v2", "gemma3_text", "gpt_oss"])
def test_absurd_numbers_of_layers_are_counted_in_no_time_or_refused(model_type):
    assert shape_of(model_type, num_hidden_layers=10**11).num_layers == 10**11
    with pytest.raises(ValueError, match="params: expected a whole number"):
        shape_of(model_type, num_hidden_layers=10**12, hidden_size=10**4)
