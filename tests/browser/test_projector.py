"""Pages on a projector, and framed by another page."""

import pytest

from pages.ui.chapters import PAGES
from tests.browser.conftest import SHOTS, Visit
from tests.browser.test_pages import SIDEWAYS

READY = [page for page in PAGES if page.is_ready]
LEAST_LETTER_PX, LEAST_CHART_PX = 11, 600
CHART_WIDTHS = """() => [...document.querySelectorAll('[data-testid=stVegaLiteChart] :is(canvas, svg)')]
    .map(drawn => drawn.getBoundingClientRect().width)"""
SMALLEST_LETTER = """() => Math.min(...[...document.querySelectorAll('[data-testid=stVegaLiteChart] svg text')]
    .map(label => parseFloat(getComputedStyle(label).fontSize)), Infinity)"""


@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.parametrize("page", READY, ids=lambda page: page.slug)
def test_page_fits_a_projector_and_its_charts_are_legible(visit: Visit, page) -> None:
    shown = visit(f"{page.address}?shown=yes", width=1920, height=1080)
    shown.wait_for_load_state("networkidle")
    assert shown.evaluate(SIDEWAYS) <= 0
    assert min(shown.evaluate(CHART_WIDTHS), default=LEAST_CHART_PX) >= LEAST_CHART_PX
    assert shown.evaluate(SMALLEST_LETTER) >= LEAST_LETTER_PX
    SHOTS.mkdir(exist_ok=True)
    shown.screenshot(path=SHOTS / f"{page.address or 'overview'}-projector.png")


@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.parametrize("page", READY, ids=lambda page: page.slug)
def test_page_can_be_framed(visit: Visit, page) -> None:
    shown = visit(f"{page.address}?embed=true", width=800, height=900)
    assert shown.evaluate(SIDEWAYS) <= 0
    assert "embed=true" in shown.url
    assert shown.get_by_test_id("stHeader").count() == 0 or not shown.get_by_test_id("stToolbar").is_visible()
