"""What pages cost the server: CPU of a rerun and of a whole page, cold start to first paint, memory of visitors."""

import os
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from playwright.sync_api import Browser, Locator, Page, sync_playwright

from benchmarks.machine import processor
from pages.ui.chapters import CHAPTERS, OVERVIEW

ROOT = Path(__file__).parents[1]
PORT, BATCHES, BATCH, VISITORS = 8765, 7, 8, 20
URL = f"http://127.0.0.1:{PORT}"
TICKS_PER_S = os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Print the table."""
    print(f"processor: {processor()}, {os.cpu_count()} cores")
    with sync_playwright() as playwright:
        path = os.environ.get("CHROMIUM", "/usr/bin/chromium")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        row("cold start to first paint of the overview", cold_start(browser), "s")
        measure_running(browser)
        browser.close()


def row(name: str, value: float, unit: str, reach: str = "") -> None:
    """Print a line of the table."""
    print(f"{name:<62} {value:8.1f} {unit:<4} {reach}")


def cold_start(browser: Browser) -> float:
    """Return the seconds from starting the server to the overview's title in a browser."""
    start_s = time.perf_counter()
    with serving():
        answers()
        visit(browser.new_page(), "")
        return time.perf_counter() - start_s


def measure_running(browser: Browser) -> None:
    """Print what pages, reruns and visitors cost a server that has been visited once."""
    with serving() as server:
        answers()
        row("memory, idle", memory_mb(server), "MB")
        visit(browser.new_page(), "")
        visit(browser.new_page(), CHAPTERS[0].address)
        row("memory after the first visitor", memory_mb(server), "MB")
        for page in (OVERVIEW, CHAPTERS[0]):
            cost = median_ms(server, partial(visit, browser.new_page(), page.address))
            row(f"CPU of a whole page: {page.title}", cost, "ms", "(reach: 60)")
        tab = browser.new_page()
        visit(tab, f"{CHAPTERS[0].address}?shown=yes&prompt=100")
        for name in ("Prompt, tokens", "Reply, tokens"):
            slider = tab.get_by_role("slider", name=name)
            slider.focus()
            row(
                f"CPU of a rerun: {name}",
                median_ms(server, partial(move, tab, slider)),
                "ms",
                "(reach: 20)",
            )
        for _ in range(VISITORS - 1):
            visit(browser.new_context().new_page(), CHAPTERS[0].address)
        row(f"memory after {VISITORS} visitors", memory_mb(server), "MB")


@contextmanager
def serving() -> Iterator[int]:
    """Run the app on a port of this machine and give its process number."""
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true"]
    options = [
        "--server.port",
        str(PORT),
        "--server.address",
        "127.0.0.1",
        "--server.fileWatcherType",
        "none",
    ]
    quiet = subprocess.DEVNULL
    with subprocess.Popen([*command, *options], cwd=ROOT, stdout=quiet, stderr=quiet) as process:
        yield process.pid
        process.terminate()


def answers() -> None:
    """Wait until the server answers."""
    while True:
        try:
            urllib.request.urlopen(f"{URL}/_stcore/health", timeout=5).close()  # noqa: S310
            return
        except OSError:
            time.sleep(0.05)


def visit(page: Page, address: str) -> None:
    """Open a page and wait until it stands."""
    page.goto(f"{URL}/{address}")
    stands(page)


def stands(page: Page) -> None:
    """Wait until a page stands."""
    page.get_by_text("Your settings, your reading and your marks").wait_for()
    page.locator('[data-test-script-state="notRunning"]').wait_for(state="attached")
    page.wait_for_timeout(150)


def move(page: Page, slider: Locator) -> None:
    """Move a slider by one and wait until the page stands again."""
    slider.press("ArrowRight")
    page.wait_for_timeout(120)
    stands(page)


def median_ms(server: int, act: Callable[[], None]) -> float:
    """Return the CPU milliseconds that the server spends on an act: the median of batches, for the clock is coarse."""
    costs_s = []
    for _ in range(BATCHES):
        before_s = cpu_s(server)
        for _ in range(BATCH):
            act()
        costs_s.append((cpu_s(server) - before_s) / BATCH)
    return statistics.median(costs_s) * 1e3


def cpu_s(pid: int) -> float:
    """Return the CPU seconds of a process, its ended threads counted."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_PER_S


def memory_mb(pid: int) -> float:
    """Return the resident memory of a process in MB."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


if __name__ == "__main__":
    main()
