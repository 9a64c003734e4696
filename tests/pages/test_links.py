"""The walk: every link of every page leads to a page that is written, and nobody stands before a dead end."""

from urllib.parse import parse_qs

import pytest

from pages.ui import chapters
from pages.ui.chapters import CHAPTERS, GLOSSARY, OVERVIEW, PAGES, SOURCES, TRUST, Page, beside, chapter
from pages.ui.frame import READERS
from tests.pages.conftest import Open, key, words

READY = [page for page in PAGES if page.is_ready]
slugs = pytest.mark.parametrize("page", READY, ids=lambda page: page.slug)


@slugs
@pytest.mark.parametrize("reader", READERS)
def test_every_link_of_a_page_resolves_and_takes_reading_and_marks_along(
    open_page: Open, page: Page, reader: str
) -> None:
    at = open_page(page.path, reader=reader, done="2")
    links = at.get("page_link")
    addresses = {one.address for one in READY}
    assert links
    for link in links:
        assert link.page in addresses
        asked = parse_qs(link.query_string)
        assert (asked["reader"], asked["done"]) == ([reader], ["2"])


@slugs
def test_the_menu_names_every_page_and_the_foot_leads_on(open_page: Open, page: Page) -> None:
    at = open_page(page.path)
    for one in PAGES:
        name = chapters.called(one)
        is_linked = any(link.label == name for link in at.sidebar.get("page_link"))
        assert is_linked == one.is_ready
        assert (f"{name} · *coming*" in words(at)) == (not one.is_ready)
    before, after = beside(page)
    last = [link.page for link in at.main.get("page_link")][-2 if before else -1 :]
    assert last == [one.address for one in (before, after) if one]


def test_a_walk_along_next_meets_every_page_once_and_comes_back() -> None:
    walked, page = [], OVERVIEW
    for _ in READY:
        walked.append(page)
        page = beside(page)[1] or OVERVIEW
    assert walked == READY
    assert page is OVERVIEW
    assert [beside(one)[0] for one in READY[1:]] == READY[:-1]
    assert beside(OVERVIEW)[0] is None


def test_pages_that_are_not_written_are_stepped_over(monkeypatch: pytest.MonkeyPatch) -> None:
    written = {OVERVIEW, chapter(1), chapter(7), TRUST, GLOSSARY, SOURCES}
    monkeypatch.setattr(Page, "is_ready", property(lambda page: page in written))
    assert beside(chapter(1)) == (OVERVIEW, chapter(7))
    assert beside(chapter(7)) == (chapter(1), TRUST)
    assert chapters.chapter_to_do(frozenset({1})) == chapter(7)
    assert chapters.chapter_to_do(frozenset({1, 7})) is None


@slugs
def test_the_sum_of_every_simulated_badge_ends_with_a_link_to_how_far_to_trust_it(
    open_page: Open, page: Page
) -> None:
    at = open_page(page.path, **({} if page in (OVERVIEW, GLOSSARY, SOURCES) else {"shown": "yes"}))
    simulated = [block for block in at.get("popover") if block.proto.popover.label.startswith("simulated")]
    if page in (OVERVIEW, TRUST) or page in CHAPTERS:
        assert simulated
    for block in simulated:
        last = list(block.children.values())[-1]
        assert last.page == TRUST.address  # type: ignore[union-attr]
        assert "reader=" in last.query_string  # type: ignore[union-attr]


def test_the_overview_begins_then_goes_on_then_says_that_all_is_done(open_page: Open) -> None:
    ready = [one for one in CHAPTERS if one.is_ready]
    labels = [link.label for link in open_page().main.get("page_link")]
    assert labels[0] == "Start with chapter 1 (7 minutes)"
    labels = [link.label for link in open_page(done="1").main.get("page_link")]
    assert labels[0] == f"Go on with chapter {ready[1].number} ({ready[1].minutes} minutes)"
    done = "".join(str(one.number) for one in ready)
    (first, *_) = open_page(done=done).main.get("page_link")
    assert first.page == TRUST.address


def test_begin_anew_forgets_marks_guesses_and_settings_but_not_the_reading(open_page: Open) -> None:
    path = chapter(1).path
    at = open_page(path, shown="yes", prompt="300", check="a", reader="Analyst")
    assert at.session_state["done"] == {1}
    at.switch_page(OVERVIEW.path)
    at.query_params.clear()  # no browser rewrites the address here
    at.run()
    at.segmented_control("reader").set_value("Analyst").run()
    at.button("begin_anew").click().run()
    assert at.session_state["done"] == frozenset()
    assert at.segmented_control("reader").value == "Analyst"
    assert not at.exception
    at.switch_page(path).run()
    assert at.slider(key(path, "locked.prompt")).value == 7
    assert at.radio(key(path, "check")).value is None


