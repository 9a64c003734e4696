"""Shapes are counted exactly from a config.json, and never guessed."""

import pytest

from sim import MODEL_ENTRIES, MODELS, ModelShape
from sim.config import DEFAULTS, Config
from sim.families import FAMILIES, IMAGE_FAMILIES

TINY_GPT2 = {
    "model_type": "gpt2",
    "vocab_size": 700,
    "n_positions": 100,
    "n_embd": 32,
    "n_layer": 2,
    "n_head": 4,
}
TINY_OPT = {
    "model_type": "opt",
    "vocab_size": 10,
    "hidden_size": 4,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "ffn_dim": 8,
    "max_position_embeddings": 6,
}
TINY_LLAMA = {
    "model_type": "llama",
    "vocab_size": 10,
    "hidden_size": 8,
    "num_hidden_layers": 1,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "intermediate_size": 16,
}


@pytest.mark.parametrize(("width", "layers", "params"), [(32, 2, 51_072), (16, 1, 16_112)])
def test_gpt2_counts_follow_the_closed_form(width, layers, params):
    shape = ModelShape.from_config(TINY_GPT2 | {"n_embd": width, "n_layer": layers})
    assert shape.params == params == width * 800 + layers * (12 * width**2 + 13 * width) + 2 * width


def test_a_tiny_opt_is_counted_by_hand():
    # embeddings 10·4, positions (6 + 2)·4, attention 4·(16 + 4), feed-forward 2·32 + 12, three norms of 8
    assert ModelShape.from_config(TINY_OPT).params == 40 + 32 + 80 + 76 + 24
    # half-width embeddings bring two projections of 2·4; norms after the blocks leave no final norm
    narrow = TINY_OPT | {"word_embed_proj_dim": 2, "do_layer_norm_before": False}
    assert ModelShape.from_config(narrow).params == 20 + 32 + 16 + 80 + 76 + 16
    bare = TINY_OPT | {"enable_bias": False, "layer_norm_elementwise_affine": False}
    assert ModelShape.from_config(bare).params == 40 + 32 + 64 + 64


def test_a_tiny_llama_is_counted_by_hand():
    # twice 10·8, queries and output 2·64, grouped keys and values 2·32, feed-forward 3·128, three norms of 8
    assert ModelShape.from_config(TINY_LLAMA).params == 160 + 128 + 64 + 384 + 24
    biased = ModelShape.from_config(TINY_LLAMA | {"attention_bias": True, "mlp_bias": True})
    assert biased.params == 760 + (8 + 2 * 4 + 8) + (2 * 16 + 8)


def test_tied_embeddings_count_once():
    tied = ModelShape.from_config(TINY_LLAMA | {"tie_word_embeddings": True})
    assert ModelShape.from_config(TINY_LLAMA).params - tied.params == 10 * 8


def test_an_explicit_head_dim_wins_over_hidden_by_heads():
    shape = ModelShape.from_config(TINY_LLAMA | {"head_dim": 16})
    assert shape.head_dim == 16
    assert shape.kv_bytes_per_token() == 2 * 1 * 2 * 16 * 2


def test_missing_keys_come_from_the_published_defaults_and_are_named():
    shape = ModelShape.from_config({"model_type": "gpt2"})
    assert shape.params == MODELS["gpt2"].params
    assert {"n_embd", "n_layer", "tie_word_embeddings"} <= set(shape.from_defaults)


def test_every_family_has_published_defaults_with_source_and_day():
    towers = {family.vision_type for family in IMAGE_FAMILIES.values()}
    assert set(DEFAULTS) == {*FAMILIES, *IMAGE_FAMILIES, *towers}
    assert all(row["source"].startswith("https://") and row["checked"] for row in DEFAULTS.values())


def test_a_missing_key_without_published_default_is_named():
    with pytest.raises(ValueError, match="n_embd: expected this key"):
        FAMILIES["gpt2"](Config({"model_type": "gpt2", "n_layer": 2}, {}))


@pytest.mark.parametrize("model_type", ["mamba", None, 3, ["opt"], ""])
def test_an_unknown_model_type_is_named_beside_those_known(model_type):
    with pytest.raises(ValueError, match="gpt2, gpt_neox, gpt_oss, llama") as caught:
        ModelShape.from_config({"model_type": model_type})
    assert repr(model_type) in str(caught.value)


@pytest.mark.parametrize("wrong", [0, -1, 2.5, "12", True, float("nan"), 10**13, [12], None])
def test_a_senseless_count_is_refused_by_name(wrong):
    with pytest.raises(ValueError, match="n_layer: expected a whole number"):
        ModelShape.from_config(TINY_GPT2 | {"n_layer": wrong})


def test_heads_must_share_evenly_and_a_flag_must_be_a_flag():
    with pytest.raises(ValueError, match="5 heads share evenly, got 32"):
        ModelShape.from_config(TINY_GPT2 | {"n_head": 5})
    with pytest.raises(ValueError, match=r"^num_key_value_heads: expected a divisor of 4 heads, got 3"):
        ModelShape.from_config(TINY_LLAMA | {"num_key_value_heads": 3})
    with pytest.raises(ValueError, match="tie_word_embeddings: expected true or false, got 'no'"):
        ModelShape.from_config(TINY_GPT2 | {"tie_word_embeddings": "no"})
    with pytest.raises(ValueError, match="as a dictionary"):
        ModelShape.from_config("opt-13b")


@pytest.mark.parametrize(("bits", "stored_bits"), [(16, 16), (8, 8.25), (4, 4.25), (3, 3.25)])
def test_fewer_bits_carry_a_scale_and_a_zero_per_128_weights(bits, stored_bits):
    shape = MODELS["opt-13b"]
    assert shape.weight_bytes(bits) == -(-shape.params * int(stored_bits * 4) // 32)


def test_eight_bit_kv_is_half_and_other_widths_are_refused():
    assert MODELS["opt-13b"].kv_bytes_per_token(8) * 2 == MODELS["opt-13b"].kv_bytes_per_token()
    with pytest.raises(ValueError, match="kv_bits: expected one of 16, 8, got 4"):
        MODELS["opt-13b"].kv_bytes_per_token(4)
    with pytest.raises(ValueError, match="weight_bits: expected one of 16, 8, 4, 3, got 5"):
        MODELS["opt-13b"].weight_bytes(5)


@pytest.mark.parametrize("entry", MODEL_ENTRIES.values(), ids=list(MODEL_ENTRIES))
def test_every_model_of_the_catalog_has_a_source(entry):
    assert entry.name
    assert entry.origin.source.startswith("https://huggingface.co/")
    assert not entry.origin.assumption
