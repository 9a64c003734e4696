"""Guessing ahead: at temperature 0 the reply is the big model's own, token for token; what each round reports."""

import os
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from larkspur import Model, generate, prompt, quantize, speculate
from larkspur.corpus import Document
from tests.larkspur.tiny_models import tiny_model

SAMPLE = 8  # prompts tried by default
ODD_TEXTS = [
    "?",
    "\x00",
    "😡📦" * 30,
    "متى تصل طلبيتي؟",
    "half \ud83d",
    "q" * 400,
    "Where is my order? " * 60,
]


def plain(model: Model, ids: list[int], max_new_tokens: int = 64) -> tuple[int, ...]:
    return tuple(step.token_id for step in generate(model, ids, max_new_tokens))


def prompts_of(model: Model, documents: list[Document]) -> list[list[int]]:
    asked = list(dict.fromkeys(document.prompt for document in documents if document.prompt))
    step = 1 if os.environ.get("HYPOTHESIS_PROFILE") == "full" else len(asked) // SAMPLE
    return [model.encode(text) for text in asked[::step]]


@pytest.mark.parametrize("n_guesses", range(9))
def test_greedy_speculation_is_plain_greedy_for_held_out_prompts(
    mini: Model, student: Model, held_out: list[Document], n_guesses: int
) -> None:
    prompts = prompts_of(mini, held_out)
    assert len(prompts) >= SAMPLE
    for ids in prompts:
        assert speculate(mini, student, ids, n_guesses).token_ids == plain(mini, ids)


@pytest.mark.parametrize("text", ODD_TEXTS)
@pytest.mark.parametrize("n_guesses", [1, 4, 100])
def test_greedy_speculation_is_plain_greedy_for_odd_and_context_long_prompts(
    mini: Model, student: Model, text: str, n_guesses: int
) -> None:
    ids = list(prompt(mini, text).ids)
    assert speculate(mini, student, ids, n_guesses).token_ids == plain(mini, ids)


@given(
    seed=st.integers(0, 10_000),
    n_guesses=st.integers(0, 9),
    n_ids=st.integers(1, 15),
    max_new_tokens=st.integers(1, 15),
)
def test_greedy_speculation_is_plain_greedy_for_any_two_models_up_to_the_edge_of_the_context(
    seed: int, n_guesses: int, n_ids: int, max_new_tokens: int
) -> None:
    model, draft = tiny_model(seed, n_layer=2), tiny_model(seed + 1)
    ids = np.random.default_rng(seed).integers(0, 5, n_ids).tolist()
    max_new_tokens = min(max_new_tokens, 16 - n_ids)
    result = speculate(model, draft, ids, n_guesses, max_new_tokens=max_new_tokens)
    assert result.token_ids == plain(model, ids, max_new_tokens)
    check_rounds(result.rounds, n_ids, n_guesses)
    assert sum((done.written for done in result.rounds), ()) == result.token_ids


def check_rounds(rounds, n_ids: int, n_guesses: int) -> None:
    """Check what is true of the rounds of any greedy reply."""
    for number, done in enumerate(rounds):
        n_drafted = len(done.drafted)
        assert done.n_kept <= n_drafted <= n_guesses
        assert 0 not in done.drafted[:-1], "nothing is guessed after an end of text"
        assert done.tokens_in_pass == n_drafted + (n_ids if number == 0 else 1), "all else was in the cache"
        assert done.model_probs.shape == (n_drafted + 1, 5)
        assert done.draft_probs.shape == (n_drafted, 5)
        best = done.model_probs.argmax(axis=-1).tolist()
        assert best[: done.n_kept] == list(done.drafted[: done.n_kept])
        assert done.draft_probs.argmax(axis=-1).tolist() == list(done.drafted)
        if done.token_id is None:
            assert done.drafted[-1] == 0
            assert not done.rejected
            assert number == len(rounds) - 1
        else:
            assert done.token_id == best[done.n_kept]
            assert done.rejected == (done.n_kept < n_drafted)


def test_a_model_that_guesses_for_itself_is_always_right_and_writes_one_token_more(mini: Model) -> None:
    ids = mini.encode("We reply within five business")
    result = speculate(mini, mini, ids, 3)
    assert result.acceptance == 1.0
    assert [len(done.written) for done in result.rounds[:-1]] == [4] * (len(result.rounds) - 1)
    assert result.tokens_per_pass == len(result.token_ids) / len(result.rounds)


def test_a_kept_end_of_text_ends_the_reply_without_a_token_more(mini: Model) -> None:
    ids = mini.encode("We reply within five business")
    n_reply = len(plain(mini, ids))
    last = speculate(mini, mini, ids, n_reply + 3).rounds[-1]
    assert last.drafted == plain(mini, ids)
    assert last.n_kept == n_reply
    assert last.token_id is None


def test_without_guesses_every_pass_writes_one_token(mini: Model, student: Model) -> None:
    result = speculate(mini, student, mini.encode("Where is my order?"), 0)
    assert result.acceptance is None
    assert result.tokens_per_pass == 1
    assert all(done.draft_probs.shape == (0, 544) for done in result.rounds)


def test_guessing_saves_passes_of_the_big_model(
    mini: Model, student: Model, held_out: list[Document]
) -> None:
    results = [speculate(mini, student, ids) for ids in prompts_of(mini, held_out)[:SAMPLE]]
    assert sum(len(result.token_ids) for result in results) > 2 * sum(
        len(result.rounds) for result in results
    )


def test_the_model_in_fewer_bits_can_draft_for_itself(mini: Model) -> None:
    ids = mini.encode("How do I return an item?")
    for bits in (8, 3):
        assert speculate(mini, quantize(mini, bits, "round"), ids).token_ids == plain(mini, ids)


def test_a_context_is_filled_to_its_last_token_and_not_beyond(mini: Model, student: Model) -> None:
    ids = [0, *[300] * 254]
    assert speculate(mini, student, ids, max_new_tokens=1).token_ids == plain(mini, ids, 1)
    with pytest.raises(ValueError, match=r"expected a prompt and a reply .* 256 together, got 255 and 2"):
        speculate(mini, student, ids, max_new_tokens=2)
    short = tiny_model(2, n_ctx=8)
    with pytest.raises(ValueError, match="8 together, got 6 and 3"):
        speculate(tiny_model(1), short, [1] * 6, max_new_tokens=3)


def test_models_and_settings_that_cannot_work_are_refused_with_a_sentence(
    mini: Model, student: Model
) -> None:
    with pytest.raises(ValueError, match="expected two models with one vocabulary, got 544 and 5 tokens"):
        speculate(mini, tiny_model(1), [0])
    with pytest.raises(ValueError, match="expected 0 guesses a round or more, got -1"):
        speculate(mini, student, [0], -1)
    with pytest.raises(ValueError, match="got 0 and 64"):
        speculate(mini, student, [])
    with pytest.raises(ValueError, match="expected a random generator"):
        speculate(mini, student, [0], temperature=1.0)
    with pytest.raises(ValueError, match="got -1"):
        speculate(mini, student, [0], temperature=-1, rng=np.random.default_rng(0))


def test_times_are_measured_and_rounds_can_be_told_apart(mini: Model, student: Model) -> None:
    first = speculate(mini, student, mini.encode("Can I pay later?")).rounds[0]
    assert first.draft_s > 0
    assert first.pass_s > 0
    assert replace(first, n_kept=0, token_id=7).written == (7,)
