"""The mission: more tokens a second and fewer customers on target, with the batch cap alone."""

from dataclasses import replace
from functools import cache

from pages.ui.monday_try import CUSTOMERS, DEFAULTS, attempt, kept
from pages.ui.monday_two import gains_and_losses, listed
from sim import MONDAY_TARGETS, Settings

BEGIN = 8  # the cap that the mission compares with


def capped(cap: int) -> Settings:
    """Return vLLM's defaults with another cap on the batch."""
    return replace(DEFAULTS, max_num_seqs=cap)


@cache
def tokens_per_s(cap: int) -> float:
    """Return the server's tokens a second on Monday with a cap."""
    return float(attempt(capped(cap)).summary()["tokens_per_s"])


def is_broken(cap: int) -> bool:
    """Whether a cap gives more tokens a second than the one to begin with, and keeps fewer customers."""
    return tokens_per_s(cap) > tokens_per_s(BEGIN) and kept(capped(cap)) < kept(capped(BEGIN))


def seats(cap: int) -> str:
    """Return a cap in words: 1 seat, 8 seats."""
    return f"{cap} seat{'s' * (cap != 1)}"


def figures(cap: int) -> dict[str, str]:
    """Return the figures of the mission's texts."""
    gain, lose = gains_and_losses(capped(BEGIN), capped(cap), MONDAY_TARGETS)
    return {
        "cap_begin": str(BEGIN),
        "cap_begin_kept": str(kept(capped(BEGIN))),
        "cap_begin_per_s": f"{tokens_per_s(BEGIN):,.0f}",
        "cap_seats": seats(cap),
        "cap_kept": f"{kept(capped(cap))} of {CUSTOMERS}",
        "cap_per_s": f"{tokens_per_s(cap):,.0f}",
        "cap_lost": listed(lose),
        "cap_gained": listed(gain),
    }
