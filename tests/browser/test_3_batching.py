"""Chapter 3 in a real browser: the line, the window, the pointer, the guess and the mission."""

import pytest
from playwright.sync_api import Page, expect

from pages.ui import blamed, ladder, seats, waits
from pages.ui.ladder import ANEW, FIXED, IN_PIECES
from tests.browser.conftest import Visit
from tests.browser.hands import lock_in, slide, until_charts_stand
from tests.browser.serving import settle
from tests.browser.test_walk import follow, until_asked, until_there

CHAPTER = "batching"


def drawn(page: Page, text: str) -> None:
    """Wait until a chart says something."""
    expect(page.locator("svg text", has_text=text).first).to_be_attached()


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 390])
def test_one_line_counts_who_waits_in_both_panels(visit: Visit, width: int) -> None:
    page = visit(CHAPTER, width=width)
    line = page.get_by_label("Move the line through Monday (s)")
    for at_s in (waits.LINE_S, 6.0, 2.0):
        slide(line, at_s)
        for word in (FIXED.word, ANEW.word):
            drawn(page, f"waiting now {waits.waiting_at(word, ladder.DEFAULT_BUDGET, at_s)}")


@pytest.mark.browser
def test_the_window_moves_from_pass_to_pass(visit: Visit) -> None:
    page = visit(CHAPTER)
    window = page.get_by_label("Move the window through Monday (s)")
    for from_s in (seats.WINDOW_AT_S, 1.5):
        slide(window, from_s)
        for word in (FIXED.word, ANEW.word):
            ends_ms = (seats.pass_ends_s(ladder.served(word)) - from_s) * 1e3
            drawn(page, f"{((ends_ms > 0) & (ends_ms <= seats.WINDOW_MS)).sum()} passes end here")


@pytest.mark.browser
def test_the_pointer_on_a_customer_says_for_whom_it_waited(visit: Visit) -> None:
    page = visit(CHAPTER)
    chart = page.locator("[data-testid=stVegaLiteChart]").nth(1)
    chart.scroll_into_view_if_needed()
    drawn(page, "waiting now")
    until_charts_stand(page)
    box = chart.bounding_box()
    assert box is not None
    lane = waits.HEADER + 9.7  # the middle of customer 10's, in the upper panel
    page.mouse.move(box["x"] + box["width"] * 0.6, box["y"] + lane * waits.ROW_PX)
    said = page.locator("#vg-tooltip-element")
    expect(said).to_contain_text("10: return a desk lamp that flickers")
    expect(said).to_contain_text("waited for")
    expect(said).to_contain_text("customers 1 (")


@pytest.mark.browser
def test_guess_and_mission(visit: Visit) -> None:
    page = visit(CHAPTER)
    lock_in(page, page.get_by_label("The first word appears after (ms)"), "3000")
    expect(page.get_by_text("You guessed 3,000 ms. It took")).to_be_visible()
    above = page.get_by_role("radiogroup", name="Above")
    above.get_by_role("radio", name="prompts first").click()
    page.get_by_role("radiogroup", name="Below").get_by_role("radio", name="in pieces").click()
    expect(page.get_by_text("Done: the longest freeze falls from")).to_be_visible()
    page.wait_for_url(
        lambda url: "above=prompts+first" in url and "below=in+pieces" in url and "guess=3000" in url
    )


@pytest.mark.browser
def test_parts_run_alone_the_address_keeps_all_and_back_and_forward_find_it(visit: Visit) -> None:
    page = visit(f"{CHAPTER}?shown=yes&reader=Analyst")
    page.get_by_role("radiogroup", name="Below").get_by_role("radio", name=IN_PIECES.word).click()
    for word in (FIXED.word, IN_PIECES.word):
        ends_ms = (seats.pass_ends_s(ladder.served(word)) - seats.WINDOW_AT_S) * 1e3
        drawn(page, f"{((ends_ms > 0) & (ends_ms <= seats.WINDOW_MS)).sum()} passes end here")
    page.get_by_role("slider", name="Customer").press("ArrowRight")
    expect(page.get_by_role("button", name="whom customer 11 waited for")).to_be_visible()
    said = blamed.told(IN_PIECES.word, ladder.DEFAULT_BUDGET, 11).partition("They waited for ")[2]
    expect(page.get_by_text(said)).to_be_visible()
    set_now = {"above": FIXED.word, "below": IN_PIECES.word, "budget": ladder.DEFAULT_BUDGET}
    asked = {"reader": "Analyst", "shown": "yes", "customer": "11"}
    until_asked(page, **asked, **set_now)

    follow(page, "Overview")
    until_asked(page, reader="Analyst")
    page.go_back()
    until_asked(page, **asked, **set_now)
    expect(page.get_by_text(said)).to_be_visible()
    settle(page)
    page.go_forward()
    until_asked(page, reader="Analyst")
    page.go_back()
    until_there(page, "Batching")
    page.get_by_role("button", name="Reset").click()
    until_asked(page, **asked, **set_now | {"below": ANEW.word})
    expect(
        page.get_by_text(blamed.told(ANEW.word, ladder.DEFAULT_BUDGET, 11).partition("They waited for ")[2])
    ).to_be_visible()
