"""A real browser before a real server: every page opened here also answers for its console and its requests."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, sync_playwright

ROOT = Path(__file__).parents[2]
SHOTS = ROOT / "artifacts"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
QUIET = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update")
STREAMLITS_OWN = (
    "_stcore/health",
    "_stcore/host-config",
)  # asked for below the page's path first, then found
START_LIMIT_S, CONTENT_LIMIT_MS = 60, 30_000
Visit = Callable[..., Page]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
        path = path or playwright.chromium.executable_path
        if not Path(path).exists() and not shutil.which(path):
            pytest.fail("The browser tests need Chromium: run `python3 dev.py test`, which installs it.")
        browser = playwright.chromium.launch(executable_path=path, args=QUIET)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def server_url() -> Iterator[str]:
    yield from serve()


@pytest.fixture
def cold_server_url() -> Iterator[str]:
    """The address of a server that nobody has visited yet."""
    yield from serve()


def serve() -> Iterator[str]:
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        port = place.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true"]
    arguments = [
        "--server.port",
        str(port),
        "--server.address",
        "127.0.0.1",
        "--server.fileWatcherType",
        "none",
    ]
    with subprocess.Popen(
        [*command, *arguments], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        url = f"http://127.0.0.1:{port}"
        wait_for(url, process)
        yield url
        process.terminate()


def wait_for(url: str, process: "subprocess.Popen[bytes]") -> None:
    """Return when the server answers; fail when it has stopped or takes too long."""
    deadline = time.monotonic() + START_LIMIT_S
    while time.monotonic() < deadline and process.poll() is None:
        try:
            urllib.request.urlopen(f"{url}/_stcore/health", timeout=5).close()  # noqa: S310
        except OSError:
            time.sleep(0.1)
        else:
            return
    pytest.fail(f"The app did not start within {START_LIMIT_S} s.")


@pytest.fixture
def visit(chromium: Browser, server_url: str) -> Iterator[Visit]:
    """Return a function that opens a page and waits for its foot; afterwards nothing may have gone wrong in it."""
    contexts, faults = [], []

    def open_page(
        path: str = "", *, width: int = 1280, height: int = 900, scheme: str = "light", url: str = server_url
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


def settle(page: Page) -> None:
    """Wait until the page stands: its foot is there, and the server has nothing more to say."""
    page.get_by_text("Your settings, your reading and your marks").wait_for()
    page.locator('[data-test-script-state="notRunning"]').wait_for(state="attached")


def console_faults(message: ConsoleMessage) -> list[str]:
    """Return what a console message says is wrong; Streamlit's own two look-ups on a deep link are not."""
    where = message.location.get("url", "")
    is_own = any(name in where for name in STREAMLITS_OWN)
    return [f"{message.text} ({where})"] if message.type == "error" and not is_own else []


def outside(url: str) -> list[str]:
    """Return the address if it is not on this machine."""
    parts = urlsplit(url)
    return [f"asked for {url}"] if parts.scheme.startswith("http") and parts.hostname != "127.0.0.1" else []
