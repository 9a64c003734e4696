"""The KV cache: its bytes, forgetting, and that it is one visitor's alone."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from larkspur import Model, generate


@pytest.mark.parametrize("n_tokens", [1, 2, 7, 256])
def test_cache_bytes_are_two_times_layers_times_width_times_four_times_tokens(
    mini: Model, student: Model, n_tokens: int
) -> None:
    for model, n_layer, n_embd in ((mini, 2, 32), (student, 1, 16)):
        cache = model.new_cache()
        assert cache.nbytes == 0
        model.forward([5] * n_tokens, cache)
        assert cache.length == n_tokens
        assert cache.nbytes == 2 * n_layer * n_embd * 4 * n_tokens
        assert cache.keys.nbytes + cache.values.nbytes == 256 * model.config.kv_bytes_per_token


def test_a_truncated_cache_goes_on_as_if_the_rest_had_never_been_read(mini: Model) -> None:
    ids = mini.encode("Where is my order?")
    cache = mini.new_cache()
    mini.forward(ids, cache)
    mini.forward([400, 401, 402], cache)
    cache.truncate(len(ids))
    again = mini.forward([300], cache)
    np.testing.assert_allclose(again[-1], mini.forward([*ids, 300])[-1], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("length", [-1, 4])
def test_a_cache_never_grows_by_truncating(mini: Model, length: int) -> None:
    cache = mini.new_cache()
    mini.forward([0, 1, 2], cache)
    with pytest.raises(ValueError, match=f"expected a length from 0 to 3, got {length}"):
        cache.truncate(length)


def test_two_visitors_at_once_never_see_each_others_tokens(mini: Model) -> None:
    prompts = ["Where is my order?", "When are you open?", "How do I return an item?", "Can I pay later?"]

    def reply(text: str) -> list[int]:
        return [step.token_id for step in generate(mini, mini.encode(text))]

    alone = {text: reply(text) for text in prompts}
    assert len({tuple(ids) for ids in alone.values()}) == len(prompts)
    with ThreadPoolExecutor(max_workers=8) as visitors:
        together = list(visitors.map(reply, prompts * 25))
    assert together == [alone[text] for text in prompts * 25]
