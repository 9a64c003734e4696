"""What *on target* means: the waits that a customer puts up with, as the reader sets them."""

import streamlit as st

from pages.ui import numbers
from pages.ui.controls import choice
from sim import MONDAY_TARGETS, Targets

FIRST_WORD_S = {"0.5 s": 0.5, "1 s": 1.0, "2 s": 2.0}
TOKEN_S = {"20 ms": 0.020, "30 ms": 0.030, "50 ms": 0.050}
FREEZE_S = {"any": None, "0.3 s": 0.3, "1 s": 1.0}
ANSWER_TOKENS = 200  # of the answer that a customer's reason speaks of
GAP = "\N{NO-BREAK SPACE}"
NAMES = ("first_word", "token", "freeze")


def word_of(value: float | None, words: dict[str, float] | dict[str, float | None]) -> str:
    """Return the word that stands for a target."""
    return next(word for word, each in words.items() if each == value)


def choose() -> Targets:
    """Draw the three targets and return them."""
    first, token, freeze = st.columns(3)
    with first:
        begin = word_of(MONDAY_TARGETS.ttft_s, FIRST_WORD_S)
        ttft = choice("First word within", tuple(FIRST_WORD_S), begin, name="first_word", wraps=True)
    with token:
        begin = word_of(MONDAY_TARGETS.tpot_s, TOKEN_S)
        tpot = choice("Then a token every", tuple(TOKEN_S), begin, name="token", wraps=True)
    with freeze:
        begin = word_of(MONDAY_TARGETS.gap_s, FREEZE_S)
        gap = choice("Longest freeze", tuple(FREEZE_S), begin, name="freeze", wraps=True)
    return Targets(ttft_s=FIRST_WORD_S[ttft], tpot_s=TOKEN_S[tpot], gap_s=FREEZE_S[gap])


def reasons(targets: Targets) -> str:
    """Say why, in a customer's words."""
    answer_s = ANSWER_TOKENS * targets.tpot_s
    told = [
        f"*First word within {targets.ttft_s:g} s:* “If nothing appears by then, I ask again or call.”",
        f"*A token every {numbers.ms(targets.tpot_s)}:* “An answer of {ANSWER_TOKENS} tokens is there "
        f"{answer_s:.0f} s after its first word; longer, and I have turned to something else.”",
    ]
    if targets.gap_s is not None:
        told.append(f"*No freeze beyond {targets.gap_s:g} s:* “When the text stops, I think it has hung.”")
    return "\n".join(f"- {line}" for line in told)


def told(targets: Targets) -> str:
    """Say the targets in one line."""
    freeze = "" if targets.gap_s is None else f", no freeze beyond {targets.gap_s:g}{GAP}s"
    return f"first word within {targets.ttft_s:g}{GAP}s, a token every {numbers.ms(targets.tpot_s)}{freeze}"
