"""Chapter 5 in a real browser: the draft round by round, the guess, and the mission."""

import pytest
from playwright.sync_api import Page, expect

from pages.ui.draft_figures import MISSION_PERCENT
from pages.ui.draft_guess import MANY, yielded
from pages.ui.draft_picture import picture
from pages.ui.draft_run import MOST_GUESSES, QUESTIONS, draft
from pages.ui.draft_server import BATCHES, turns
from tests.browser.conftest import Visit
from tests.browser.hands import lock_in, press

CHAPTER = "guess_ahead"


def check_picture(page: Page, question: str, n_guesses: int) -> None:
    """Check that the chips on the page are those of the run."""
    shown = picture(draft(question, n_guesses))
    expect(page.locator("p.counts")).to_have_text(shown["counts"])
    for kind in ("kept", "thrown", "own"):
        chips = [chip for row in shown["rounds"] for chip in row[kind]]
        expect(page.locator(f"ol.rounds .chip.{kind}")).to_have_text(chips)


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 390])
def test_the_draft_is_shown_round_by_round_and_both_replies_are_equal(visit: Visit, width: int) -> None:
    page = visit(CHAPTER, width=width)
    check_picture(page, QUESTIONS[0], 4)
    page.get_by_role("slider", name="Guesses a pass, at most").press("End")
    check_picture(page, QUESTIONS[0], MOST_GUESSES)
    page.get_by_label("A customer's question").click()
    page.get_by_role("option", name=QUESTIONS[-1]).click()
    check_picture(page, QUESTIONS[-1], MOST_GUESSES)
    first, second = page.locator("dl.replies dd").all_text_contents()
    assert first == second
    expect(page.get_by_text("Both replies are equal, token for token.")).to_be_visible()
    widest = page.locator("ol.rounds").evaluate("list => list.scrollWidth - list.clientWidth")
    assert widest <= 0, "the rows wrap"


@pytest.mark.browser
def test_kept_thrown_and_own_differ_by_more_than_color(visit: Visit) -> None:
    page = visit(CHAPTER)
    look = "chip => [getComputedStyle(chip).textDecorationLine, getComputedStyle(chip).borderTopColor]"
    styles = [page.locator(f"p.key .chip.{kind}").evaluate(look) for kind in ("kept", "thrown", "own")]
    assert [line for line, _ in styles] == ["none", "line-through", "none"]
    assert styles[2][1] != styles[0][1], "the own one has an edge"
    filled = "chip => getComputedStyle(chip).backgroundColor"
    none = "rgba(0, 0, 0, 0)"
    assert page.locator("p.key .chip.kept").evaluate(filled) != none
    assert page.locator("p.key .chip.own").evaluate(filled) == none


@pytest.mark.browser
def test_the_guess_and_the_mission(visit: Visit) -> None:
    page = visit(CHAPTER)
    lock_in(page, page.get_by_label("10 passes yield (tokens)"), "72")
    expect(page.get_by_text(f"You guessed 72. It is {yielded(MANY):.0f}")).to_be_visible()

    turn = turns(MOST_GUESSES, MISSION_PERCENT)
    assert turn is not None
    page.get_by_role("slider", name="Guesses of the draft model a pass").press("End")
    batch = page.get_by_role("slider", name="Customers who write at once")
    press(batch, "ArrowRight", turn - BATCHES[2])
    expect(page.get_by_text("Done: 8 guesses a pass for")).to_be_visible()
    page.wait_for_url(lambda url: f"batch={turn}" in url and "ahead=8" in url and "guess=72" in url)
