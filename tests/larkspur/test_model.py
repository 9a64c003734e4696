"""The two models as they are shipped: sizes, read-only arrays, and the forward pass."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from larkspur import Model, load
from larkspur.forward import forward_tokens
from larkspur.parity import LARGEST_DIFFERENCE

IDS = st.lists(st.integers(0, 543), min_size=2, max_size=40)


def test_mini_has_51072_numbers_and_its_student_16112(mini: Model, student: Model) -> None:
    assert mini.num_params == mini.config.num_params == 51_072
    assert student.num_params == student.config.num_params == 16_112


def test_params_are_float32_under_gpt2s_names_and_read_only(mini: Model) -> None:
    assert mini.params["h.1.attn.c_attn.weight"].shape == (32, 96)
    for array in (*mini.params.values(), mini.folded.head, mini.folded.tokens):
        assert array.dtype == np.float32
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
    with pytest.raises(TypeError):
        mini.params["wte.weight"] = np.zeros(1)


def test_load_reads_once_and_refuses_other_names() -> None:
    assert load("mini") is load("mini")
    with pytest.raises(ValueError, match="expected one of mini, student, got 'maxi'"):
        load("maxi")


@pytest.mark.parametrize("name", ["mini", "student"])
@given(ids=IDS)
def test_cached_equals_uncached_for_every_split(name: str, ids: list[int]) -> None:
    model = load(name)
    at_once = model.forward(ids)
    for split in range(1, len(ids)):
        cache = model.new_cache()
        parts = [model.forward(ids[:split], cache), model.forward(ids[split:], cache)]
        np.testing.assert_allclose(np.concatenate(parts), at_once, rtol=1e-4, atol=LARGEST_DIFFERENCE[name])


@pytest.mark.parametrize("name", ["mini", "student"])
@given(ids=IDS)
def test_the_fused_pass_of_one_token_equals_the_published_one(name: str, ids: list[int]) -> None:
    model, fused = load(name), load(name).new_cache()
    published = model.new_cache()
    for token_id in ids:
        expected = forward_tokens(model.config, model.params, np.array([token_id]), published)
        np.testing.assert_allclose(
            model.forward([token_id], fused), expected, rtol=1e-4, atol=LARGEST_DIFFERENCE[name]
        )
    np.testing.assert_allclose(fused.keys, published.keys, rtol=1e-4, atol=LARGEST_DIFFERENCE[name])


def test_a_whole_context_can_be_read_and_not_one_token_more(mini: Model) -> None:
    cache = mini.new_cache()
    assert mini.forward([0] * 255, cache).shape == (255, 544)
    assert np.isfinite(mini.forward([7], cache)).all()
    with pytest.raises(ValueError, match="expected 1 to 0 token ids, got 1"):
        mini.forward([7], cache)


@pytest.mark.parametrize("ids", [[], [-1], [544], [0, 544]])
def test_ids_that_are_none_or_unknown_are_refused(mini: Model, ids: list[int]) -> None:
    cache = mini.new_cache()
    with pytest.raises(ValueError, match=r"expected .* got"):
        mini.forward(ids, cache)
    assert cache.length == 0


def test_logits_of_an_earlier_pass_do_not_change_with_the_next(mini: Model) -> None:
    cache = mini.new_cache()
    first = mini.forward([0], cache)
    kept = first.copy()
    mini.forward([300], cache)
    np.testing.assert_array_equal(first, kept)
