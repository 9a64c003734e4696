"""Every setting of a space, run once: under other targets the same runs are only judged anew."""

from dataclasses import dataclass
from threading import Event as Flag

import numpy as np
import pandas as pd

from sim import expect
from sim.arrays import Counts, Seconds
from sim.compiler import compiled_rules
from sim.exchange import Columns, Records
from sim.grid import Grid, Space
from sim.search import Job, Progress, checked_grid, checked_threads, in_order, joined
from sim.server import Server
from sim.settings import Settings
from sim.summary import Times, judged, times_of
from sim.targets import Targets
from sim.trace import Trace

TIMES = "times_s"


@dataclass(frozen=True, eq=False)
class Tried:
    """The runs of a search: what targets do not change of them, and all times, of equal ones once."""

    grid: Grid
    base: Settings
    place: Counts  # [n_settings] in the grid, of what was finished
    summary: Columns  # [n_settings] each
    times: Times  # [n_kinds, n_requests] each
    which: Counts  # [n_settings] of these kinds

    def judged(self, targets: Targets) -> pd.DataFrame:
        """Return what `search` returns for these targets."""
        expect.instance("targets", targets, Targets)
        on_target = targets.met(**vars(self.times)).sum(axis=1)[self.which]
        return in_order(self.grid, self.place, judged(self.summary, on_target), self.base)


def try_all(
    trace: Trace,
    server: Server,
    space: Space,
    *,
    base: Settings | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
    cancel: Flag | None = None,
) -> Tried:
    """Run every setting of `space` as `search` does, and keep the times of all requests.

    They take 32 bytes a request and setting until equal ones are merged. Raises ValueError as `search` does; after
    `cancel` is set what was finished so far comes back.
    """
    base = Settings() if base is None else base
    threads = checked_threads(threads)
    grid = checked_grid(trace, server, space, base, progress, cancel)
    job = _Keeping(trace, server, grid, None, compiled_rules())
    place, columns = joined(job.run(threads, progress, cancel))
    kinds, which = _different(columns.pop(TIMES))
    return Tried(grid, base, place, columns, Times(*np.moveaxis(kinds, 1, 0)), which)


class _Keeping(Job):
    """The job of a search that keeps all times beside its summary: [n_settings, 4, n_requests]."""

    def sum_up(self, happened: Records, states: Records, served: int) -> Columns:
        times = np.stack([*vars(times_of(self.trace, happened)).values()], axis=1)
        return super().sum_up(happened, states, served) | {TIMES: times}


def _different(times: Seconds) -> tuple[Seconds, Counts]:
    """Return those of [n_settings, …] that differ in any bit, and which of them each setting has."""
    size = times[:1].nbytes
    if size == 0:
        return times, np.arange(len(times))
    bits = np.ascontiguousarray(times).reshape(len(times), -1).view(np.dtype((np.void, size))).ravel()
    _, first, which = np.unique(bits, return_index=True, return_inverse=True)
    return times[first], which
