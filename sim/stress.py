"""What is left of an answer when an assumption is off: unit costs, and how much of a pass hides."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Event as Flag
from types import MappingProxyType

import numpy as np

from sim.alike import alike
from sim.compiler import compiled_rules
from sim.costs import UnitCosts
from sim.grid import Grid, Space, grid_of
from sim.other_mondays import on_target_counts, settings_of
from sim.search import Job, Progress, ranked
from sim.serve import CancelledError
from sim.server import Server
from sim.settings import Settings
from sim.targets import Targets
from sim.trace import Trace


@dataclass(frozen=True)
class Change:
    """What is assumed otherwise: all unit costs times so much, and another overlap of the two clocks."""

    costs_times: float = 1.0
    overlap: float | None = None


OFF, FAR_OFF = 0.2, 0.4
CHANGES: Mapping[str, Change] = MappingProxyType(
    {
        "cheaper": Change(costs_times=1 - OFF),
        "dearer": Change(costs_times=1 + OFF),
        "far dearer": Change(costs_times=1 + FAR_OFF),
        "added up": Change(overlap=0.0),
        "overlapped": Change(overlap=1.0),
    }
)


@dataclass(frozen=True)
class Stressed:
    """An answer under one change: who wins then with how many on target, and how many the given settings keep."""

    change: str
    winner: Settings
    most: int
    on_target: tuple[int, ...]

    def stays(self, place: int) -> bool:
        """Return whether the setting at `place` of those given still has as many on target as any."""
        return self.on_target[place] >= self.most


def stress(
    trace: Trace,
    server: Server,
    space: Space,
    targets: Targets,
    settings: Sequence[Settings],
    *,
    base: Settings | None = None,
    progress: Progress | None = None,
    threads: int = 2,
    cancel: Flag | None = None,
) -> tuple[Stressed, ...]:
    """Return for each of `CHANGES` the best of `space` then, and how `settings` fare.

    Every setting of `space` that can differ on `trace` is run anew under each change. `progress(done, runs)`
    is called now and then. Raises CancelledError after `cancel` is set.
    """
    base = Settings() if base is None else base
    grid = kinds(grid_of(space, base, server), trace, server, base)
    told = []
    for number, (name, change) in enumerate(CHANGES.items()):
        other = changed(server, change)
        job = Job(trace, other, grid, targets, compiled_rules())
        frame = ranked(grid, job.run(threads, _shifted(progress, number, len(grid)), cancel), base)
        if frame.attrs["cancelled"]:
            raise CancelledError("The search under changed assumptions was given up.")
        kept = on_target_counts([trace], other, settings, targets, threads=1)[:, 0]
        winner, most = settings_of(frame.head(1))[0], int(frame["on_target"].iloc[0])
        told.append(Stressed(name, winner, max(most, *kept.tolist(), 0), tuple(kept.tolist())))
    return tuple(told)


def _shifted(progress: Progress | None, number: int, runs: int) -> Progress | None:
    if progress is None:
        return None
    return lambda done, _: progress(number * runs + done, len(CHANGES) * runs)


def kinds(grid: Grid, trace: Trace, server: Server, base: Settings) -> Grid:
    """Return of all settings that cannot differ on `trace` the one most like `base`; costs do not matter."""
    order = np.argsort(grid.unlike(base), kind="stable")
    numbers = alike(grid.columns, [trace], server)
    _, first = np.unique(numbers[order], return_index=True)
    kept = np.sort(order[first])
    return Grid({name: column[kept] for name, column in grid.columns.items()}, grid.left_out, grid.same)


def changed(server: Server, change: Change) -> Server:
    """Return `server` with every unit cost times `costs_times`, its draft's too, and the other overlap."""
    times = change.costs_times
    overlap = server.assumptions.overlap if change.overlap is None else change.overlap
    assumptions = replace(
        server.assumptions, overhead_s=server.assumptions.overhead_s * times, overlap=overlap
    )
    accelerator = replace(
        server.accelerator,
        bandwidth_bytes_per_s=server.accelerator.bandwidth_bytes_per_s / times,
        flops_per_s=server.accelerator.flops_per_s / times,
        link_bytes_per_s=server.accelerator.link_bytes_per_s / times,
    )
    return replace(
        server,
        assumptions=assumptions,
        accelerator=accelerator,
        costs=_times(server.costs, change),
        draft_costs=_times(server.draft_costs, change),
    )


def _times(costs: UnitCosts | None, change: Change) -> UnitCosts | None:
    """Return given unit costs as they would be under a change."""
    if costs is None:
        return None
    names = ("pass_s", "token_s", "kv_token_s", "pair_s", "weight_s", "expert_s")
    scaled = {name: getattr(costs, name) * change.costs_times for name in names}
    return replace(costs, overlap=costs.overlap if change.overlap is None else change.overlap, **scaled)
