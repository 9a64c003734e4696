"""A real browser before a real server: every page opened here also answers for its console and its requests."""

from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect, sync_playwright

from tests.browser.serving import QUIET, ROOT, chromium_path, serving, settle

SHOTS = ROOT / "artifacts"
STREAMLITS_OWN = (
    "_stcore/health",
    "_stcore/host-config",
)  # asked for below the page's path first, then found
CONTENT_LIMIT_MS = 30_000
Visit = Callable[..., Page]

expect.set_options(timeout=CONTENT_LIMIT_MS)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=QUIET)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def server_url() -> Iterator[str]:
    with serving() as served:
        yield served.url


@pytest.fixture
def cold_server_url() -> Iterator[str]:
    """The address of a server that nobody has visited yet."""
    with serving() as served:
        yield served.url


@pytest.fixture(scope="session")
def known(chromium: Browser) -> dict[str, BrowserContext]:
    """The browser that a test's first page is opened in, for each color scheme: it knows the app's scripts already."""
    return {scheme: stranger(chromium, scheme) for scheme in ("light", "dark")}


def stranger(chromium: Browser, scheme: str) -> BrowserContext:
    """Return a browser that has never been here."""
    return chromium.new_context(color_scheme=scheme, permissions=["clipboard-read", "clipboard-write"])


@pytest.fixture
def visit(chromium: Browser, known: dict[str, BrowserContext], server_url: str) -> Iterator[Visit]:
    """Return a function that opens a page and waits for its foot; afterwards nothing may have gone wrong in it.

    A test's second page is another visitor's: it shares nothing with the first.
    """
    pages, strangers, faults = [], [], []

    def open_page(
        path: str = "",
        *,
        width: int = 1280,
        height: int = 900,
        scheme: str = "light",
        url: str = server_url,
    ) -> Page:
        if pages:
            strangers.append(stranger(chromium, scheme))
        page = (strangers[-1] if strangers else known[scheme]).new_page()
        pages.append(page)
        page.set_viewport_size({"width": width, "height": height})
        page.set_default_timeout(CONTENT_LIMIT_MS)
        page.on("console", lambda message: faults.extend(console_faults(message)))
        page.on("pageerror", lambda error: faults.append(f"error in the page: {error}"))
        page.on("request", lambda request: faults.extend(outside(request.url)))
        page.goto(f"{url}/{path}")
        settle(page)
        return page

    yield open_page
    for page in pages:
        forget(page)
    for context in strangers:
        context.close()
    assert not faults, faults


def forget(page: Page) -> None:
    """Close a page, and leave nothing of its visit in its browser."""
    if not page.is_closed():
        page.evaluate("localStorage.clear()")
        page.close()
    page.context.clear_cookies()


def console_faults(message: ConsoleMessage) -> list[str]:
    """Return what a console message says is wrong; Streamlit's own two look-ups on a deep link are not."""
    where = message.location.get("url", "")
    is_own = any(name in where for name in STREAMLITS_OWN)
    return [f"{message.text} ({where})"] if message.type == "error" and not is_own else []


def outside(url: str) -> list[str]:
    """Return the address if it is not on this machine."""
    parts = urlsplit(url)
    return [f"asked for {url}"] if parts.scheme.startswith("http") and parts.hostname != "127.0.0.1" else []
