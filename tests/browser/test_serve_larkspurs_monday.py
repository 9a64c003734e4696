"""Chapter 7 in a browser: keyboard alone from the first try to the search, the guess, the scrubber and the mission."""

import pytest
from playwright.sync_api import Page, expect

from pages.ui.monday_try import START, best_change, met
from tests.browser.conftest import Visit
from tests.browser.hands import lock_in, press, slide
from tests.browser.test_pages import SIDEWAYS, serious

CHAPTER = "serve_larkspurs_monday"
MOST_TABS = 60


def tab_to(page: Page, is_there: str) -> None:
    """Press Tab until an expression about the focused element holds."""
    for _ in range(MOST_TABS):
        page.keyboard.press("Tab")
        if page.evaluate(f"(() => {{ const at = document.activeElement; return {is_there}; }})()"):
            return
    raise AssertionError(f"{is_there} was not reached by {MOST_TABS} presses of Tab")


@pytest.mark.browser
def test_the_keyboard_alone_leads_from_the_first_try_to_the_search(visit: Visit) -> None:
    page = visit(CHAPTER)
    chart = page.get_by_test_id("stVegaLiteChart").nth(1)
    expect(chart.get_by_text("1 of 24", exact=True)).to_be_visible()
    tab_to(page, "at.textContent === 'fixed batches'")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
        if page.evaluate("document.activeElement.textContent") == "in pieces":
            break
    page.keyboard.press("Enter")
    expect(chart.get_by_text("7 of 24", exact=True)).to_be_visible()
    tab_to(page, "at.textContent.includes('Try all')")
    page.keyboard.press("Enter")
    expect(page.get_by_text("accepted settings the best keeps 23 of 24")).to_be_visible()
    expect(page.get_by_role("status").filter(has_text="Found: the best keeps 23 of 24.")).to_be_attached()
    page.wait_for_url(lambda url: "search=yes" in url)
    tab_to(page, "at.textContent === 'Set to the best'")
    page.keyboard.press("Enter")
    expect(chart.get_by_text("23 of 24", exact=True)).to_be_visible()


@pytest.mark.browser
def test_the_short_route_leads_straight_to_the_knobs_and_the_words_of_the_knobs_wrap(visit: Visit) -> None:
    page = visit(f"{CHAPTER}?route=short", width=390)
    for name in ("change one knob", "search"):
        page.get_by_role("link", name=name, exact=True).click()
        heading = {"change one knob": "Run it: your own try", "search": "Search: every setting"}[name]
        expect(page.get_by_role("heading", name=heading)).to_be_in_viewport()
    for word in ("fixed batches", "in pieces", "the longest", "paged"):
        box = page.get_by_role("radio", name=word, exact=True).bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390


@pytest.mark.browser
def test_a_guess_fills_the_empty_place(visit: Visit) -> None:
    page = visit(CHAPTER)
    expect(page.get_by_text("The place of one change is still empty")).to_be_visible()
    lock_in(page, page.get_by_role("spinbutton", name="On target after the best single change"), "20")
    expect(page.get_by_text(f"The best single change keeps {best_change(START).kept} of 24")).to_be_visible()
    expect(page.get_by_text("you guessed 20", exact=True)).to_be_visible()


@pytest.mark.browser
def test_the_slider_in_the_timeline_counts_who_is_done_and_on_target(visit: Visit) -> None:
    page = visit(f"{CHAPTER}?shown=yes", width=390)
    slide(page.get_by_label("Move through Monday (s)"), 32)
    expect(page.get_by_text(f"waiting 0 · done 24, on target {met(START).sum()}")).to_be_visible()
    slide(page.get_by_label("Move through Monday (s)"), 0)
    expect(page.get_by_text("done 0, on target 0")).to_be_visible()


@pytest.mark.browser
def test_the_mission_is_done_with_the_cap_alone(visit: Visit) -> None:
    page = visit(f"{CHAPTER}?shown=yes&cap=12")
    press(page.get_by_role("slider", name="Seats, everything else as vLLM's defaults"), "ArrowRight")
    expect(page.get_by_text("Throughput is not goodput.")).to_be_visible()


@pytest.mark.browser
def test_other_targets_ask_for_another_search_that_judges_the_same_runs(visit: Visit) -> None:
    page = visit(f"{CHAPTER}?shown=yes&search=yes")
    expect(page.get_by_text("accepted settings the best keeps 23 of 24")).to_be_visible()
    page.get_by_role("radio", name="20 ms").click()
    again = page.get_by_role("button", name="Try all 20,856 settings with these targets")
    expect(again).to_be_visible()
    expect(page.get_by_text("Press the button above")).to_be_visible()
    again.click()
    found = page.get_by_text("accepted settings the best keeps")
    expect(found).to_contain_text("a token every 20 ms")
    expect(again).not_to_be_visible()


@pytest.mark.browser
@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1280, "light")])
def test_with_everything_open_the_page_fits_and_can_be_read_by_all(
    visit: Visit, width: int, scheme: str
) -> None:
    folds = "&".join(f"{name}=open" for name in ("hint", "cards", "limits", "two"))
    page = visit(f"{CHAPTER}?shown=yes&search=yes&to=the+best&{folds}", width=width, scheme=scheme)
    expect(page.get_by_text("accepted settings the best keeps 23 of 24")).to_be_visible()
    expect(page.get_by_text("From vLLM's defaults to the best:")).to_be_visible()
    assert page.evaluate(SIDEWAYS) <= 0
    faults = serious(page)
    assert not faults, faults
