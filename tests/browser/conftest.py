"""A real browser before a real server: every page opened here also answers for its console and its requests."""

from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright

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


@pytest.fixture
def visit(chromium: Browser, server_url: str) -> Iterator[Visit]:
    """Return a function that opens a page and waits for its foot; afterwards nothing may have gone wrong in it."""
    contexts, faults = [], []

    def open_page(
        path: str = "",
        *,
        width: int = 1280,
        height: int = 900,
        scheme: str = "light",
        url: str = server_url,
    ) -> Page:
        context = chromium.new_context(
            viewport={"width": width, "height": height},
            color_scheme=scheme,
            permissions=["clipboard-read", "clipboard-write"],
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(CONTENT_LIMIT_MS)
        page.on("console", lambda message: faults.extend(console_faults(message)))
        page.on("pageerror", lambda error: faults.append(f"error in the page: {error}"))
        page.on("request", lambda request: faults.extend(outside(request.url)))
        page.goto(f"{url}/{path}")
        settle(page)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not faults, faults


def console_faults(message: ConsoleMessage) -> list[str]:
    """Return what a console message says is wrong; Streamlit's own two look-ups on a deep link are not."""
    where = message.location.get("url", "")
    is_own = any(name in where for name in STREAMLITS_OWN)
    return [f"{message.text} ({where})"] if message.type == "error" and not is_own else []


def outside(url: str) -> list[str]:
    """Return the address if it is not on this machine."""
    parts = urlsplit(url)
    return [f"asked for {url}"] if parts.scheme.startswith("http") and parts.hostname != "127.0.0.1" else []
