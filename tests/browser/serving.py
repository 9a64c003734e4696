"""The app on a port of this machine, and a page of it that stands."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Page

import dev
from pages.ui.frame import FOOT

ROOT = Path(__file__).parents[2]
QUIET = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update")
START_LIMIT_S = 60


@dataclass(frozen=True)
class Served:
    """A running app: its address and its process."""

    url: str
    pid: int


@contextmanager
def serving(
    base_path: str = "", environment: dict[str, str] | None = None, root: Path = ROOT
) -> Iterator[Served]:
    """Run the app in `root` until the block ends, below `base_path` if given; RuntimeError if it does not start."""
    port = free_port()
    url = f"http://127.0.0.1:{port}/{base_path}".rstrip("/")
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true"]
    place = ["--server.port", str(port), "--server.address", "127.0.0.1", "--server.fileWatcherType", "none"]
    below = ["--server.baseUrlPath", base_path]
    quiet = subprocess.DEVNULL
    known = os.environ | (environment or {})
    with subprocess.Popen(
        [*command, *place, *below], cwd=root, env=known, stdout=quiet, stderr=quiet
    ) as process:
        try:
            wait_for(url, process)
            yield Served(url, process.pid)
        finally:
            process.terminate()


def free_port() -> int:
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        port: int = place.getsockname()[1]
        return port


def wait_for(url: str, process: "subprocess.Popen[bytes]") -> None:
    """Wait until the app answers."""
    deadline = time.monotonic() + START_LIMIT_S
    while time.monotonic() < deadline and process.poll() is None:
        try:
            urllib.request.urlopen(f"{url}/_stcore/health", timeout=5).close()  # noqa: S310
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise RuntimeError(f"expected the app to answer within {START_LIMIT_S} s; it did not")


def settle(page: Page) -> None:
    """Wait until a page stands: its foot is there, its script has run, and the server has nothing more to say."""
    page.get_by_text(FOOT).wait_for()
    page.wait_for_function("'larkspur:address' in globalThis")  # in this tab, be it on a page before
    page.locator('[data-test-script-state="notRunning"]').wait_for(state="attached")


def chromium_path() -> str:
    """Return the browser that `dev.py` found or finds now; RuntimeError where there is none."""
    found = os.environ.get("CHROMIUM") or dev.installed_browser()
    if not found:
        raise RuntimeError("expected a Chromium for the browser tests; `python3 dev.py test` installs it")
    return found
