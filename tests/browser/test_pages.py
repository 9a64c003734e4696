"""What holds on every page, now and later: light, dark and on a phone."""

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.browser.conftest import SHOTS, Visit
from tests.browser.serving import ROOT

PAGES = ["", *(path.stem.partition("_")[2] for path in sorted((ROOT / "pages").glob("[0-9]*.py")))]
LOOKS = {
    "light": (1280, "light"),
    "dark": (1280, "dark"),
    "phone": (390, "light"),
    "dark-phone": (390, "dark"),
}
SIDEWAYS = """() => Math.max(...[document.documentElement, document.querySelector('[data-testid=stMain]')]
    .map(element => element.scrollWidth - element.clientWidth))"""


SHUT_SIDEBAR = ("scrollable-region-focusable", 'data-testid="stSidebarContent"')


def ours(fault: dict[str, Any]) -> list[str]:
    """Return the places of a fault; Streamlit's sidebar, shut and out of sight on a phone, may be too long."""
    rule, mark = SHUT_SIDEBAR
    places = [node["html"][:200] for node in fault["nodes"]]
    return [place for place in places if fault["id"] != rule or mark not in place]


def serious(page: Page) -> list[str]:
    """Return what keeps people from reading or using a page, as axe sees it."""
    return [
        f"{fault['id']}: {fault['help']} ({places[:3]})"
        for fault in Axe().run(page).response["violations"]
        if fault["impact"] in ("serious", "critical") and (places := ours(fault))
    ]


@pytest.mark.browser
@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("address", PAGES)
def test_page_is_whole_in_every_look(visit: Visit, address: str, look: str) -> None:
    width, scheme = LOOKS[look]
    page = visit(address, width=width, scheme=scheme)
    page.wait_for_load_state("networkidle")
    assert page.evaluate(SIDEWAYS) <= 0, "the page scrolls sideways"
    faults = serious(page)
    SHOTS.mkdir(exist_ok=True)
    height = page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight")
    page.set_viewport_size({"width": width, "height": height})
    page.screenshot(path=SHOTS / f"{address or 'overview'}-{look}.png")
    assert not faults, faults


@pytest.mark.browser
def test_the_readme_shows_the_overview(visit: Visit) -> None:
    picture = ROOT / "docs" / "overview.png"
    assert "docs/overview.png" in (ROOT / "README.md").read_text()
    if not picture.exists():  # remove it to have it made anew
        page = visit(width=1280, height=800)
        page.wait_for_load_state("networkidle")
        page.screenshot(path=picture)
    assert picture.read_bytes().startswith(b"\x89PNG")
