"""Layers with a window stop growing at it, and only those that the config says have one."""

import pytest

from tests.sim.tiny_configs import TINY, shape_of

WINDOWS = {"mistral": 3, "phi3": 3, "gemma2": 2, "gemma3_text": 2, "gpt_oss": 2, "gemma3": 3}


@pytest.mark.parametrize("model_type", TINY)
def test_windowed_layers_stop_growing_at_the_window(model_type):
    shape, windowed = shape_of(model_type), WINDOWS.get(model_type, 0)
    assert (shape.window_layers, shape.window_tokens) == (windowed, 5 if windowed else None)
    layer_bytes = shape.kv_bytes_per_token() // 3
    assert shape.kv_bytes_per_token_past_window() == (3 - windowed) * layer_bytes
    assert [shape.kv_bytes(tokens) for tokens in (0, 1, 5)] == [0, 3 * layer_bytes, 15 * layer_bytes]
    assert shape.kv_bytes(7) == 15 * layer_bytes + 2 * shape.kv_bytes_per_token_past_window()


def test_no_window_means_no_cap():
    for none in ({"sliding_window": None}, {"sliding_window": 5, "layer_types": ["full_attention"] * 3}):
        shape = shape_of("mistral", **none)
        assert (shape.window_tokens, shape.window_layers) == (None, 0)
        assert shape.kv_bytes(1000) == 1000 * shape.kv_bytes_per_token()


@pytest.mark.parametrize("model_type", ["qwen2", "qwen3"])
def test_qwen_ignores_a_window_that_is_not_used_and_then_only_late_layers_have_it(model_type):
    window = {"sliding_window": 5, "max_window_layers": 1}
    assert shape_of(model_type, **window).window_tokens is None
    assert shape_of(model_type, use_sliding_window=False, **window).window_tokens is None
    assert shape_of(model_type, use_sliding_window=True, **window).window_layers == 2
    late = window | {"max_window_layers": 3}
    assert shape_of(model_type, use_sliding_window=True, **late).window_layers == 0


def test_qwen3_with_experts_has_a_window_in_every_layer_or_in_none():
    assert shape_of("qwen3_moe", sliding_window=5).window_layers == 0
    assert shape_of("qwen3_moe", sliding_window=5, use_sliding_window=True).window_layers == 3


def test_layer_types_win_over_the_family_s_pattern():
    kinds = ["full_attention", "sliding_attention", "full_attention"]
    for model_type in ("gemma2", "gemma3_text", "gpt_oss", "mistral"):
        assert shape_of(model_type, layer_types=kinds).window_layers == 1
    with pytest.raises(ValueError, match="layer_types: expected one for each of 3 layers, got 2"):
        shape_of("gemma2", layer_types=kinds[:2])
    with pytest.raises(
        ValueError, match=r"layer_types: expected one of 'full_attention'.*'chunked_attention'"
    ):
        shape_of("gemma2", layer_types=["chunked_attention"] * 3)
    with pytest.raises(ValueError, match="layer_types: expected a list"):
        shape_of("gemma2", layer_types="sliding_attention")
