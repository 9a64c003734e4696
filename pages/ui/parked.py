"""Which block holds whose text from when to when, as runs of neighboring blocks in the rows of the car park."""

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from pages.ui.monday_memory import monday_run, num_blocks
from sim import Settings
from sim.arrays import Counts, Seconds

COLUMNS = ("request", "at_s", "blocks")
ROW = 64  # blocks in a row of the car park


@dataclass(frozen=True)
class Stay:
    """One request's time in memory: the blocks that fill, each from when on; and what it was promised."""

    request: int
    from_s: float
    to_s: float
    filled: tuple[tuple[int, float], ...]  # (block, from when it holds text)
    promised: tuple[int, int]  # first block and number of blocks; (0, 0) when paged


@dataclass(frozen=True)
class Strip:
    """Neighboring blocks that fill at the same moment: columns `first` to `end` (exclusive) of one row or more."""

    row: int
    first: int
    end: int
    from_s: float
    rows: int = 1


@cache
def stays(layout: str) -> tuple[Stay, ...]:
    """Return every stay in memory of Monday's run, in the order in which they begin."""
    return tuple(paged_stays(layout) if layout == "paged" else reserved_stays(layout))


def reserved_stays(layout: str) -> Iterator[Stay]:
    """Yield the stays where memory is reserved: one a request, at the address that the run gave it."""
    run, size = monday_run(layout), Settings().block_size
    for _, rows in run.memory.groupby("request"):
        request = int(rows["request"].iloc[0])
        at_s, tokens = rows["at_s"].to_numpy(), rows["tokens"].to_numpy()
        final = int(run.trace.prompt_tokens[request] + run.trace.output_tokens[request] - 1)
        first, blocks = int(rows["first_block"].iloc[0]), int(rows["blocks"].iloc[0])
        need = np.arange(0, final, size) + 1  # tokens from which each block is in use
        filled_s = first_held_s(layout, need, at_s[:-1], tokens[:-1], at_s[-1])
        filled = tuple((first + i, float(from_s)) for i, from_s in enumerate(filled_s))
        yield Stay(request, float(at_s[0]), float(at_s[-1]), filled, (first, blocks))


def first_held_s(
    layout: str,
    need: Counts,
    at_s: Seconds,
    tokens: Counts,
    end_s: float,
) -> Seconds:
    """Return when a stay first holds `need` tokens; inside an event of equal passes it grows by one a pass."""
    passes = monday_run(layout).passes
    start_s, stop_s, count = (passes[name].to_numpy() for name in ("start_s", "end_s", "passes"))
    after = np.searchsorted(tokens, need)  # the first row that holds as much
    before = np.maximum(after - 1, 0)
    event = np.searchsorted(start_s, at_s[before], side="right") - 1
    pass_s = ((stop_s - start_s) / count)[event]
    grown_s = at_s[before] + np.maximum(need - tokens[before], 0) * pass_s
    known_s = np.append(at_s, end_s)[after]
    return np.where((after > 0) & (count[event] > 1), np.minimum(grown_s, known_s), known_s)


def paged_stays(layout: str) -> Iterator[Stay]:
    """Yield the stays where blocks are given out one by one: a request takes the free ones of lowest number.

    The run counts blocks and gives them no address; which of the free ones is taken changes nothing in it.
    """
    free = list(range(num_blocks()))
    filled: dict[int, list[tuple[int, float]]] = {}
    memory = monday_run(layout).memory
    for request, at_s, blocks in zip(*(memory[name].tolist() for name in COLUMNS), strict=True):
        mine = filled.setdefault(request, [])
        mine += [(heapq.heappop(free), at_s) for _ in range(blocks - len(mine))]
        if blocks == 0:
            for block, _ in mine:
                heapq.heappush(free, block)
            yield Stay(request, mine[0][1], at_s, tuple(mine), (0, 0))
            del filled[request]


def strips(filled: tuple[tuple[int, float], ...]) -> list[Strip]:
    """Return blocks as strips: neighbors of one row that fill at the same moment are one."""
    drawn: list[Strip] = []
    for block, from_s in sorted(filled):
        row, column = divmod(block, ROW)
        last = drawn[-1] if drawn else None
        if last and (last.row, last.end, last.from_s) == (row, column, from_s):
            drawn[-1] = Strip(row, last.first, column + 1, from_s)
        else:
            drawn.append(Strip(row, column, column + 1, from_s))
    return drawn


def promised_strips(stay: Stay) -> list[Strip]:
    """Return what a stay was promised, as strips; rows of equal width, one above the other, are one."""
    first, blocks = stay.promised
    joined: list[Strip] = []
    for one in strips(tuple((first + i, stay.from_s) for i in range(blocks))):
        above = joined[-1] if joined else None
        if above and (above.first, above.end) == (one.first, one.end):
            joined[-1] = replace(above, rows=above.rows + 1)
        else:
            joined.append(one)
    return joined
