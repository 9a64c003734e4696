"""The section that writes an answer down, and the link in its memo."""

import re
from urllib.parse import parse_qsl, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui import chapters
from pages.ui.plan_held import MONDAYS
from tests.pages.conftest import words

pytestmark = pytest.mark.slow  # left to dev.py test


def small_page() -> None:
    """Draw the section for a small search: what an AppTest runs."""
    import streamlit as st

    from pages.ui import link
    from pages.ui.chapters import chapter
    from pages.ui.frame import Frame
    from pages.ui.plan_choice import Plan
    from pages.ui.plan_export import export_section
    from pages.ui.plan_held import trusted, work_out
    from pages.ui.served import server
    from sim import MONDAY_TARGETS, Settings, monday, search
    from sim.other_mondays import settings_of

    link.enter(chapter(7))
    for name in ("guess", "first", "shown", "check", "more", "done", "route"):
        link.publish(name, "b")
    link.publish("odd", "a>b `c` [d](e) & f=g |")
    space = {"scheduler": ("chunked", "prefill-first"), "weight_bits": (16, 4)}
    frame = search(monday(), server(), space, MONDAY_TARGETS)
    best, mine = settings_of(frame.head(1))[0], Settings(max_num_seqs=16)
    today = settings_of(frame[frame["exists_today"]].head(1))[0]
    trust = None
    if st.toggle("tried"):
        answer = work_out(frame, MONDAY_TARGETS, space, server(), lambda share: None)
        trust = trusted(answer, mine, best, MONDAY_TARGETS, server(), today)
    around = Frame(chapter(7), "Engineer", frozenset({1, 2}))
    plan = Plan(mine, best, today, MONDAY_TARGETS, server(), 2.0)
    export_section(plan, frame.copy, len(frame), trust, around)


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> AppTest:
    for page in chapters.PAGES:
        monkeypatch.setitem(vars(page), "is_ready", False)  # no page to link to from here
    at_start = AppTest.from_function(small_page)
    at_start.session_state["7_serve_larkspurs_monday.memo"] = True  # the memo is open
    at_start.run()
    assert not at_start.exception
    return at_start


def test_the_section_writes_down_what_is_chosen(page: AppTest) -> None:
    best = page.code[0].value
    assert best.startswith("vllm serve ./opt-13b-4bit \\\n")
    assert page.code[1].value.startswith("vllm bench serve \\\n")
    page.button_group[0].set_value("mine").run()
    assert not page.exception
    assert page.code[0].value.startswith("vllm serve facebook/opt-13b \\\n")
    assert "--max-num-seqs 16" in page.code[0].value


def test_the_steadiest_is_written_down_once_it_is_known(page: AppTest) -> None:
    page.button_group[0].set_value("the steadiest").run()
    assert "known once other Mondays have been tried" in words(page)
    page.toggle[0].set_value(True).run()
    assert not page.exception
    assert "known once other Mondays" not in words(page)
    assert f"On {MONDAYS} other Mondays" in words(page)


def test_the_memos_link_opens_this_page_with_these_settings_and_nothing_breaks_out_of_it(
    page: AppTest,
) -> None:
    found = re.search(r"<([^>\s]*serve_larkspurs_monday[^>\s]*|http[^>\s]*odd=[^>\s]*)>", words(page))
    assert found is not None
    told = dict(parse_qsl(urlsplit(found[1]).query))
    assert told == {"odd": "a>b `c` [d](e) & f=g |", "export": "what runs today", "reader": "Engineer"}
    assert not set("`[]()<>| ") & set(found[1])
