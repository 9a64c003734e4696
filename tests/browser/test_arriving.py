"""Arriving at a page by a link: at its top, with the menu out of the way, and every word of the way there legible."""

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import Visit
from tests.browser.serving import settle


@pytest.mark.browser
def test_on_a_phone_the_menu_closes_once_a_page_is_chosen(visit: Visit) -> None:
    page = visit("batching", width=390, height=844)
    page.get_by_role("button", name="Expand sidebar").click()
    menu = page.get_by_role("button", name="Collapse sidebar")
    expect(menu).to_be_visible()
    page.get_by_role("link", name="4 · Smaller numbers").first.click()
    expect(page.get_by_role("heading", name="Smaller numbers")).to_be_visible()
    expect(menu).not_to_be_in_viewport()


@pytest.mark.browser
def test_the_next_page_begins_at_its_top(visit: Visit) -> None:
    page = visit("smaller_numbers")
    page.get_by_test_id("stMain").get_by_role("link", name="5 · Guess ahead").last.click()
    expect(page.get_by_role("heading", name="Guess ahead")).to_be_in_viewport()
    settle(page)
    expect(page.get_by_role("heading", name="Guess ahead")).to_be_in_viewport()


@pytest.mark.browser
def test_the_links_of_the_ten_minute_route_are_whole_on_a_phone(visit: Visit) -> None:
    page = visit(width=390, height=844)
    for link in page.get_by_role("link", name="Monday in three clicks").all():
        assert link.evaluate("link => link.scrollWidth <= link.clientWidth")


@pytest.mark.browser
def test_the_main_button_is_legible_in_the_dark(visit: Visit) -> None:
    page = visit("serve_larkspurs_monday?shown=yes", scheme="dark")
    button = page.get_by_role("button", name="Try all")
    assert contrast(*(numbers_in(button, name) for name in ("color", "backgroundColor"))) >= 4.5


def numbers_in(element: Locator, name: str) -> list[float]:
    """Return red, green and blue of a color of an element, from 0 to 1."""
    told = element.evaluate(f"element => getComputedStyle(element).{name}.match(/[\\d.]+/g).slice(0, 3)")
    return [float(each) / 255 for each in told]


def contrast(*colors: list[float]) -> float:
    """Return the contrast of two colors (WCAG 2.2, relative luminance)."""

    def luminance(color: list[float]) -> float:
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in color]
        return sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    low, high = sorted(map(luminance, colors))
    return (high + 0.05) / (low + 0.05)