def test_an_answer_whose_page_is_left_before_it_is_drawn_counts(open_page: Open) -> None:
    path = chapter(1).path
    at = open_page(path, shown="yes")
    at.radio(key(path, "check")).set_value("a")
    at.switch_page(OVERVIEW.path).run()
    assert at.session_state["done"] == {1}


def test_the_ten_minute_route_is_words_until_its_last_stop_is_written(open_page: Open) -> None:
    said = words(open_page())
    assert ("This route opens when chapter 7 is there" in said) == (not chapter(7).is_ready)
    if not chapter(7).is_ready:
        assert "first stop" not in words(open_page(chapter(1).path, route="short"))


def test_the_ten_minute_route_leads_from_stop_to_stop_and_is_kept_by_the_link(
    open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pages.ui.route.is_open", lambda: True)
    at = open_page(chapter(1).path, route="short")
    assert "first stop" in words(at)
    assert at.session_state["link.next"]["route"] == "short"
    assert all("route=short" in link.query_string for link in at.get("page_link"))
    at.button(key(chapter(1).path, "leave")).click().run()
    assert "first stop" not in words(at)
    assert "route" not in at.session_state["link.next"]


@pytest.mark.usefixtures("searched")
def test_the_route_comes_to_an_end_that_is_said_and_marked(open_page: Open) -> None:
    last = chapter(7).path
    at = open_page(last, route="short1")
    assert "last stop" in words(at)
    assert "That was the ten-minute route" not in words(at)
    at.button(key(last, "show")).click().run()
    at.button(key(last, "try_all")).click().run()
    assert words(at).count("That was the ten-minute route") == 3  # at the top, after the search, at the foot
    assert "This fills in with your guess" not in words(at)
    home = [link for link in at.get("page_link") if link.label == "Back to the overview"]
    assert len(home) == 3
    assert all("route=short17" in link.query_string for link in home)
    assert at.session_state["link.next"]["route"] == "short17"


@pytest.mark.usefixtures("searched")
def test_a_link_to_the_end_of_the_route_brings_its_guess_before_the_top_is_told(open_page: Open) -> None:
    link = {"guess": "20", "first": "20", "shown": "yes", "route": "short17", "search": "yes"}
    said = words(open_page(chapter(7).path, **link))
    assert said.count("That was the ten-minute route") == 3
    assert "but for your guess" not in said


def test_without_a_guess_the_end_of_the_route_asks_for_one(open_page: Open) -> None:
    said = words(open_page(chapter(7).path, route="short", search="yes"))
    assert "but for your guess: lock one in at the top" in said


def test_the_first_stop_is_walked_by_its_guess_and_the_overview_marks_what_is_walked(open_page: Open) -> None:
    at = open_page(chapter(1).path, route="short")
    at.button(key(chapter(1).path, "show")).click().run()
    assert at.session_state["link.next"]["route"] == "short1"
    for way, marked in (("short", 0), ("short1", 1), ("short17", 2)):
        labels = [link.label for link in open_page(route=way).get("page_link")]
        assert sum(label.endswith("· walked") for label in labels) == marked


def test_who_steps_aside_finds_the_way_back_to_the_route(open_page: Open) -> None:
    for path in (chapter(3).path, GLOSSARY.path):
        at = open_page(path, route="short1")
        assert "left the ten-minute route for a moment" in words(at)
        back = [link for link in at.get("page_link") if link.label.startswith("Back to chapter")]
        assert back
        assert all("route=short1" in link.query_string for link in back)
    at = open_page(chapter(7).path, route="short")
    aside = [link for link in at.get("page_link") if link.label == "Why: chapter 3"]
    assert aside
    assert all("route=short" in link.query_string for link in aside)
    at.switch_page(chapter(3).path).run()
    assert "Back to chapter 7" in [link.label for link in at.get("page_link")]


@pytest.mark.parametrize("route", ["long", "", "short; drop"])
def test_a_route_that_does_not_exist_is_said(open_page: Open, route: str) -> None:
    at = open_page(chapter(1).path, route=route)
    assert "expected one of short" in at.warning[0].value


@pytest.mark.parametrize("path", [TRUST.path, GLOSSARY.path, SOURCES.path])
@pytest.mark.parametrize("done", ["999", "abc"])
def test_marks_that_make_no_sense_are_said_here_too(open_page: Open, path: str, done: str) -> None:
    assert "expected digits of chapters done" in open_page(path, done=done).warning[0].value
