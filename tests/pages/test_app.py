"""The overview: the figures of the brief, computed; what is not written yet stands there as coming."""

import pytest

from pages.ui import overview, site
from pages.ui.chapters import CHAPTERS
from pages.ui.frame import READERS
from pages.ui.prose import say
from sim import QUOTED
from tests.pages.conftest import Open, plain, words


def test_the_figures_of_the_brief_come_out(open_page: Open) -> None:
    at = open_page()
    assert "Reading took 16 ms, the 6 passes of about 15 ms took 91 ms, the whole reply 107 ms" in words(at)
    assert [metric.value for metric in at.metric] == ["51,072", "16,112", "24", "800 KB"]
    assert "800 KB a token on Larkspur's server, 1.6 GB for 2,048 tokens" in words(at)


@pytest.mark.parametrize("reader", READERS)
def test_one_sentence_changes_with_the_reader(open_page: Open, reader: str) -> None:
    assert f"You read as a{'n' * (reader != READERS[0])} **{reader.lower()}**" in words(
        open_page(reader=reader)
    )


def test_chapters_not_yet_written_are_words_and_not_links(open_page: Open) -> None:
    at = open_page()
    links = {link.page for link in at.get("page_link")}
    for chapter in CHAPTERS:
        is_linked = any(chapter.address in page for page in links)
        assert is_linked == chapter.is_ready
        assert (f"{chapter.number} · {chapter.title} · *coming*" in words(at)) == (not chapter.is_ready)


def test_marks_of_the_link_stand_on_the_cards_and_travel_on(open_page: Open) -> None:
    at = open_page(done="1", reader="Analyst")
    assert "1 · Prefill and decode · done" in [link.label for link in at.get("page_link")]
    assert {"done=1", "reader=Analyst"} == set(at.get("page_link")[1].query_string.split("&"))


@pytest.mark.parametrize("done", ["999", "abc", "-1", "8" * 300, "1; drop"])
def test_marks_that_make_no_sense_are_said_and_left_out(open_page: Open, done: str) -> None:
    at = open_page(done=done)
    assert at.session_state["done"] == frozenset()
    assert "expected digits of chapters done, from 1 to 7" in at.warning[0].value


def test_every_idea_says_its_figure_as_quoted() -> None:
    told = {name: plain(say("app", f"idea.{name}", **overview.figures())) for name in overview.IDEAS}
    assert "800 KB a token" in told.pop("kv")
    for name, text in told.items():
        assert f"{QUOTED[overview.IDEAS[name]].value:g}" in text


def test_the_pointer_back_is_words_without_an_address_and_a_link_with_one(
    open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not open_page().get("link_button")
    monkeypatch.setattr(site, "transformers_url", lambda: "https://example.org/transformers")
    (link,) = open_page().get("link_button")
    assert link.url == "https://example.org/transformers"


def test_what_earns_a_mark_and_the_short_route_are_said_before_the_cards(open_page: Open) -> None:
    said = words(open_page())
    assert said.index("there is a short route further down") < said.index("A chapter is marked “done” once")
    assert said.index("A chapter is marked “done” once") < said.index(CHAPTERS[0].question)
    assert "6 more passes; the first token came with reading" in said
