"""The glossary as its visitors meet it: searched, filtered, by a link, and with nonsense."""

import pytest

from pages.ui import glossary
from pages.ui.chapters import GLOSSARY, OVERVIEW, Page, chapter
from pages.ui.frame import READERS
from pages.ui.words import LONGEST
from tests.pages.conftest import Open, key, words

PATH = GLOSSARY.path


@pytest.mark.parametrize("reader", READERS)
def test_every_entry_stands_there_with_its_pages(open_page: Open, reader: str) -> None:
    at = open_page(PATH, reader=reader)
    for entry in glossary.entries().values():
        assert entry.told in words(at)
    used = sum(len(glossary.listed_on(name)) for name in glossary.entries())
    assert len(at.main.get("page_link")) == used + 2  # and previous and next


def test_a_word_is_found_and_the_link_keeps_what_was_asked(open_page: Open) -> None:
    at = open_page(PATH)
    at.text_input(key(PATH, "find")).set_value("ttft").run()
    assert "wait for the first token" in words(at)
    assert "riding along" not in words(at)
    assert at.session_state["link.next"]["find"] == "ttft"
    at = open_page(PATH, find="knee", on="6")
    assert "1 of" in at.caption[0].value
    assert at.session_state["link.next"]["on"] == "6"


@pytest.mark.parametrize("asked", ["*[x](http://y)*", "$x$ <b>", "{{x}}", "   ", "🌷"])
def test_what_is_not_there_is_said_as_it_was_typed(open_page: Open, asked: str) -> None:
    at = open_page(PATH, find=asked)
    assert not at.exception
    if asked.strip():
        assert "No entry here has" in at.info[0].value
        assert "](http" not in at.info[0].value


@pytest.mark.slow
@pytest.mark.parametrize(("name", "value"), [("find", "x" * (LONGEST + 1)), ("on", "9"), ("on", "<b>")])
def test_nonsense_in_the_link_is_said(open_page: Open, name: str, value: str) -> None:
    at = open_page(PATH, **{name: value})
    assert "The link asks" in at.warning[0].value


@pytest.mark.parametrize("page", [OVERVIEW, chapter(7)], ids=lambda page: page.slug)
def test_what_the_file_adds_to_the_pages_of_a_word_is_true(open_page: Open, page: Page) -> None:
    at = open_page(page.path, shown="yes")
    said = "\n".join(str(getattr(drawn, "proto", "")) for drawn in at.main)
    added = [one for one in glossary.entries().values() if page in one.also]
    assert added
    for entry in added:
        assert entry.place_in(said) is not None, entry.term
        assert page not in glossary.used_on(entry.name), "it is found without"


def test_a_done_chapter_is_marked_in_the_menu_and_not_behind_every_word(open_page: Open) -> None:
    at = open_page(PATH, done="3")
    marked = [link.label for link in at.main.get("page_link") if "done" in link.label]
    assert marked == []
    assert "3 · Batching · done" in [link.label for link in at.sidebar.get("page_link")]
