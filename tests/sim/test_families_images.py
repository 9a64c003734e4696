"""A language model with an image tower: nested keys, and what of them counts as what."""

import pytest

from sim import ModelShape
from tests.sim.tiny_configs import GROUPED, PARAMS, QWEN3, TINY, VISION_PARAMS, shape_of, tiny


def test_the_outer_tie_decides_then_the_inner_then_the_outer_default():
    text = QWEN3 | {"tie_word_embeddings": True}
    assert shape_of("qwen3_vl", text_config=text).params == PARAMS["qwen3_vl"] - 80
    assert shape_of("qwen3_vl", text_config=text, tie_word_embeddings=False).params == PARAMS["qwen3_vl"]
    assert shape_of("gemma3", tie_word_embeddings=False).params == PARAMS["gemma3"] + 80


def test_the_image_tower_is_not_taken_for_the_language_model():
    shape = shape_of("qwen3_vl")
    images = shape_of("qwen3_vl", vision_config=TINY["qwen3_vl"]["vision_config"] | {"depth": 20})
    assert (images.params, images.num_layers) == (shape.params, shape.num_layers)
    assert images.vision_params > shape.vision_params
    with_head = TINY["gemma3"]["vision_config"] | {"vision_use_head": True}
    more = shape_of("gemma3", vision_config=with_head).vision_params - VISION_PARAMS["gemma3"]
    assert more == 4 + 4 * (16 + 4) + (20 + 5) + (20 + 4) + 8  # probe, attention, two matrices, norm


def test_an_image_tower_stays_at_16_bits():
    shape = shape_of("qwen3_vl")
    text_bytes = -(-shape.params * 4.25 // 8)
    assert shape.weight_bytes(4) == text_bytes + 2 * shape.vision_params


@pytest.mark.parametrize("part", ["text_config", "vision_config"])
def test_a_missing_part_is_named(part):
    config = {key: value for key, value in tiny("gemma3").items() if key != part}
    with pytest.raises(ValueError, match=f"{part}: expected the keys of this part"):
        ModelShape.from_config(config)


def test_nested_keys_are_named_with_their_place():
    with pytest.raises(ValueError, match=r"text_config\.hidden_size: expected a whole number"):
        shape_of("gemma3", text_config=GROUPED | {"hidden_size": "8"})
    with pytest.raises(ValueError, match=r"text_config\.model_type: expected 'gemma3_text' .*'gemma9'"):
        shape_of("gemma3", text_config=GROUPED | {"model_type": "gemma9"})
    with pytest.raises(ValueError, match=r"text_config\.model_type: expected 'gemma3_text' .*, got 'llama'"):
        shape_of("gemma3", text_config=GROUPED | {"model_type": "llama"})
    with pytest.raises(ValueError, match=r"vision_config\.model_type: expected 'siglip_vision_model' or"):
        shape_of("gemma3", vision_config={"model_type": "clip_vision_model"})
    assert "text_config.attention_bias" in shape_of("gemma3").from_defaults
    assert "vision_config.num_channels" in shape_of("gemma3").from_defaults


def test_an_unknown_wrapper_says_that_its_text_config_may_do():
    with pytest.raises(ValueError, match=r"got 'llava'\. The keys of its text_config alone may do\."):
        ModelShape.from_config({"model_type": "llava", "text_config": tiny("llama")})
