"""Every setting of Monday's grid: run once on one card for everyone, judged anew for each target, one at a time."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import pandas as pd

from pages.ui.compiling import wait_for_compiler
from pages.ui.ladder import rush
from pages.ui.monday_rows import compact
from pages.ui.served import server
from sim import MONDAY_SPACE, MONDAY_TARGETS, Settings, Targets, search
from sim.tried import Tried, try_all

MOST_CARDS = 4
SEARCHES_KEPT = 4  # of which each takes about a megabyte
LOOK_S = 0.1  # between two looks at whose turn it is
# what is tried on two to four cards: fewer values of each knob
COARSE_SPACE = dict(MONDAY_SPACE) | {
    "kv_layout": ("paged", "reserve-max"),
    "preemption": ("recompute",),
    "max_num_seqs": (8, 16, 24, 256),
    "max_num_batched_tokens": (256, 512, 2048),
    "num_speculative_tokens": (0, 2, 4),
}
Tell = Callable[[str, float], None]  # what is going on, and the share that is done
_runs: list["Runs"] = []  # on one card, once somebody has searched: about eleven megabytes
_kept: OrderedDict[Targets, "Found"] = OrderedDict()
_turn = threading.Lock()


@dataclass(frozen=True, eq=False)
class Runs:
    """Every setting, run on one card, and the seconds that this took."""

    tried: Tried
    seconds: float


@dataclass(frozen=True, eq=False)
class Found:
    """What a search has found: a row a setting, the best first, with the columns that pages read."""

    targets: Targets
    frame: pd.DataFrame
    runs: Runs

    def whole(self) -> pd.DataFrame:
        """Return the same rows with everything that was measured."""
        return self.runs.tried.judged(self.targets)

    @cached_property
    def more_cards(self) -> Mapping[int, pd.DataFrame]:
        """The same, coarser, on more cards, tried when it is first asked for."""
        return {cards: on_cards(cards, self.targets) for cards in range(2, MOST_CARDS + 1)}


def on_cards(cards: int, targets: Targets) -> pd.DataFrame:
    """Return a row a setting of those tried on so many cards, the best first."""
    there = replace(server(), replicas=cards)
    return compact(search(rush(), there, COARSE_SPACE, targets, base=Settings()))


def already(targets: Targets) -> Found | None:
    """Return what was found for these targets, if it is still kept."""
    return _kept.get(targets)


def find(targets: Targets, tell: Tell) -> Found:
    """Search, when it is our turn; whatever `tell` raises ends it, and nothing goes on behind."""
    while not _turn.acquire(timeout=LOOK_S):
        tell("Another search is running; yours is next", 0.0)
    try:
        found = already(targets) or look(targets, tell)
        _kept[targets] = found
        while len(_kept) > SEARCHES_KEPT:
            _kept.popitem(last=False)
        return found
    finally:
        _turn.release()


def find_for_the_start() -> None:
    """Search for the targets that the page begins with."""
    find(MONDAY_TARGETS, lambda words, share: None)


def look(targets: Targets, tell: Tell) -> Found:
    """Judge every setting on one card by these targets; the first to ask has them run."""
    if not _runs:
        _runs.append(run_all(tell))
    return Found(targets, compact(_runs[0].tried.judged(targets)), _runs[0])


def run_all(tell: Tell) -> Runs:
    """Run every setting on one card."""
    where = server()
    wait_for_compiler(lambda: tell("Getting ready: the server's rules are being compiled, once", 0.0))
    began = time.perf_counter()
    tried = try_all(
        rush(),
        where,
        MONDAY_SPACE,
        base=Settings(),
        progress=lambda done, of: tell(f"Trying {of:,} settings", done / of),
    )
    return Runs(tried, time.perf_counter() - began)
