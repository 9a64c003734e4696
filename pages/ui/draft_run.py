"""Larkspur mini writing with its student guessing ahead, really run by NumPy on the server that hosts the page.

The questions stand ready, so that nothing a reader types has to come here. Training saw none of them; the last ones
are there because mini makes little sense of them, and the student guesses badly.
"""

import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

import streamlit as st

from larkspur import Round, Speculation, generate, load, speculate
from pages.ui import link
from pages.ui.controls import one_of

T = TypeVar("T")
QUESTIONS = (
    "My order is late.",
    "what's the best time to plant tomatoes?",
    "I'd like to buy in bulk.",
    "Can ship abroad?",
    "my printer is out of toner.",
    "can i pay with card",
    "the checkout does not work.",
    "how long take to answer",
    "When I come to the store?",
    "do offer credit",
    "I want return something",
    "do you ink my printer",
)
MOST_GUESSES, FIRST_GUESSES = 8, 4
REPEATS = 7  # runs of which the middle time is shown


@dataclass(frozen=True)
class Times:
    """Seconds, each the median of several: the whole reply both ways, and single passes of both models."""

    plain_s: float
    guessing_s: float
    student_pass_s: float  # for one guess
    single_pass_s: float  # of mini over one token
    checking_pass_s: float  # of mini over all guesses of a round


@dataclass(frozen=True, eq=False)
class Draft:
    """A question answered both ways: with the student guessing so many tokens a round, and plainly."""

    question: str
    n_guesses: int
    guessing: Speculation
    plain_ids: tuple[int, ...]
    times: Times

    @property
    def n_passes(self) -> int:
        """Passes of mini, with guesses to check."""
        return len(self.guessing.rounds)

    @property
    def n_tokens(self) -> int:
        """Tokens of the reply, the end of text counted: as many as mini alone needs passes."""
        return len(self.plain_ids)

    @property
    def is_equal(self) -> bool:
        """Whether both replies are the same, token for token."""
        return self.guessing.token_ids == self.plain_ids


def pick_question() -> str:
    """Draw the list of ready questions and return the one chosen."""
    link.restore("question", QUESTIONS[0], one_of(QUESTIONS))
    chosen = st.selectbox(
        "A customer's question", QUESTIONS, key=link.key("question"), persist_state="session"
    )
    link.publish("question", chosen)
    return str(chosen)


@lru_cache(maxsize=len(QUESTIONS) * MOST_GUESSES)
def draft(question: str, n_guesses: int) -> Draft:
    """Return a question answered both ways; run and timed once, and kept for everyone who asks the same."""
    mini, student = load("mini"), load("student")
    ids = mini.encode(question)
    plain, guessing = [], []
    for _ in range(REPEATS):  # in turn, so that a busy moment is nobody's alone
        plain.append(timed(lambda: list(generate(mini, ids))))
        guessing.append(timed(lambda: speculate(mini, student, ids, n_guesses)))
    later = [done for result, _ in guessing for done in result.rounds[1:]]  # the first reads the question too
    times = Times(
        statistics.median(seconds for _, seconds in plain),
        statistics.median(seconds for _, seconds in guessing),
        statistics.median(done.draft_s / len(done.drafted) for done in later),
        statistics.median(step.pass_s for steps, _ in plain for step in steps[1:]),
        statistics.median(done.pass_s for done in full_rounds(later, n_guesses)),
    )
    plain_ids = tuple(step.token_id for step in plain[0][0])
    return Draft(question, n_guesses, guessing[0][0], plain_ids, times)


def timed(action: Callable[[], T]) -> tuple[T, float]:
    """Return the result of an action, and the seconds it took."""
    start_s = time.perf_counter()
    result = action()
    return result, time.perf_counter() - start_s


def full_rounds(rounds: list[Round], n_guesses: int) -> list[Round]:
    """Return the rounds with all guesses made; all of them where each was cut short by the end of the reply."""
    return [done for done in rounds if len(done.drafted) == n_guesses] or rounds


def texts(token_ids: Iterable[int]) -> list[str]:
    """Return tokens as texts, the end of text as its marker."""
    return [load("mini").token_text(token_id) for token_id in token_ids]
