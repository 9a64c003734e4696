"""Monday served under one setting, and under all that differ from it in one knob, kept for everyone."""

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from pages.ui.charts import KEPT
from pages.ui.ladder import rush
from pages.ui.monday_knobs import KNOBS, Knob
from pages.ui.served import server
from sim import MONDAY_START, MONDAY_TARGETS, Run, Server, Settings, Targets, simulate
from sim.summary import times_of

START, DEFAULTS = MONDAY_START, Settings()
CUSTOMERS = len(rush())
RUNS_KEPT = 16  # runs with their frames


@dataclass(frozen=True)
class Change:
    """One knob of a setting turned: to what, what the setting then is, and how many customers it keeps."""

    knob: Knob
    settings: Settings
    kept: int

    @property
    def told(self) -> str:
        """The change in words: the knob's name and its new value."""
        return f"{self.knob.name}: {self.knob.word_of(self.settings)}"


@lru_cache(maxsize=RUNS_KEPT)
def attempt(settings: Settings) -> Run:
    """Return Monday served under `settings`; visitors share it, and its frames are built once."""
    return simulate(rush(), server(), settings)


def met_on(where: Server, settings: Settings, targets: Targets) -> npt.NDArray[np.bool_]:
    """Return [n_requests] who is on target on a server, without building frames; it cannot be changed."""
    run = simulate(rush(), where, settings)
    is_met = targets.met(**vars(times_of(run.trace, run.outcome.requests)))
    is_met.flags.writeable = False
    return is_met


@lru_cache(maxsize=16 * KEPT)
def met(settings: Settings, targets: Targets = MONDAY_TARGETS) -> npt.NDArray[np.bool_]:
    """Return [n_requests] who is on target under `settings`; it cannot be changed."""
    return met_on(server(), settings, targets)


def kept(settings: Settings, targets: Targets = MONDAY_TARGETS) -> int:
    """Return how many of Monday's customers are on target under `settings`."""
    return int(met(settings, targets).sum())


@lru_cache(maxsize=KEPT)
def changes(settings: Settings, targets: Targets = MONDAY_TARGETS) -> tuple[Change, ...]:
    """Return every setting that differs from `settings` in one knob, those that keep most customers first."""
    turned = [
        (knob, replace(settings, **{knob.field: value}))
        for knob in KNOBS
        for value in knob.values
        if value != getattr(settings, knob.field)
    ]
    found = [Change(knob, other, kept(other, targets)) for knob, other in turned]
    return tuple(sorted(found, key=lambda change: -change.kept))


def best_change(settings: Settings, targets: Targets = MONDAY_TARGETS) -> Change:
    """Return the single change that keeps most customers; of several the first in the order of the knobs."""
    return changes(settings, targets)[0]


def named(mine: Settings, best: Settings | None = None) -> dict[str, Settings]:
    """Return the settings that have a name on the page; the best only once it is found."""
    known = {"the start": START, "vLLM's defaults": DEFAULTS, "mine": mine}
    return known if best is None else known | {"the best": best}
