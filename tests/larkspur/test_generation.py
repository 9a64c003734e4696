"""Writing replies: the example of the overview, passes, caching, sampling."""

import numpy as np
import pytest

from larkspur import Model, generate
from larkspur.corpus import Document
from larkspur.sampling import choose, probabilities

EXAMPLE = "We reply within five business"


def test_the_example_is_seven_tokens_and_so_is_its_reply(mini: Model) -> None:
    ids = mini.encode(EXAMPLE)
    assert [mini.token_text(i) for i in ids] == [
        "<|endoftext|>",
        "We",
        " re",
        "ply",
        " within",
        " five",
        " business",
    ]
    reply = [step.token_id for step in generate(mini, ids)]
    assert [mini.token_text(i) for i in reply] == [
        " days",
        " to",
        " your",
        " email",
        "s",
        ".",
        "<|endoftext|>",
    ]
    assert mini.decode(ids + reply) == "We reply within five business days to your emails."


def test_one_pass_reads_the_prompt_and_each_later_pass_one_token(mini: Model) -> None:
    steps = list(generate(mini, mini.encode(EXAMPLE)))
    assert [step.tokens_in_pass for step in steps] == [7, 1, 1, 1, 1, 1, 1]
    assert all(step.pass_s > 0 for step in steps)


def test_without_a_cache_every_pass_reads_everything_again(mini: Model) -> None:
    steps = list(generate(mini, mini.encode(EXAMPLE), use_cache=False))
    assert [step.tokens_in_pass for step in steps] == [7, 8, 9, 10, 11, 12, 13]


@pytest.mark.slow
def test_replies_with_and_without_cache_are_the_same(
    mini: Model, student: Model, held_out: list[Document]
) -> None:
    for model in (mini, student):
        for document in held_out[:40]:
            ids = model.encode(document.text[:30])
            cached, uncached = (list(generate(model, ids, use_cache=use)) for use in (True, False))
            assert [step.token_id for step in cached] == [step.token_id for step in uncached]
            for one, other in zip(cached, uncached, strict=True):
                np.testing.assert_allclose(one.probs, other.probs, rtol=1e-3, atol=1e-5)


def test_a_reply_ends_at_the_limit(mini: Model) -> None:
    assert len(list(generate(mini, mini.encode(EXAMPLE), max_new_tokens=3))) == 3


def test_chances_sum_to_one_and_greedy_takes_the_largest(mini: Model) -> None:
    for step in generate(mini, mini.encode("Where is my order?")):
        assert step.probs.shape == (544,)
        np.testing.assert_allclose(step.probs.sum(), 1, rtol=1e-5)
        assert step.token_id == step.probs.argmax()


def test_greedy_takes_the_lower_id_of_a_tie() -> None:
    assert choose(np.array([0.2, 0.4, 0.4], np.float32), 0.0, None) == 1


def test_the_same_seed_draws_the_same_reply_and_another_seed_another(mini: Model) -> None:
    def reply(seed: int) -> list[int]:
        rng = np.random.default_rng(seed)
        return [step.token_id for step in generate(mini, [0], temperature=1.0, rng=rng)]

    assert reply(1) == reply(1)
    assert len({tuple(reply(seed)) for seed in range(5)}) > 1


def test_draws_follow_the_chances() -> None:
    probs = np.array([0.7, 0.0, 0.2, 0.1], np.float32)
    rng = np.random.default_rng(3)
    counts = np.bincount([choose(probs, 1.0, rng) for _ in range(20_000)], minlength=4)
    np.testing.assert_allclose(counts / 20_000, probs, atol=0.015)
    assert counts[1] == 0


def test_a_low_temperature_sharpens_and_a_high_one_flattens(mini: Model) -> None:
    logits = mini.forward(mini.encode("Where is my order?"))[-1]
    top = [probabilities(logits, temperature).max() for temperature in (0.5, 1.0, 2.0)]
    assert top[0] > top[1] > top[2]
    np.testing.assert_array_equal(probabilities(logits, 0.0), probabilities(logits, 1.0))


@pytest.mark.parametrize("temperature", [-1.0, 0.001, float("nan"), float("inf")])
def test_a_temperature_that_cannot_be_is_refused_at_once(mini: Model, temperature: float) -> None:
    with pytest.raises(ValueError, match=r"expected temperature 0 or a number from 0\.01 up, got"):
        generate(mini, [0], temperature=temperature, rng=np.random.default_rng(0))


def test_sampling_without_a_generator_is_refused(mini: Model) -> None:
    with pytest.raises(ValueError, match="expected a random generator, got none"):
        generate(mini, [0], temperature=1.0)


@pytest.mark.parametrize(("n_ids", "max_new_tokens"), [(0, 64), (193, 64), (1, 0), (1, 256)])
def test_a_prompt_and_reply_that_do_not_fit_are_refused(mini: Model, n_ids: int, max_new_tokens: int) -> None:
    with pytest.raises(ValueError, match=f"got {n_ids} and {max_new_tokens}"):
        generate(mini, [5] * n_ids, max_new_tokens=max_new_tokens)
