"""Asking how settings hold: one at a time, with progress, stopped at will, and kept for the next."""

import time

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui import chapters, plan_ask, plan_held
from pages.ui.plan_ask import STOPPED, mover
from pages.ui.plan_held import (
    MOST_ANSWERS,
    Trust,
    keep,
    kept_answer,
    key_of,
)
from pages.ui.served import server
from sim import Targets
from tests.pages.conftest import words

pytestmark = pytest.mark.slow  # left to dev.py test

SPACE = {"weight_bits": (16, 4)}


def test_answers_are_kept_for_a_while_and_not_forever(trust: Trust) -> None:
    answer = trust.answer
    keys = [(*key_of(Targets(1 + n, 0.03), SPACE, server()), 1) for n in range(MOST_ANSWERS + 2)]
    for key in keys:
        keep(key, answer)
    assert kept_answer(keys[0]) is None
    assert kept_answer(keys[-1]) is answer
    assert len(set(keys)) == len(keys)


def test_the_bar_moves_in_steps() -> None:
    class Bar:
        def __init__(self) -> None:
            self.shares: list[float] = []

        def progress(self, share: float, words: str) -> None:
            self.shares.append(share)

    bar = Bar()
    move = mover(bar, "Trying")
    for step in range(1001):
        move(step / 1000)
    assert len(bar.shares) <= 51
    assert bar.shares[-1] > 0.97


def small_page() -> None:
    """Draw the section for a small search: what an AppTest runs."""
    import streamlit as st

    from pages.ui import link
    from pages.ui.chapters import chapter
    from pages.ui.frame import Frame
    from pages.ui.plan_trust import trust_section
    from pages.ui.served import server
    from sim import MONDAY_TARGETS, Settings, monday, search
    from sim.other_mondays import settings_of

    link.enter(chapter(7))
    space = {
        "scheduler": ("chunked", "prefill-first"),
        "max_num_batched_tokens": (128, 1024),
        "weight_bits": (16, 4),
    }
    frame = search(monday(), server(), space, MONDAY_TARGETS)
    seats = st.slider("seats", 1, 32, 16)
    best = settings_of(frame.head(1))[0]
    around = Frame(chapter(7), "Analyst", frozenset())
    mine = Settings(max_num_seqs=seats)
    trust = trust_section(mine, best, frame, MONDAY_TARGETS, space, server(), around)
    st.caption("nothing yet" if trust is None else ", ".join(row.name for row in trust.rows))


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> AppTest:
    for page in chapters.PAGES:
        monkeypatch.setitem(vars(page), "is_ready", False)  # no page to link to from here
    with plan_held._LOCK:
        plan_held._ANSWERS.clear()
    return AppTest.from_function(small_page).run()


def test_nothing_is_worked_out_before_the_button(page: AppTest) -> None:
    assert not page.exception
    assert "nothing yet" in words(page)
    assert [button.label for button in page.button] == ["Try 200 other Mondays and other assumptions"]


def test_the_button_works_it_out_and_later_runs_keep_it(page: AppTest) -> None:
    page.button[0].click().run()
    assert not page.exception
    assert "Each dot is one Monday" in words(page)
    assert "steadiest" in words(page)
    assert not [button for button in page.button if button.label.startswith("Try")]
    before = words(page)
    page.slider[0].set_value(8).run()
    assert not page.exception
    assert "Each dot is one Monday" in words(page)
    assert words(page) != before


def test_after_stop_it_is_said_and_the_button_stands_again(page: AppTest) -> None:
    page.session_state["7_serve_larkspurs_monday.trust"] = True
    page.session_state["7_serve_larkspurs_monday.trust.wanted"] = STOPPED
    page.run()
    assert "Stopped: nothing of it is kept" in words(page)
    page.button[0].click().run()
    assert "Each dot is one Monday" in words(page)
    page.session_state["7_serve_larkspurs_monday.trust.wanted"] = ("another search",)
    with plan_held._LOCK:
        plan_held._ANSWERS.clear()
    page.run()
    assert "has changed since then" in words(page)
    assert page.session_state["link.next"].get("trust") is None


def test_only_one_has_other_mondays_tried_at_a_time() -> None:
    told: list[str] = []

    def leave() -> None:
        told.append("yours is next")
        raise RuntimeError("the page was left")

    with plan_ask._TURN, pytest.raises(RuntimeError, match="the page was left"), plan_ask.turn(leave):
        pass
    assert told == ["yours is next"]
    assert plan_ask._TURN.acquire(timeout=0)
    plan_ask._TURN.release()


def test_what_somebody_else_has_asked_is_there_at_once_but_only_when_asked(page: AppTest) -> None:
    page.button[0].click().run()
    other = AppTest.from_function(small_page).run()
    assert "nothing yet" in words(other)
    start = time.process_time()
    other.button[0].click().run()
    assert "Each dot is one Monday" in words(other)
    assert time.process_time() - start < 1.0
