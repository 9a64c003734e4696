"""Whether a guess is right: a hash of seed, request and place in the reply; luck is a customer's own."""

from fractions import Fraction

from sim import Settings

WORD = 2**32


def mix(x: int) -> int:
    """Return 32 bits well stirred: x ⊕= x≫16; x·0x21F0AAAD; x ⊕= x≫15; x·0x735A2D97; x ⊕= x≫15."""
    x %= WORD
    x ^= x >> 16
    x = x * 0x21F0AAAD % WORD
    x ^= x >> 15
    x = x * 0x735A2D97 % WORD
    return x ^ (x >> 15)


def luck(seed: int, row: int, position: int) -> Fraction:
    """Return the number in [0, 1) of the reply's token `position` (from 0) of the trace's row `row`."""
    return Fraction(mix(mix(mix(seed) ^ row) ^ position), WORD)


def leading_accepted(settings: Settings, row: int, written: int, guesses: int) -> int:
    """Return how many of `guesses` for the tokens after `written` ones are right before the first wrong."""
    for kept in range(guesses):
        if luck(settings.seed, row, written + kept) >= settings.acceptance_rate:
            return kept
    return guesses
