"""What every chapter does alike: guess and first guess, checks, links, resets, and links that make no sense."""

import pytest

from pages.ui.chapters import called, chapter
from tests.pages.asked import CHAPTERS, Asked
from tests.pages.conftest import Open, control, guess, key, words


def name_of(value: object) -> str | None:
    """Return a chapter's number as the name of its tests."""
    return str(value.number) if isinstance(value, Asked) else None


chapters = pytest.mark.parametrize("asked", CHAPTERS, ids=name_of)
answers = pytest.mark.parametrize("answer", ["a", "b", "c"])
NONSENSE = [(asked, *link) for asked in CHAPTERS for link in asked.nonsense_links()]
ANSWERED = [(asked, *pair) for asked in CHAPTERS for pair in asked.answered.items()]


@chapters
def test_the_first_guess_stays_when_it_is_changed(open_page: Open, asked: Asked) -> None:
    first, then = asked.guesses
    at = guess(guess(open_page(asked.path), asked.path, first), asked.path, then)
    assert at.session_state[key(asked.path, "first")] == first
    assert at.session_state[key(asked.path, "guess")] == then
    told = at.session_state["link.next"]
    assert (told["first"], told["guess"]) == (str(first), str(then))


@answers
@chapters
def test_done_is_earned_by_showing_and_any_answer(open_page: Open, asked: Asked, answer: str) -> None:
    at = open_page(asked.path)
    at.button(key(asked.path, "show")).click().run()
    assert at.session_state["done"] == frozenset()
    at.radio(key(asked.path, "check")).set_value(answer).run()
    assert at.session_state["done"] == {asked.number}
    assert ("**Yes.**" in at.info[0].value) == (answer == asked.right)
    assert f"{called(chapter(asked.number))} · done" in [link.label for link in at.get("page_link")]
    assert at.session_state["link.next"]["done"] == str(asked.number)


@answers
@chapters
def test_the_extra_question_says_why(open_page: Open, asked: Asked, answer: str) -> None:
    at = open_page(asked.path)
    at.radio(key(asked.path, "more")).set_value(answer).run()
    assert ("**Yes.**" in at.info[0].value) == (answer == asked.more)
    assert at.session_state["done"] == frozenset()


@chapters
def test_a_link_brings_guess_settings_marks_and_reading_back(open_page: Open, asked: Asked) -> None:
    at = open_page(asked.path, **asked.link)
    done = "".join(sorted({*asked.link["done"], str(asked.number)}))
    assert at.session_state["link.next"] == asked.link | {"shown": "yes", "done": done}
    assert {name: control(at, asked.path, name).value for name in asked.shows} == asked.shows
    assert at.session_state["reader"] == asked.link["reader"]


@pytest.mark.parametrize("asked", [one for one in CHAPTERS if one.reset], ids=name_of)
def test_reset_puts_the_settings_back(open_page: Open, asked: Asked) -> None:
    at = open_page(asked.path, shown="yes", **asked.moved)
    assert asked.moved.items() <= at.session_state["link.next"].items()
    at.button(key(asked.path, "reset")).click().run()
    assert asked.reset.items() <= at.session_state["link.next"].items()


@pytest.mark.parametrize("asked", [one for one in CHAPTERS if one.reset], ids=name_of)
def test_reset_forgives_what_was_wrong_with_the_link(open_page: Open, asked: Asked) -> None:
    at = open_page(asked.path, shown="yes", **dict.fromkeys(asked.moved, "nonsense"))
    assert at.warning
    at.button(key(asked.path, "reset")).click().run()
    assert not at.warning


@pytest.mark.parametrize(("asked", "guessed", "passage"), ANSWERED, ids=name_of)
def test_a_guess_is_answered_by_how_it_is_off(
    open_page: Open, asked: Asked, guessed: int, passage: str
) -> None:
    assert passage in words(guess(open_page(asked.path), asked.path, guessed))
    assert passage in words(open_page(asked.path, guess=str(guessed)))


@pytest.mark.slow
@pytest.mark.parametrize(("asked", "name", "value"), NONSENSE, ids=name_of)
def test_nonsense_in_the_link_is_said_and_survived(
    open_page: Open, asked: Asked, name: str, value: str
) -> None:
    at = open_page(asked.path, **({"shown": "yes"} | asked.beside | {name: value}))
    said = [warning.value for warning in at.warning]
    assert any("The link asks" in sentence and "expected" in sentence for sentence in said)
    assert not any("<b>" in sentence for sentence in said)
