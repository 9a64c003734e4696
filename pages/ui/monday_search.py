"""Every setting of Monday's grid, tried once for each target: one search at a time, a few kept for everyone."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import pandas as pd

from pages.ui.ladder import rush
from pages.ui.served import server
from sim import MONDAY_SPACE, MONDAY_TARGETS, Settings, Targets, search
from sim.compiler import is_compiling

MOST_CARDS = 4
SEARCHES_KEPT = 4  # of which each takes about ten megabytes
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
    """What a search has found: a row a setting, the best first; the same, coarser, for more cards; and its seconds."""

    targets: Targets
    frame: pd.DataFrame
    more_cards: Mapping[int, pd.DataFrame]
    seconds: float


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
    """Try every setting on one card, and fewer of them on two to four."""
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
    more = {
        cards: search(rush(), replace(where, replicas=cards), COARSE_SPACE, targets, base=Settings())
        for cards in range(2, MOST_CARDS + 1)
    }
    return Found(targets, frame, more, time.perf_counter() - began)
