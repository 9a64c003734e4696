"""How well a model predicts text, and how often another one agrees with it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from larkspur.generation import generate
from larkspur.model import Model
from larkspur.sampling import probabilities
from larkspur.tokenizer import END_OF_TEXT_ID


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
    for document in documents:
        ids = [*model.encode(document), END_OF_TEXT_ID]
        logits = model.forward(ids[:-1])  # [n_tokens, n_vocab]
        loss_nats -= float(log_probabilities(logits)[np.arange(len(logits)), ids[1:]].sum())
        n_tokens += len(logits)
        if reference is not None:
            same += int((logits.argmax(axis=-1) == likeliest(reference, tuple(ids[:-1]))).sum())
    agreement = None if reference is None else same / n_tokens
    return Evaluation(math.exp(loss_nats / n_tokens), n_tokens, agreement)


@lru_cache(maxsize=1024)
def likeliest(model: Model, ids: tuple[int, ...]) -> NDArray[np.intp]:
    """Return a model's likeliest token after each of `ids`; kept, for the next model is held against the same."""
    found: NDArray[np.intp] = model.forward(ids).argmax(axis=-1)
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


def log_probabilities(logits: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the logarithm of each token's chance, [..., n_vocab]."""
    shifted = logits.astype(np.float64) - logits.max(axis=-1, keepdims=True)
    result: NDArray[np.float64] = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return result
