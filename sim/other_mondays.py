"""How settings hold on other traces of the same kind: a setting chosen for one Monday can be its luck."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from threading import Event as Flag
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from sim.alike import alike
from sim.arrays import Counts
from sim.compiler import compiled_rules
from sim.exchange import Columns
from sim.grid import FIELDS, Grid
from sim.search import Job, Progress
from sim.serve import CancelledError
from sim.server import Server
from sim.settings import Settings
from sim.summary import times_of
from sim.targets import Targets
from sim.trace import Trace

Known = dict[Settings, npt.NDArray[np.int16]]  # on target on the first traces, by setting
UNKNOWN = np.empty(0, dtype=np.int16)
MOST_TRIED, FIRST_TRACES, MOST_KEPT = 600, 20, 24  # kinds of settings; of many, some traces pick the few


def on_target_counts(
    traces: Sequence[Trace],
    server: Server,
    settings: Sequence[Settings],
    targets: Targets,
    *,
    progress: Progress | None = None,
    threads: int = 2,
    cancel: Flag | None = None,
) -> Counts:
    """Return [n_settings, n_traces] how many requests are on target, each setting on each trace.

    `progress(done, runs)` is called now and then. Raises CancelledError after `cancel` is set.
    """
    counts = np.zeros((len(settings), len(traces)), dtype=np.int64)
    if counts.size == 0:
        return counts
    grid, rules, all_of_them = listed(settings), compiled_rules(), range(len(settings))
    states, costs = Job(traces[0], server, grid, targets, rules).inputs(all_of_them)
    stop = rules.numbers(1)

    def serve(trace: Trace) -> Any:
        job = Job(trace, server, grid, targets, rules)
        times = times_of(trace, job.happened(deepcopy(states), costs, all_of_them, stop))
        return targets.met(**vars(times)).sum(axis=1)

    with ThreadPoolExecutor(threads) as pool:
        try:
            for place, column in enumerate(pool.map(serve, traces)):
                if cancel is not None and cancel.is_set():
                    raise CancelledError("The runs on other traces were given up.")
                counts[:, place] = column
                if progress is not None:
                    progress((place + 1) * len(settings), counts.size)
        finally:
            stop[0] = 1  # whatever went wrong, let no thread go on
    return counts


def order_ties(
    frame: pd.DataFrame,
    traces: Sequence[Trace],
    server: Server,
    targets: Targets,
    *,
    slack: int = 0,
    base: Settings | None = None,
    progress: Progress | None = None,
    threads: int = 2,
    cancel: Flag | None = None,
    known: Known | None = None,
) -> pd.DataFrame:
    """Return the rows of a search at most `slack` below its most on target, by how they hold on `traces`.

    Adds `others_held` (traces on which at least as many are on target as the best has in the search),
    `others_mean` (requests on target), `others_tried` (traces run) and `unlike` (fields unlike `base`, vLLM's
    defaults). Order: held, mean, fewer fields unlike `base`, then the order of `frame`. Of settings that
    cannot differ one is run. Where there are many kinds, the first traces pick those that are run on all;
    the others follow behind with what the first traces say, or NaN. `known` holds what was run before on the
    same traces, server and targets, and is added to; none of it is run again.
    """
    most = int(frame["on_target"].max()) if len(frame) else 0
    rows = frame[frame["on_target"] >= most - slack]
    kind = alike(columns_of(rows), traces, server)
    _, first = np.unique(kind, return_index=True)
    tried = np.sort(first)[:MOST_TRIED]
    say = _Counter(rows, {} if known is None else known, server, targets, progress, threads, cancel)
    held = dict.fromkeys(np.sort(first).tolist(), (np.nan, np.nan, 0))
    if len(tried) > MOST_KEPT:
        few = traces[:FIRST_TRACES]
        held |= say.of(tried, few, most)
        tried = np.array(sorted(tried.tolist(), key=lambda place: held[place], reverse=True)[:MOST_KEPT])
    held |= say.of(tried, traces, most)
    return ordered(rows, np.array([held[place] for place in first.tolist()])[kind], base or Settings())


class _Counter:
    """Counts of rows of a search on traces, told as one progress; what is known is not run again."""

    def __init__(self, rows: pd.DataFrame, known: Known, *rest: Any) -> None:
        self.rows, self.known = rows, known
        self.server, self.targets, self.progress, self.threads, self.cancel = rest

    def of(self, places: Counts, traces: Sequence[Trace], most: int) -> dict[int, tuple[float, float, int]]:
        """Return for each of `places` the traces held, the mean on target, and the traces run."""
        counts = self.counts(settings_of(self.rows.iloc[places]), traces)
        means = counts.mean(axis=1) if counts.size else np.full(len(counts), np.nan)
        held = (counts >= most).sum(axis=1)
        told = zip(places.tolist(), held.tolist(), means.tolist(), strict=True)
        return {place: (kept, mean, len(traces)) for place, kept, mean in told}

    def counts(self, settings: list[Settings], traces: Sequence[Trace]) -> Counts:
        """Return [n_settings, n_traces] how many are on target, from what is known and what is run now."""
        have = {one: self.known.get(one, UNKNOWN)[: len(traces)] for one in settings}
        for begin in sorted({len(counts) for counts in have.values()} - {len(traces)}):
            lacking = [one for one, counts in have.items() if len(counts) == begin]
            for one, more in zip(lacking, self.run(lacking, traces[begin:]), strict=True):
                have[one] = np.append(have[one], more.astype(np.int16))
        new = {one: counts for one, counts in have.items() if len(counts) > len(self.known.get(one, UNKNOWN))}
        self.known.update(new)
        counted = [have[one] for one in settings]
        return np.array(counted, dtype=np.int64).reshape(len(settings), len(traces))

    def run(self, settings: list[Settings], traces: Sequence[Trace]) -> Counts:
        """Return [n_settings, n_traces] how many are on target, run now."""
        return on_target_counts(
            traces,
            self.server,
            settings,
            self.targets,
            progress=self.progress,
            threads=self.threads,
            cancel=self.cancel,
        )


def ordered(rows: pd.DataFrame, held: npt.NDArray[np.float64], base: Settings) -> pd.DataFrame:
    """Return `rows` with what was found out of each, [n_rows, 3], the one that holds on most first."""
    columns = columns_of(rows)
    unlike = Grid(columns, {}, 0).unlike(base)
    told = held.reshape(len(rows), 3)
    keys = (np.arange(len(rows)), unlike, -told[:, 1], -told[:, 0], -told[:, 2])
    rows = rows.assign(
        others_held=told[:, 0], others_mean=told[:, 1], others_tried=told[:, 2].astype(int), unlike=unlike
    )
    return rows.iloc[np.lexsort(keys)].reset_index(drop=True)


def listed(settings: Sequence[Settings]) -> Grid:
    """Return a grid of just these settings, in this order."""
    return Grid({name: np.array([getattr(one, name) for one in settings]) for name in FIELDS}, {}, 0)


def columns_of(rows: pd.DataFrame) -> Columns:
    """Return the fields of settings in rows of a search, [n_rows] each, as a grid has them."""
    return {name: np.array(rows[name].tolist()) for name in FIELDS}


def settings_of(rows: pd.DataFrame) -> list[Settings]:
    """Return the settings of rows of a search."""
    values = zip(*(rows[name].tolist() for name in FIELDS), strict=True)
    return [Settings(**dict(zip(FIELDS, row, strict=True))) for row in values]
