"""Perplexity, agreement and acceptance, against closed forms."""

import math
from itertools import pairwise

import numpy as np
import pytest

from larkspur import Model, acceptance, evaluate, generate
from larkspur.corpus import Document
from larkspur.evaluation import TOGETHER
from larkspur.sampling import probabilities


def test_perplexity_is_the_inverse_of_the_mean_chance_of_the_text(mini: Model) -> None:
    text = "Most orders arrive within three business days."
    ids = [*mini.encode(text), 0]
    cache, chances = mini.new_cache(), []
    for token_id, following in pairwise(ids):
        chances.append(probabilities(mini.forward([token_id], cache)[0], 1.0)[following])
    expected = math.prod(1 / float(chance) for chance in chances) ** (1 / len(chances))
    measured = evaluate(mini, [text])
    assert measured.n_tokens == len(ids) - 1
    assert measured.perplexity == pytest.approx(expected, rel=1e-4)
    assert measured.agreement is None


def test_documents_read_together_are_measured_as_each_alone(mini: Model) -> None:
    documents = [f"Order {number} arrives on Monday." for number in range(TOGETHER + 2)]
    alone = [evaluate(mini, [document]) for document in documents]
    together = evaluate(mini, documents)
    losses_nats = [one.n_tokens * math.log(one.perplexity) for one in alone]
    assert together.n_tokens == sum(one.n_tokens for one in alone)
    assert math.log(together.perplexity) == pytest.approx(sum(losses_nats) / together.n_tokens, rel=1e-5)


@pytest.mark.slow
def test_a_model_agrees_with_itself_and_less_with_another(
    mini: Model, student: Model, held_out: list[Document]
) -> None:
    texts = [document.text for document in held_out[:50]]
    assert evaluate(mini, texts, mini).agreement == 1
    agreement = evaluate(student, texts, mini).agreement
    assert agreement is not None
    assert 0.5 < agreement < 1


def test_a_models_own_guesses_are_always_accepted(mini: Model) -> None:
    prompts = [mini.encode("Where is my order?"), mini.encode("We deliver")]
    accepted = acceptance(mini, mini, prompts)
    assert accepted.greedy == 1
    assert accepted.sampled == pytest.approx(1, abs=1e-5)
    assert accepted.n_tokens == sum(len(list(generate(mini, ids))) for ids in prompts)


def test_sampled_acceptance_is_one_minus_the_distance_of_the_distributions(
    mini: Model, student: Model
) -> None:
    ids = mini.encode("When will my order arrive?")
    reply = [step.token_id for step in generate(mini, ids)]
    distances, same = [], []
    for n_read in range(len(ids), len(ids) + len(reply)):
        p, q = (probabilities(m.forward((ids + reply)[:n_read])[-1], 1.0) for m in (mini, student))
        distances.append(np.abs(p - q).sum() / 2)
        same.append(p.argmax() == q.argmax())
    accepted = acceptance(mini, student, [ids])
    assert accepted.sampled == pytest.approx(1 - np.mean(distances), abs=1e-4)
    assert accepted.greedy == pytest.approx(np.mean(same))


def test_nothing_to_measure_is_refused_with_a_sentence(mini: Model) -> None:
    with pytest.raises(ValueError, match="expected at least one document, got none"):
        evaluate(mini, [])
    with pytest.raises(ValueError, match="expected documents of 256 tokens at most, got one of 4"):
        evaluate(mini, ["Where is my order?", "a b c d " * 100])
    with pytest.raises(ValueError, match="expected at least one prompt, got none"):
        acceptance(mini, mini, [])
