"""Larkspur mini writing with its student guessing ahead, really run by NumPy on the server that hosts the page.

The questions stand ready, so that nothing a reader types has to come here. Training saw none of them; the last ones
are there because mini makes little sense of them, and the student guesses badly.
"""

import statistics
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import streamlit as st

from larkspur import Round, Speculation, Step, generate, load, speculate
from pages.ui import link
from pages.ui.controls import one_of

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
REPEATS = 5  # runs, of which each pass's middle time counts


@dataclass(frozen=True)
class Times:
    """Seconds, from the medians of several runs: the whole reply both ways, and single passes of both models."""

    plain_s: float
    guessing_s: float
    student_pass_s: float  # for one guess
    single_pass_s: float  # of mini over one token
    checking_pass_s: float  # of mini over all guesses of a round
    rounds_s: tuple[tuple[float, float], ...]  # of each round: guessing, checking


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
    guessing = [speculate(mini, student, mini.encode(question), n_guesses) for _ in range(REPEATS)]
    plain_ids, plain_s = plain(question)
    return Draft(question, n_guesses, guessing[0], plain_ids, times_of(plain_s, guessing))


@lru_cache(maxsize=len(QUESTIONS))
def plain(question: str) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """Return mini's reply alone, and each pass's median seconds; timed once, whatever is guessed beside it."""
    ids = load("mini").encode(question)
    runs = [timed_steps(generate(load("mini"), ids)) for _ in range(REPEATS)]
    token_ids, _ = runs[0]
    return token_ids, tuple(np.median([seconds for _, seconds in runs], axis=0).tolist())


def timed_steps(steps: Iterator[Step]) -> tuple[tuple[int, ...], list[float]]:
    """Return the tokens of a reply, and the seconds that each took to write."""
    token_ids, seconds, start_s = list[int](), list[float](), time.perf_counter()
    for step in steps:
        token_ids.append(step.token_id)
        seconds.append(time.perf_counter() - start_s)
        start_s = time.perf_counter()
    return tuple(token_ids), seconds


def times_of(plain_s: tuple[float, ...], guessing: list[Speculation]) -> Times:
    """Return the times of several equal runs: of each pass the median is taken, and a reply's passes added up."""
    parts_s = [[(done.draft_s, done.pass_s) for done in run.rounds] for run in guessing]
    rounds_s = np.median(parts_s, axis=0)  # [n_rounds, guessing and checking]
    later = [done for run in guessing for done in run.rounds[1:]]  # the first reads the question too
    return Times(
        sum(plain_s),
        float(rounds_s.sum()),
        statistics.median(done.draft_s / len(done.drafted) for done in later),
        float(np.median(plain_s[1:])),
        statistics.median(done.pass_s for done in full_rounds(later)),
        tuple((float(drafting), float(checking)) for drafting, checking in rounds_s),
    )


def full_rounds(rounds: list[Round]) -> list[Round]:
    """Return the rounds with the most guesses: a reply's last one can be cut short."""
    most = max(len(done.drafted) for done in rounds)
    return [done for done in rounds if len(done.drafted) == most]


def texts(token_ids: Iterable[int]) -> list[str]:
    """Return tokens as texts, the end of text as its marker."""
    return [load("mini").token_text(token_id) for token_id in token_ids]
