"""Every setting of Monday's grid, tried once for each target: one search at a time, a few kept for everyone."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import pandas as pd

from pages.ui.ladder import rush
from pages.ui.monday_rows import Measures, compact, rarely_read
from pages.ui.served import server
from sim import MONDAY_SPACE, MONDAY_TARGETS, Settings, Targets, search
from sim.compiler import is_compiling

MOST_CARDS = 4
SEARCHES_KEPT = 4  # of which each takes about two megabytes
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
_kept: OrderedDict[Targets, "Found"] = OrderedDict()
_turn = threading.Lock()


@dataclass(frozen=True, eq=False)
class Found:
    """What a search has found: a row a setting, the best first; what else was measured of them; and its seconds."""

    targets: Targets
    frame: pd.DataFrame
    measures: Measures
    seconds: float

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
    """Try every setting on one card."""
    where = server()
    while is_compiling():
        tell("Getting ready: the server's rules are being compiled, once", 0.0)
        time.sleep(LOOK_S)
    began = time.perf_counter()
    frame = search(
        rush(),
        where,
        MONDAY_SPACE,
        targets,
        base=Settings(),
        progress=lambda done, of: tell(f"Trying {of:,} settings", done / of),
    )
    return Found(targets, compact(frame), rarely_read(frame), time.perf_counter() - began)
