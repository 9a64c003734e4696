"""How settings hold: on other Mondays, and under other assumptions; computed once for everyone who asks."""

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from statistics import median
from threading import Lock
from typing import Any

import pandas as pd

from pages.ui.charts import KEPT
from pages.ui.plan_luck import Luck, luck_of
from sim import Server, Settings, Targets, Trace, monday, mondays
from sim.other_mondays import Known, on_target_counts, order_ties, settings_of
from sim.stress import CHANGES, Stressed, changed, stress

MONDAYS, SEED = 200, 1
MOST_ANSWERS = 16  # of searches, kept for the next visitor
DEFAULTS = Settings()  # vLLM's
KNOWN_KEPT = 4  # targets for which runs on other Mondays are not repeated
NEARLY = 1  # customers fewer than the best that still let a setting be offered
Key = tuple[Any, ...]


@dataclass(frozen=True)
class Held:
    """How one setting fares: customers on target on this Monday, on each of the others, and under each change."""

    name: str
    settings: Settings
    here: int
    counts: tuple[int, ...]
    changed: tuple[int, ...]

    @property
    def median(self) -> float:
        """The number on target on the Monday in the middle."""
        return float(median(self.counts))

    @property
    def range(self) -> tuple[int, int]:
        """The fewest and the most on target."""
        return min(self.counts), max(self.counts)

    def held(self, most: int) -> int:
        """Return on how many Mondays at least `most` customers are on target."""
        return sum(count >= most for count in self.counts)


@dataclass(frozen=True)
class Answer:
    """What a search is worth beyond its Monday: what to offer, and who wins under each change."""

    most: int
    tied: int
    nearly: int
    offered: Settings
    offered_today: Settings | None
    changes: tuple[Stressed, ...]
    luck: Luck


@dataclass(frozen=True)
class Trust:
    """An answer, and how the settings that a reader compares hold."""

    answer: Answer
    rows: tuple[Held, ...]

    def row(self, settings: Settings) -> Held | None:
        """Return how `settings` hold, if they are among those compared."""
        return next((row for row in self.rows if row.settings == settings), None)


@cache
def others() -> list[Trace]:
    """Return the other Mondays."""
    return mondays(MONDAYS, SEED)


@lru_cache(maxsize=KNOWN_KEPT)
def known(targets: Targets, server: Server) -> Known:
    """Return what settings have kept on the other Mondays so far; whoever runs more of them adds to it."""
    return {}


def held(name: str, settings: Settings, targets: Targets, server: Server) -> Held:
    """Return how one setting fares."""
    return Held(name, settings, *counts_of(settings, targets, server))


@lru_cache(maxsize=KEPT)
def counts_of(
    settings: Settings, targets: Targets, server: Server
) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
    """Return customers on target on this Monday, on each of the others, and on this one under each change."""
    here, *under = (
        int(on_target_counts([monday()], each, [settings], targets)[0, 0])
        for each in (server, *(changed(server, change) for change in CHANGES.values()))
    )
    counts = on_target_counts(others(), server, [settings], targets)[0]
    return here, tuple(counts.tolist()), tuple(under)


_ANSWERS: OrderedDict[Key, Answer] = OrderedDict()
_LOCK = Lock()


def key_of(targets: Targets, space: Mapping[str, Sequence[Any]], server: Server) -> Key:
    """Return what an answer depends on."""
    return (targets, tuple((name, tuple(values)) for name, values in space.items()), server)


def kept_answer(key: Key) -> Answer | None:
    """Return the answer to a search if somebody has asked before."""
    with _LOCK:
        return _ANSWERS.get(key)


def keep(key: Key, answer: Answer) -> None:
    """Keep an answer; the oldest goes when there are many."""
    with _LOCK:
        _ANSWERS[key] = answer
        while len(_ANSWERS) > MOST_ANSWERS:
            _ANSWERS.popitem(last=False)


def work_out(
    frame: pd.DataFrame,
    targets: Targets,
    space: Mapping[str, Sequence[Any]],
    server: Server,
    progress: Callable[[float], None],
) -> Answer:
    """Return the answer to a search; `progress(share)` is called now and then, and may raise to end it."""
    most = int(frame["on_target"].max())
    rows = order_ties(
        frame,
        others(),
        server,
        targets,
        slack=NEARLY,
        progress=lambda done, of: progress(0.3 * done / of),
        known=known(targets, server),
    )
    today = rows[rows["exists_today"]]
    changes = stress(
        monday(),
        server,
        space,
        targets,
        [settings_of(rows.head(1))[0]],
        progress=lambda done, of: progress(0.3 + 0.7 * done / of),
    )
    return Answer(
        most=most,
        tied=int((frame["on_target"] == most).sum()),
        nearly=len(rows),
        offered=settings_of(rows.head(1))[0],
        offered_today=settings_of(today.head(1))[0] if len(today) else None,
        changes=changes,
        luck=luck_of(rows, others(), server, targets),
    )


def trusted(
    answer: Answer,
    mine: Settings,
    best: Settings,
    targets: Targets,
    server: Server,
    best_today: Settings | None = None,
) -> Trust:
    """Return how the settings that a reader compares hold; those that are one and the same share a row."""
    named = [("the steadiest", answer.offered), ("the steadiest of today's", answer.offered_today)]
    named += [("the best", best), ("the best of today's", best_today)]
    named += [("mine", mine), ("vLLM's defaults", DEFAULTS)]
    names: dict[Settings, list[str]] = {}
    for name, settings in named:
        if settings is not None:
            names.setdefault(settings, []).append(name)
    return Trust(answer, tuple(held(", ".join(each), one, targets, server) for one, each in names.items()))
