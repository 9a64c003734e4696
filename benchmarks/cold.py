"""The first visitor after a cold start: nothing compiled on disk, nothing imported, nothing kept.

Starts a server with an empty cache for each line, so it takes a minute or two.
"""

import asyncio
import os
import tempfile
import time
from pathlib import Path
from random import Random

from benchmarks.load import READY, fiddle, row
from benchmarks.machine import busy, processor
from benchmarks.process import cpu_s
from benchmarks.visitor import Visitor, visiting
from pages.ui.chapters import OVERVIEW, Page
from tests.browser.serving import Served, serving

QUIET_S, LIMIT_S = 3.0, 180
LITTLE_CPU = 0.05  # of a core


def main() -> None:
    """Print the table."""
    print(f"processor: {processor()}, {os.cpu_count()} cores; {busy()}")
    with_cold_server(overview)
    for page in READY:
        if page is not OVERVIEW:
            with_cold_server(deep_link, page)


def with_cold_server(look, *about: Page) -> None:  # type: ignore[no-untyped-def]
    """Let a visitor look at a server that has nothing compiled."""
    with (
        tempfile.TemporaryDirectory() as nothing,
        serving(environment={"NUMBA_CACHE_DIR": nothing}) as served,
    ):
        asyncio.run(look(served, *about))


async def overview(served: Served) -> None:
    """Print how soon the overview stands, how it answers while the server warms, and each chapter after that."""
    async with visiting(served.url) as visitor:
        row("the overview, by the first visitor", await opening_s(visitor, OVERVIEW), "s")
        longest_s, warmed_s = await read(served, visitor)
        row("    its slowest answer to a move while the server warms", longest_s, "s")
        row("    warm after", warmed_s, "s")
        for page in READY:
            row(f"    then, {page.title}", await opening_s(visitor, page), "s")


async def deep_link(served: Served, page: Page) -> None:
    """Print how soon a chapter stands for somebody who comes by its link, and how it answers a first move."""
    async with visiting(served.url) as visitor:
        row(f"{page.title}, by the first visitor of all", await opening_s(visitor, page), "s")
        start_s = time.perf_counter()
        await fiddle(visitor, Random(1))
        row("    its answer to the first move", time.perf_counter() - start_s, "s")


async def opening_s(visitor: Visitor, page: Page) -> float:
    """Return the seconds from asking for a page until it stands whole."""
    start_s = time.perf_counter()
    await visitor.open(page.address, shown="yes")
    return time.perf_counter() - start_s


async def read(served: Served, visitor: Visitor) -> tuple[float, float]:
    """Return the longest wait for a move, and the seconds until the server has nothing more to do."""
    start_s, longest_s, rng = time.perf_counter(), 0.0, Random(1)
    while time.perf_counter() - start_s < LIMIT_S:
        moved_s = time.perf_counter()
        await fiddle(visitor, rng)
        longest_s = max(longest_s, time.perf_counter() - moved_s)
        if await is_idle(served):
            break
    return longest_s, time.perf_counter() - start_s


async def is_idle(served: Served) -> bool:
    """Return whether the server has done next to nothing for a while, and no process of its own compiles."""
    before_s = cpu_s(served.pid)
    await asyncio.sleep(QUIET_S)
    children = Path(f"/proc/{served.pid}/task").glob("*/children")
    is_quiet = cpu_s(served.pid) - before_s < LITTLE_CPU * QUIET_S
    return is_quiet and not any(tasks.read_text().strip() for tasks in children)


if __name__ == "__main__":
    main()
