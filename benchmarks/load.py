"""Many people at once: how long each waits after moving a control, and what the server's memory does meanwhile.

Speaks to a server of its own on this machine, in bounded rounds: first a class (`--people`, each moving one control
every second for `--seconds`), then one long visit (`--reruns` moves over all pages).
"""

import argparse
import asyncio
import os
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from random import Random

import numpy as np

from benchmarks.machine import busy, processor
from benchmarks.process import cpu_s, memory_mb, most_memory_mb
from benchmarks.visitor import Visitor, another_value, visiting
from pages.ui.chapters import PAGES
from tests.browser.serving import Served, serving

EVERY_S = 1.0
RESTING_S = 0.05  # of processor in a second
MOST_PEOPLE, MOST_SECONDS, MOST_RERUNS = 200, 300, 20_000
LOOK_EVERY = 500  # reruns of the soak
READY = [page for page in PAGES if page.is_ready]


@dataclass
class Noted:
    """What was seen: seconds from the planned moment of each move to the end of its reply, and errors."""

    waits_s: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--reruns", type=int, default=2000)
    asked = parser.parse_args()
    print(
        f"processor: {processor()}, {os.cpu_count()} cores, shared by the server and its visitors; {busy()}"
    )
    with serving() as served:
        people, seconds = min(asked.people, MOST_PEOPLE), min(asked.seconds, MOST_SECONDS)
        asyncio.run(attend(served, people, seconds))
    with serving() as served:
        asyncio.run(soak(served, min(asked.reruns, MOST_RERUNS)))


def row(name: str, value: float, unit: str, reach: str = "") -> None:
    """Print a line of the table."""
    print(f"{name:<62} {value:8.1f} {unit:<6} {reach}", flush=True)


async def attend(served: Served, people: int, seconds: int) -> None:
    """Let a class come in at once and then move controls, and print what its members had to wait."""
    opened, moved = Noted(), Noted()
    async with AsyncExitStack() as class_room:
        visitors = [await class_room.enter_async_context(visiting(served.url)) for _ in range(people)]
        await asyncio.gather(*(come_in(visitor, n, opened) for n, visitor in enumerate(visitors)))
        await at_rest(served)
        before_s = cpu_s(served.pid)
        start_s = time.perf_counter() + EVERY_S
        await asyncio.gather(
            *(
                fidget(visitor, start_s + n * EVERY_S / people, seconds, moved)
                for n, visitor in enumerate(visitors)
            )
        )
        took_s = time.perf_counter() - start_s
        report(f"{people} people open a page at once on a cold server", opened)
        report(
            f"{people} people move a control every {EVERY_S:g} s, {seconds} times",
            moved,
            "(reach: p95 1,500)",
        )
        row("CPU of a rerun, its share of everything counted", cpu_each_ms(served, before_s, moved), "ms")
        row("moves answered in a second", len(moved.waits_s) / took_s, "")
        row("memory at its most", most_memory_mb(served.pid), "MB", "(reach: 450)")


async def at_rest(served: Served) -> None:
    """Wait until the server has got ready behind its first pages, so that what is counted is the moves alone."""
    used_s = -1.0
    for _ in range(MOST_SECONDS):
        now_s = cpu_s(served.pid)
        if now_s - used_s <= RESTING_S:
            return
        used_s = now_s
        await asyncio.sleep(EVERY_S)


def cpu_each_ms(served: Served, before_s: float, moved: Noted) -> float:
    """Return the CPU milliseconds that the server has spent on each of the moves."""
    return (cpu_s(served.pid) - before_s) / max(len(moved.waits_s), 1) * 1e3


async def come_in(visitor: Visitor, number: int, noted: Noted) -> None:
    """Open one of the pages, all that is held back shown."""
    start_s = time.perf_counter()
    await noting(visitor.open(READY[number % len(READY)].address, shown="yes"), start_s, noted)


async def fidget(visitor: Visitor, start_s: float, times: int, noted: Noted) -> None:
    """Move some control every second; who is still waiting moves late, and the wait counts from the second on."""
    rng = Random(start_s)
    for number in range(times):
        planned_s = start_s + number * EVERY_S
        await asyncio.sleep(max(planned_s - time.perf_counter(), 0))
        await noting(fiddle(visitor, rng), planned_s, noted)


async def fiddle(visitor: Visitor, rng: Random) -> None:
    """Move one of the page's controls somewhere."""
    widget, element = rng.choice(visitor.controls())
    await visitor.move(widget, another_value(element, rng))


async def noting(act, start_s: float, noted: Noted) -> None:  # type: ignore[no-untyped-def]
    """Do it, and note how long it took or what went wrong."""
    try:
        await act
        noted.waits_s.append(time.perf_counter() - start_s)
    except (OSError, RuntimeError, TimeoutError) as problem:
        noted.errors.append(str(problem) or type(problem).__name__)


def report(name: str, noted: Noted, reach: str = "") -> None:
    """Print how long people waited, and what went wrong."""
    print(name)
    if noted.waits_s:
        p50, p95, longest = np.percentile(noted.waits_s, [50, 95, 100]) * 1e3
        row("    p50", p50, "ms")
        row("    p95", p95, "ms", reach)
        row("    longest", longest, "ms")
    row("    errors", len(noted.errors), "", "(reach: 0)")
    for problem in sorted(set(noted.errors))[:3]:
        print(f"      {problem}")


async def soak(served: Served, reruns: int) -> None:
    """Let one visitor walk over all pages, moving controls, and print what memory does."""
    rng = Random(2)
    seen: list[tuple[int, float]] = []
    print(f"one visit of {reruns:,} reruns over {len(READY)} pages")
    async with visiting(served.url) as visitor:
        for number in range(reruns):
            if number % 25 == 0:
                await visitor.open(READY[number // 25 % len(READY)].address, shown="yes")
            await fiddle(visitor, rng)
            if (number + 1) % LOOK_EVERY == 0:
                seen.append((number + 1, memory_mb(served.pid)))
                row(f"    memory after {number + 1:,} reruns", seen[-1][1], "MB")
    if len(seen) > 1:
        counts, sizes_mb = zip(*seen, strict=True)
        slope = float(np.polyfit(counts, sizes_mb, 1)[0])
        row("    slope over all of it", 1000 * slope, "MB", "per 1,000 reruns")


if __name__ == "__main__":
    main()
