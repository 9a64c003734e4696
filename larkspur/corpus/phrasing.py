"""Choices with odds, and how a hurried customer types a question."""

import re
from collections.abc import Sequence
from typing import TypeVar

import numpy as np

Option = TypeVar("Option")

SMALL_WORD = re.compile("a|an|am|are|at|can|did|do|does|for|from|have|in|is|it|of|the|there|to|was|will|you")
CONTRACTIONS = (
    (re.compile(r"\b(What|Where|It|That|There) is\b"), r"\1's"),
    (re.compile(r"\bI am\b"), "I'm"),
    (re.compile(r"\bI would\b"), "I'd"),
    (re.compile(r"\b(do|does|did|is|was|has|have) not\b"), r"\1n't"),
    (re.compile(r"\b(can not|cannot)\b"), "can't"),
)


def below(rng: np.random.Generator, limit: int) -> int:
    """Return an integer from 0 up to but not including `limit`."""
    return int(rng.random() * limit)


def pick(rng: np.random.Generator, options: Sequence[Option]) -> Option:
    """Return one option, all equally likely."""
    return options[below(rng, len(options))]


def skewed(rng: np.random.Generator, options: Sequence[Option], ratio: float) -> Option:
    """Return one option; each is `ratio` times as likely as the one before it."""
    odds = ratio ** np.arange(len(options))
    return options[int(np.searchsorted(np.cumsum(odds) / odds.sum(), rng.random(), side="right"))]


def chance(rng: np.random.Generator, probability: float) -> bool:
    """Return True with this probability."""
    return rng.random() < probability


def hurried(rng: np.random.Generator, question: str) -> str:
    """Return the question as somebody types it in a hurry: shortened, without capitals, without a mark."""
    typed = contracted(question) if chance(rng, 0.5) else question
    if chance(rng, 0.35):
        typed = without_small_words(rng, typed)
    lower = chance(rng, 0.7)
    if lower:
        typed = typed.lower()
    if chance(rng, 0.8 if lower else 0.5):
        typed = typed.rstrip("?!.")
    return typed


def contracted(question: str) -> str:
    """Return the question with the usual contractions: what's, I'm, I'd, don't, can't."""
    for long, short in CONTRACTIONS:
        question = long.sub(short, question)
    return question


def without_small_words(rng: np.random.Generator, question: str) -> str:
    """Return the question without two in five of its small words, on average."""
    words = question.split(" ")
    return " ".join(word for word in words if not SMALL_WORD.fullmatch(word) or chance(rng, 0.6)) or question
