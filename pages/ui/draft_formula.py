"""What a pass yields when the big model checks guesses: in closed form, and for replies that end.

arXiv 2211.17192 (Leviathan et al.), equation 1: guesses are kept up to the first wrong one, each with the same
chance whatever came before.
"""

from functools import lru_cache

IN_WORDS = "(1 − α^(g + 1)) ÷ (1 − α)"  # g guesses a round, each of them kept with chance α


def tokens_a_pass(acceptance: float, n_guesses: int) -> float:
    """Return the tokens that a pass yields on average, its own token counted, where no reply ever ends."""
    return sum(acceptance**kept for kept in range(n_guesses + 1))


def tokens_a_pass_until_the_end(acceptance: float, n_guesses: int, replies_tokens: tuple[int, ...]) -> float:
    """Return the tokens that a pass yields on average over replies of these lengths, each guess still alike."""
    passes = sum(passes_of(acceptance, n_guesses, length) for length in replies_tokens)
    return sum(replies_tokens) / passes


@lru_cache(maxsize=4096)
def passes_of(acceptance: float, n_guesses: int, tokens_left: int) -> float:
    """Return the passes that so many tokens take on average; a kept guess that ends the reply ends its pass too."""
    if tokens_left <= 0:
        return 0.0
    guessed = min(n_guesses, tokens_left)
    later = sum(
        chance_of(acceptance, guessed, kept) * passes_of(acceptance, n_guesses, tokens_left - kept - 1)
        for kept in range(guessed + 1)
    )
    return 1 + later


def chance_of(acceptance: float, guessed: int, kept: int) -> float:
    """Return the chance that exactly so many of the guesses are kept."""
    return float(acceptance**kept * (1 if kept == guessed else 1 - acceptance))
