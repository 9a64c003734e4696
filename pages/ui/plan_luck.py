"""Luck, seen: how all settings that tie on this Monday do on the other Mondays, which told none of them apart."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from sim import Server, Settings, Targets, Trace
from sim.alike import alike
from sim.other_mondays import columns_of, on_target_counts, settings_of

MOST_TRIED = 60  # kinds of tied settings; of more, as many are taken at even steps


@dataclass(frozen=True)
class Tied:
    """One of the tied settings, and how many are on target on each other Monday."""

    settings: Settings
    counts: tuple[int, ...]
    most: int  # that it has on this Monday, as all that tie

    @property
    def held(self) -> int:
        """Return on how many other Mondays as many are on target as here."""
        return sum(count >= self.most for count in self.counts)


@dataclass(frozen=True)
class Luck:
    """What tied settings come to elsewhere: how many kinds can differ, and those tried, best first."""

    kinds: int
    tried: tuple[Tied, ...]

    @property
    def best(self) -> Tied:
        """The one that holds on most other Mondays."""
        return self.tried[0]

    @property
    def middle(self) -> Tied:
        """The one in the middle; of two, the one that holds on fewer."""
        return self.tried[len(self.tried) // 2]

    @property
    def worst(self) -> Tied:
        """The one that holds on fewest other Mondays."""
        return self.tried[-1]


def luck_of(frame: pd.DataFrame, traces: Sequence[Trace], server: Server, targets: Targets) -> Luck:
    """Return how the settings do on `traces` that have most on target in `frame`, one of each kind that can differ."""
    most = int(frame["on_target"].max())
    rows = frame[frame["on_target"] == most]
    _, first = np.unique(alike(columns_of(rows), traces, server), return_index=True)
    steps = np.linspace(0, len(first) - 1, min(len(first), MOST_TRIED)).round().astype(int)
    settings = settings_of(rows.iloc[np.sort(first)[steps]])
    counts = on_target_counts(traces, server, settings, targets)
    pairs = zip(settings, counts.tolist(), strict=True)
    tried = [Tied(each, tuple(on_target), most) for each, on_target in pairs]
    return Luck(len(first), tuple(sorted(tried, key=lambda one: (-one.held, -sum(one.counts)))))
