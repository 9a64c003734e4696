"""How well a model predicts text, and how often another one agrees with it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from larkspur.calibration import visit_inputs
from larkspur.forward import Array, layer_norm
from larkspur.generation import generate
from larkspur.model import Model
from larkspur.sampling import probabilities
from larkspur.tokenizer import END_OF_TEXT_ID, Tokenizer

Texts = tuple[tuple[int, ...], ...]  # token ids
TOGETHER = 16  # documents in one pass: about a thousand tokens, whose logits stay near the processor


@dataclass(frozen=True)
class Evaluation:
    """Perplexity a token over `n_tokens`, and how often another model has the same likeliest token."""

    perplexity: float
    n_tokens: int
    agreement: float | None  # None if no other model was given


@dataclass(frozen=True)
class Acceptance:
    """Chance that a draft model's guess is kept, over `n_tokens` of the big model's greedy replies.

    Both are taken along those replies, `sampled` too: it is the chance that a drawn guess would be kept there.
    Along replies that are themselves drawn, `Speculation.acceptance` counts the guesses kept.
    """

    greedy: float  # share of positions where both have the same likeliest token
    sampled: float  # at temperature 1: mean of sum(min(p, q)), arXiv 2211.17192 section 3
    n_tokens: int


def evaluate(model: Model, documents: Sequence[str], reference: Model | None = None) -> Evaluation:
    """Return perplexity over all tokens of the documents, each one's end of text included, and agreement.

    ValueError if there is no document or one is longer than the context.
    """
    if not documents:
        raise ValueError("expected at least one document, got none; pass some text")
    loss_nats, same, n_tokens = 0.0, 0, 0
    for texts in read_together(model.tokenizer, tuple(documents)):
        logits = logits_of(model, texts)  # [n_tokens, n_vocab]
        loss_nats += losses_nats(logits, following(texts))
        n_tokens += len(logits)
        if reference is not None:
            same += int((logits.argmax(axis=-1) == likeliest(reference, texts)).sum())
    agreement = None if reference is None else same / n_tokens
    return Evaluation(math.exp(loss_nats / n_tokens), n_tokens, agreement)


@lru_cache(maxsize=4)
def read_together(tokenizer: Tokenizer, documents: tuple[str, ...]) -> tuple[Texts, ...]:
    """Return the documents' token ids, several documents together; kept, for the next model reads the same."""
    texts = [tuple(tokenizer.encode(document)) for document in documents]
    return tuple(tuple(texts[start : start + TOGETHER]) for start in range(0, len(texts), TOGETHER))


def logits_of(model: Model, texts: Texts) -> Array:
    """Return logits [n_tokens, n_vocab] after each token of texts that are read apart, one behind the other."""
    check_lengths(model, texts)
    last = visit_inputs(model.config, model.params, texts, lambda *_: None)
    logits: Array = layer_norm(model.config, model.params, "ln_f", last) @ model.params["wte.weight"].T
    return logits


def check_lengths(model: Model, texts: Texts) -> None:
    """Raise ValueError with a sentence unless the context holds each of the texts."""
    longest, n_ctx = max(map(len, texts)), model.config.n_ctx
    if longest > n_ctx:
        raise ValueError(
            f"expected documents of {n_ctx} tokens at most, got one of {longest}; cut it, or leave it out"
        )


def following(texts: Texts) -> NDArray[np.int64]:
    """Return the token that comes after each token of the texts, [n_tokens]; the end of text after each last."""
    return np.array([token_id for ids in texts for token_id in (*ids[1:], END_OF_TEXT_ID)])


def losses_nats(logits: Array, came: NDArray[np.int64]) -> float:
    """Return the sum of −log (the chance of the token that came) over logits [n_tokens, n_vocab]."""
    shifted = logits - logits.max(axis=-1, keepdims=True)
    chances_of_all = np.exp(shifted).sum(axis=-1)  # [n_tokens], in parts of the likeliest token's
    of_those = shifted[np.arange(len(came)), came].astype(np.float64)
    return float((np.log(chances_of_all.astype(np.float64)) - of_those).sum())


@lru_cache(maxsize=64)
def likeliest(model: Model, texts: Texts) -> NDArray[np.intp]:
    """Return a model's likeliest token after each of the texts' tokens, [n_tokens].

    They are kept: the next model is held against the same.
    """
    found: NDArray[np.intp] = logits_of(model, texts).argmax(axis=-1)
    found.flags.writeable = False
    return found


def acceptance(model: Model, draft: Model, prompts: Sequence[Sequence[int]]) -> Acceptance:
    """Return how often `draft` guesses right along the model's own greedy replies to these prompts."""
    if not prompts:
        raise ValueError("expected at least one prompt, got none; pass token ids")
    same, overlap, n_tokens = 0, 0.0, 0
    for prompt in prompts:
        reply = [step.token_id for step in generate(model, prompt)]
        read = [*prompt, *reply[:-1]]
        logits, guesses = (m.forward(read)[-len(reply) :] for m in (model, draft))  # [n_reply, n_vocab]
        same += int((logits.argmax(axis=-1) == guesses.argmax(axis=-1)).sum())
        overlap += float(np.minimum(probabilities(logits, 1.0), probabilities(guesses, 1.0)).sum())
        n_tokens += len(reply)
    return Acceptance(same / n_tokens, overlap / n_tokens, n_tokens)
