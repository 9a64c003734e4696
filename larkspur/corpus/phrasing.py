"""How a pattern becomes a sentence, and how a hurried customer types it."""

import re
from collections.abc import Sequence
from typing import TypeVar

import numpy as np

Option = TypeVar("Option")

BRACES = re.compile(r"\{([^{}]*)\}")
WORDING_RATIO = 0.7


def skewed(rng: np.random.Generator, options: Sequence[Option], ratio: float) -> Option:
    """Return one option; each is `ratio` times as likely as the one before it."""
    odds = ratio ** np.arange(len(options))
    return options[int(np.searchsorted(np.cumsum(odds) / odds.sum(), rng.random(), side="right"))]


def chance(rng: np.random.Generator, probability: float) -> bool:
    """Return True with this probability."""
    return rng.random() < probability


def wording(rng: np.random.Generator, pattern: str) -> str:
    """Return the pattern with one alternative chosen in each pair of braces: `{likely|less likely}`."""
    return BRACES.sub(lambda braces: skewed(rng, braces[1].split("|"), WORDING_RATIO), pattern)


def hurried(rng: np.random.Generator, question: str) -> str:
    """Return the question as somebody types it in a hurry: a word, a capital, a mark or a letter less."""
    words = question.split(" ")
    while len(words) > 3 and chance(rng, 0.35):
        del words[below(rng, len(words))]
    typed = " ".join(words)
    lower = chance(rng, 0.7)
    if lower:
        typed = typed.lower()
    if chance(rng, 0.8 if lower else 0.5):
        typed = typed.rstrip("?!.")
    return without_a_letter(rng, typed) if chance(rng, 0.1) else typed


def without_a_letter(rng: np.random.Generator, text: str) -> str:
    """Return the text with one character lost."""
    place = below(rng, len(text))
    return text[:place] + text[place + 1 :]


def below(rng: np.random.Generator, limit: int) -> int:
    """Return an integer from 0 up to but not including `limit`."""
    return int(rng.random() * limit)
