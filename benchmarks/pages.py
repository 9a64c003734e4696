"""What pages cost the server: CPU of a rerun and of a whole page, cold start to first paint, memory of visitors."""

import os
import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import cycle
from urllib.parse import urlencode

from playwright.sync_api import Browser, Locator, Page, sync_playwright

from benchmarks.machine import processor
from benchmarks.process import cpu_s, memory_mb
from pages.ui.chapters import CHAPTERS, OVERVIEW
from tests.browser.serving import QUIET, Served, chromium_path, serving, settle

BATCHES, BATCH, VISITORS = 7, 8, 20


def main() -> None:
    """Print the table."""
    print(f"processor: {processor()}, {os.cpu_count()} cores")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=QUIET)
        row("cold start to the overview's title", cold_start_s(browser), "s")
        measure_visitors(browser)
        measure_pages(browser)
        browser.close()


def row(name: str, value: float, unit: str, reach: str = "") -> None:
    """Print a line of the table."""
    print(f"{name:<62} {value:8.1f} {unit:<4} {reach}", flush=True)


def cold_start_s(browser: Browser) -> float:
    """Return the seconds from starting the server to the overview's title in a browser."""
    start_s = time.perf_counter()
    with serving() as served:
        page = browser.new_page()
        page.goto(served.url)
        page.get_by_role("heading", level=1).wait_for()
        return time.perf_counter() - start_s


def measure_visitors(browser: Browser) -> None:
    """Print the memory of a server nobody has visited, after one visitor of both pages, and after twenty."""
    with serving() as served:
        row("memory, idle", memory_mb(served.pid), "MB")
        for number in range(VISITORS):
            page = browser.new_context().new_page()
            visit(page, served, OVERVIEW.address)
            visit(page, served, CHAPTERS[0].address)
            if number == 0:
                row("memory after the first visitor", memory_mb(served.pid), "MB")
        row(f"memory after {VISITORS} visitors, all still there", memory_mb(served.pid), "MB")


def measure_pages(browser: Browser) -> None:
    """Print the CPU of whole pages, and of a rerun after a control has moved."""
    with serving() as served:
        for page in (OVERVIEW, CHAPTERS[0]):
            cost_ms = median_ms(served, partial(visit, browser.new_page(), served, page.address))
            row(f"CPU of a whole page: {page.title}", cost_ms, "ms", "(reach: 60)")
        tab = browser.new_page()
        visit(tab, served, f"{CHAPTERS[0].address}?shown=yes&prompt=100")
        for name in ("Prompt, tokens", "Reply, tokens"):
            slider = tab.get_by_role("slider", name=name)
            slider.focus()
            row(f"CPU of a rerun: {name}", median_ms(served, partial(move, tab, slider)), "ms", "(reach: 20)")
        measure_monday(tab, served)


def measure_monday(tab: Page, served: Served) -> None:
    """Print what chapter 7 costs: searches from the click to the settled page, and reruns before and after them."""
    visit(tab, served, f"{CHAPTERS[6].address}?shown=yes&max_num_seqs=4")
    seats = tab.get_by_role("slider", name="Seats: customers at once")
    seats.focus()
    row(
        "CPU of a rerun: a knob of chapter 7",
        median_ms(served, partial(swing, tab, seats, to_and_fro())),
        "ms",
        "(reach: 20)",
    )
    row("search of every setting, click to page, warmed targets", search_s(tab, served), "s", "(reach: 2)")
    for words in ("0.5 s", "2 s"):
        seconds = search_s(tab, served, first_word=words)
        row(f"the same, first word within {words}: the same runs, judged anew", seconds, "s", "(reach: 2)")
    cap = tab.get_by_role("slider", name="Seats, everything else as vLLM's defaults")
    cap.focus()
    row(
        "CPU of a rerun beside its result",
        median_ms(served, partial(swing, tab, cap, to_and_fro())),
        "ms",
        "(reach: 20)",
    )


def search_s(tab: Page, served: Served, **targets: str) -> float:
    """Return the seconds from the click on the search, with targets of a link, until its whole page stands."""
    visit(tab, served, f"{CHAPTERS[6].address}?{urlencode({'shown': 'yes', 'max_num_seqs': 4} | targets)}")
    start_s = time.perf_counter()
    tab.get_by_role("button", name="Try all").click()
    tab.get_by_text("accepted settings the best keeps").wait_for()
    settle(tab)
    return time.perf_counter() - start_s


def visit(page: Page, served: Served, address: str) -> None:
    """Open a page and wait until it stands."""
    page.goto(f"{served.url}/{address}")
    settle(page)
    page.wait_for_timeout(150)


def to_and_fro() -> Iterator[str]:
    """Return keys that move a slider over a few places and back."""
    return cycle(["ArrowRight"] * 9 + ["ArrowLeft"] * 9)


def swing(page: Page, slider: Locator, keys: Iterator[str]) -> None:
    """Move a slider that has few places: to and fro."""
    move(page, slider, next(keys))


def move(page: Page, slider: Locator, key: str = "ArrowRight") -> None:
    """Move a slider by one and wait until the page stands again."""
    slider.press(key)
    page.wait_for_timeout(120)
    settle(page)
    page.wait_for_timeout(150)


def median_ms(served: Served, act: Callable[[], None]) -> float:
    """Return the CPU milliseconds that the server spends on an act: the median of batches, for the clock is coarse."""
    costs_s = []
    for _ in range(BATCHES):
        before_s = cpu_s(served.pid)
        for _ in range(BATCH):
            act()
        costs_s.append((cpu_s(served.pid) - before_s) / BATCH)
    return statistics.median(costs_s) * 1e3


if __name__ == "__main__":
    main()
