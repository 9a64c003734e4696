"""Published models give their published counts, and not the values that calculators commonly get wrong."""

import csv
import json
import re
from pathlib import Path

import pytest

from sim import ACCELERATORS, MODELS, ModelShape, Server, Settings
from sim.families import FAMILIES, IMAGE_FAMILIES

REFERENCE = Path(__file__).resolve().parents[3] / "shared" / "reference" / "models"
needs_reference = pytest.mark.skipif(not REFERENCE.exists(), reason="the reference shapes are not here")


def reference_rows():
    if not REFERENCE.exists():
        return []
    with (REFERENCE / "expected.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def reference_config(name):
    return json.loads((REFERENCE / f"{name}.json").read_text(encoding="utf-8"))


ROWS = reference_rows()
by_row = pytest.mark.parametrize("row", ROWS, ids=[row["name"] for row in ROWS])


@needs_reference
def test_all_24_models_are_there_and_their_families_known():
    assert len(ROWS) == 24
    types = {reference_config(row["name"])["model_type"] for row in ROWS}
    assert types <= {*FAMILIES, *IMAGE_FAMILIES}
    assert len(types) == 17


@by_row
def test_parameters_are_exact_with_the_image_tower_and_experts_counted_both_ways(row):
    shape = ModelShape.from_config(reference_config(row["name"]))
    assert shape.params + shape.vision_params == int(row["params_exact"])
    assert shape.weight_bytes() == int(row["weight_bytes_16bit"])
    if row["params_active"]:
        assert shape.active_params == int(row["params_active"]) < shape.params
    elif not shape.num_experts:
        assert shape.active_params == shape.params


@by_row
def test_kv_bytes_are_exact_before_and_past_the_window(row):
    shape = ModelShape.from_config(reference_config(row["name"]))
    assert shape.kv_bytes_per_token() == int(row["kv_bytes_per_token_fp16"])
    assert shape.kv_bytes_per_token(8) * 2 == shape.kv_bytes_per_token()
    if not row["window_tokens"]:
        assert shape.window_tokens is None
        assert shape.kv_bytes_per_token_past_window() == shape.kv_bytes_per_token()
        return
    window_tokens, past = int(row["window_tokens"]), int(row["kv_bytes_per_token_past_window_fp16"])
    assert (shape.window_tokens, shape.kv_bytes_per_token_past_window()) == (window_tokens, past)
    full = window_tokens * shape.kv_bytes_per_token()
    assert [shape.kv_bytes(window_tokens + more) for more in (0, 1, 9)] == [
        full,
        full + past,
        full + 9 * past,
    ]


@by_row
def test_the_catalog_has_every_reference_model_as_published(row):
    assert MODELS[row["name"]] == ModelShape.from_config(reference_config(row["name"]))


@by_row
def test_no_value_noted_as_wrong_comes_out(row):
    shape = MODELS[row["name"]]
    noted = {int(number.replace(",", "")) for number in re.findall(r"[\d,]{5,}", row["common_wrong_value"])}
    ours = {shape.params, shape.active_params, shape.kv_bytes_per_token(), shape.weight_bytes()}
    assert not noted & ours


def kv_bytes(shape, kv_heads, key_and_value_dim):
    return shape.num_layers * kv_heads * key_and_value_dim * 2


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("llama-2-70b", 2_621_440),
        ("llama-3.1-8b", 524_288),
        ("llama-3.1-405b", 8_257_536),
        ("falcon-7b", 581_632),
    ],
)
def test_shared_keys_and_values_are_not_counted_for_every_head(name, wrong):
    shape = MODELS[name]
    assert kv_bytes(shape, shape.num_heads, 2 * shape.head_dim) == wrong
    assert shape.kv_bytes_per_token() * shape.num_heads == wrong * shape.num_kv_heads


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("qwen3-0.6b", 57_344),
        ("qwen3-30b-a3b", 49_152),
        ("qwen3-vl-30b-a3b", 49_152),
        ("gemma-2-9b", 301_056),
        ("gpt-oss-20b", 34_560),
    ],
)
def test_a_given_head_dim_is_not_divided_out_of_the_width(name, wrong):
    shape = MODELS[name]
    assert kv_bytes(shape, shape.num_kv_heads, 2 * (shape.hidden_size // shape.num_heads)) == wrong
    assert shape.kv_bytes_per_token() != wrong


def test_a_latent_is_neither_doubled_nor_unfolded_into_heads():
    shape = MODELS["deepseek-v2-lite"]
    assert kv_bytes(shape, 16, 128 + 128) == 221_184
    assert kv_bytes(shape, 16, 192 + 128) == 276_480
    assert shape.kv_bytes_per_token() == 31_104 == 27 * (512 + 64) * 2


def test_memory_is_never_that_of_active_parameters_nor_of_experts_times_the_whole():
    mixtral = MODELS["mixtral-8x7b"]
    one_expert = mixtral.params - mixtral.expert_params * 7 // 8
    assert one_expert < mixtral.active_params < 13e9 < mixtral.params < 8 * 7e9
    server = Server(mixtral, ACCELERATORS["a100-80gb"])
    assert server.num_blocks(Settings()) == 0  # 93 GB do not fit, though the active parameters would
    assert 2 * mixtral.active_params < ACCELERATORS["a100-80gb"].memory_bytes / 2


def test_experts_have_their_own_width():
    qwen = MODELS["qwen3-30b-a3b"]
    assert qwen.expert_params == 48 * 128 * 3 * 2048 * 768  # and not 6,144, which no layer has


def test_a_tied_output_layer_is_not_counted_again():
    for name, again in (("gemma-2-9b", 917_504_000), ("gpt2", 38_597_376), ("opt-13b", 257_392_640)):
        untied = MODELS[name].params + again
        assert untied != MODELS[name].params
        assert again % MODELS[name].hidden_size == 0
    gemma = {"model_type": "gemma2", "vocab_size": 256_000, "hidden_size": 3584, "num_attention_heads": 16}
    tied, untied = (ModelShape.from_config(gemma | {"tie_word_embeddings": tie}) for tie in (True, False))
    assert untied.params - tied.params == 917_504_000
    assert ModelShape.from_config(gemma) == tied


def test_a_window_that_is_switched_off_caps_nothing():
    shape = MODELS["qwen2.5-7b"]
    assert shape.window_tokens is None
    assert 16 * 2**30 // shape.kv_bytes_per_token() // 16 * 16 == 299_584  # what vLLM reports for 16 GiB


def test_a_window_caps_the_cache_of_a_sequence():
    mistral = MODELS["mistral-7b-v0.1"]
    assert mistral.kv_bytes(4096) == mistral.kv_bytes(32_768) == 536_870_912


def test_the_text_part_of_two_models_with_images_is_that_of_the_model_without():
    images, plain = MODELS["qwen3-vl-30b-a3b"], MODELS["qwen3-30b-a3b"]
    assert (images.params, images.active_params) == (plain.params, plain.active_params)
    assert images.kv_bytes_per_token() == plain.kv_bytes_per_token()
    assert images.weight_bytes() - plain.weight_bytes() == 2 * images.vision_params > 10**9
    assert MODELS["gemma-3-4b-it"].params == 3_880_263_168


def test_gpt_oss_is_stored_in_less_than_16_bits_a_number():
    shape = MODELS["gpt-oss-20b"]
    assert shape.weight_bytes() == 2 * shape.params
    assert shape.checkpoint_bytes / 2**30 == pytest.approx(12.8, abs=0.05)
    assert 2 * 579_133_440 == 2 * 201_088 * 2880  # the embeddings, which count as active here


@pytest.mark.parametrize("name", MODELS)
def test_every_model_of_the_catalog_says_how_its_heads_share(name):
    kinds = {"falcon-7b": "multi-query", "deepseek-v2-lite": "latent"}
    shape = MODELS[name]
    whole = shape.num_kv_heads == shape.num_heads
    assert shape.attention == kinds.get(name, "multi-head" if whole else "grouped")
