"""Every setting of a space, run on the same requests, best first."""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import islice
from threading import Event as Flag
from typing import Any

import numpy as np
import pandas as pd

from sim import expect
from sim.arrays import Counts
from sim.compiler import Rules, compiled_rules
from sim.exchange import Columns, Records, as_records, blank_seqs, cost_records, fill_columns, state_columns
from sim.grid import Grid, Space, grid_of
from sim.kernel.records import Event, Result, Row, State, dtype_of
from sim.serve import Room, check_guessing
from sim.server import Server
from sim.settings import Settings
from sim.summary import METHOD, summarize
from sim.targets import Targets
from sim.trace import Trace

RESULTS_AT_ONCE = 2**17  # requests × settings that one thread keeps before it sums them up
LOOK_S = 0.02  # between two looks at `cancel`
Progress = Callable[[int, int], None]


def search(
    trace: Trace,
    server: Server,
    space: Space,
    targets: Targets,
    *,
    base: Settings | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
    cancel: Flag | None = None,
) -> pd.DataFrame:
    """Return a row a setting: its fields, `exists_today`, and the summary of its run; the best first.

    `space` maps fields of `Settings` to values; `base` fills the others. More on target is better, then a
    lower mean E2E, then fewer fields unlike `base`, then the grid's own order, whatever `threads` (default:
    one a processor). Impossible combinations are left out and counted in `attrs["left_out"]` (by reason in
    `attrs["reasons"]`); of those that cannot differ one is run, the rest counted in `attrs["same"]`.
    `progress(done, settings)` is called now and then; after `cancel` is set the rows finished so far come
    back and `attrs["cancelled"]` is true. Raises ValueError for a space that makes no sense.
    """
    expect.instance("targets", targets, Targets)
    base = Settings() if base is None else base
    threads = checked_threads(threads)
    grid = checked_grid(trace, server, space, base, progress, cancel)
    job = Job(trace, server, grid, targets, compiled_rules())
    return ranked(grid, job.run(threads, progress, cancel), base)


def checked_threads(threads: int | None) -> int:
    """Return how many threads to use; None means one a processor."""
    return expect.whole("threads", (os.cpu_count() or 1) if threads is None else threads, most=1024)


def checked_grid(
    trace: Trace, server: Server, space: Space, base: Settings, progress: object, cancel: object
) -> Grid:
    """Return the grid of `space`; ValueError for what makes no sense, or runs without an end."""
    expect.instance("trace", trace, Trace)
    expect.instance("server", server, Server)
    expect.instance("base", base, Settings)
    expect.flag("cancel", cancel)
    if progress is not None and not callable(progress):
        raise ValueError(
            f"progress: expected a function of two numbers, or None, got {expect.shown(progress)}."
        )
    grid = grid_of(space, base, server)
    if len(grid):
        check_guessing(trace, grid.setting(int(np.argmax(grid.columns["num_speculative_tokens"]))))
    return grid


@dataclass(frozen=True, eq=False)
class Job:
    """What all threads of a search share."""

    trace: Trace
    server: Server
    grid: Grid
    targets: Targets | None  # None: summed up without being judged
    rules: Rules

    def run(self, threads: int, progress: Progress | None, cancel: Flag | None) -> list[tuple[int, Columns]]:
        """Return the first place and the summary of every piece of the grid that was finished."""
        stop = self.rules.numbers(1)
        pieces: list[tuple[int, Columns]] = []
        to_come, under_way = self.pieces(threads), set[Future[tuple[int, Columns]]]()
        done = 0
        with ThreadPoolExecutor(threads) as pool:
            try:
                while True:
                    if cancel is not None and cancel.is_set():
                        stop[0] = 1
                    if stop[0] == 0:
                        more = islice(to_come, 2 * threads - len(under_way))
                        under_way |= {pool.submit(self.serve, places, stop) for places in more}
                    if not under_way:
                        return pieces or [(0, self.nothing())]
                    ready, under_way = wait(under_way, LOOK_S, FIRST_COMPLETED)
                    pieces += [piece.result() for piece in ready]
                    done += sum(_length(piece) for piece in ready)
                    if ready and progress is not None:
                        progress(done, len(self.grid))
            finally:
                stop[0] = 1  # whatever went wrong, let no thread go on

    def pieces(self, threads: int) -> Iterator[range]:
        """Yield the places of settings that one call serves."""
        at_once = max(1, RESULTS_AT_ONCE // max(1, len(self.trace), self.server.replicas))
        size = max(1, min(at_once, -(-len(self.grid) // (4 * threads))))
        for first in range(0, len(self.grid), size):
            yield range(first, min(first + size, len(self.grid)))

    def serve(self, places: range, stop: Any) -> tuple[int, Columns]:
        """Return the first of `places` and the summary of those that were finished."""
        if stop[0] != 0:
            return places.start, self.nothing()
        states, costs = self.inputs(places)
        happened = self.happened(states, costs, places, stop)
        return places.start, self.sum_up(happened, as_records(State, states), len(happened))

    def happened(self, states: Any, costs: Any, places: range, stop: Any) -> Records:
        """Return what happened [n_finished, n_requests] under the settings at `places`; `states` are used up."""
        rules, guesses = self.rules, self.grid.columns["num_speculative_tokens"]
        room = Room.of(rules, self.trace, int(guesses[places.start : places.stop].max()))
        results = self.blank_results(len(places))
        served = rules.serve_many(
            states,
            costs,
            self.server.replicas,
            blank_seqs(rules, self.trace),
            *room.lists(),
            rules.records(Event, 0),
            rules.records(Row, 0),
            stop,
            2**62,
            results,
        )
        return np.stack([as_records(Result, result) for result in results])[:served]

    def inputs(self, places: range) -> tuple[Any, Any]:
        """Return states, one for each replica of each setting, and unit costs [settings, 2]."""
        settings = {name: column[places.start : places.stop] for name, column in self.grid.columns.items()}
        names = ("weight_bits", "kv_bits", "block_size", "num_speculative_tokens")
        keys = np.column_stack([settings[name] for name in names])
        _, first, which = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        kinds = [self.grid.setting(places[place]) for place in first.tolist()]
        blocks = np.array([self.server.num_blocks(kind) for kind in kinds])[which.ravel()]
        move_s = np.array([self.server.block_move_s(kind) for kind in kinds])[which.ravel()]
        states = self.rules.records(State, len(places) * self.server.replicas)
        columns = state_columns(settings, blocks, move_s)
        fill_columns(states, {name: np.repeat(each, self.server.replicas) for name, each in columns.items()})
        costs = [cost_records(self.rules, self.server, kind) for kind in kinds]
        all_costs = [costs[kind] for kind in which.ravel().tolist()]
        return states, np.stack(all_costs) if self.rules.compiled else all_costs

    def blank_results(self, settings: int) -> Any:
        """Return room for what happens to each request under each setting."""
        results = self.rules.records(Result, settings * len(self.trace))
        if self.rules.compiled:
            return results.reshape(settings, len(self.trace))
        return [results[n * len(self.trace) : (n + 1) * len(self.trace)] for n in range(settings)]

    def nothing(self) -> Columns:
        """Return the summary of no setting at all: its columns."""
        blank = np.empty((0, len(self.trace)), dtype=dtype_of(Result))
        return self.sum_up(blank, np.empty(0, dtype=dtype_of(State)), 0)

    def sum_up(self, happened: Records, states: Records, served: int) -> Columns:
        """Return the summary of each setting served."""
        peak = states["peak_blocks"].reshape(-1, self.server.replicas).max(axis=1)[:served]
        blocks = states["num_blocks"][:: self.server.replicas][:served]
        kept = {"num_blocks": blocks, "peak_kv_blocks": peak, "peak_kv_share": peak / blocks}
        return summarize(self.trace, happened, self.targets) | kept


def _length(piece: "Future[tuple[int, Columns]]") -> int:
    return len(piece.result()[1]["requests"])


def ranked(grid: Grid, pieces: list[tuple[int, Columns]], base: Settings) -> pd.DataFrame:
    """Return the frame of a search, best first."""
    return in_order(grid, *joined(pieces), base)


def joined(pieces: list[tuple[int, Columns]]) -> tuple[Counts, Columns]:
    """Return the places in the grid of what was finished, and its summary, both in the grid's order."""
    pieces = sorted(pieces, key=lambda piece: piece[0])
    place = np.concatenate([np.arange(first, first + len(each["requests"])) for first, each in pieces])
    return place, {name: np.concatenate([columns[name] for _, columns in pieces]) for name in pieces[0][1]}


def in_order(grid: Grid, place: Counts, summary: Columns, base: Settings) -> pd.DataFrame:
    """Return a row a setting at `place` in the grid, with its summary, best first."""
    frame = pd.DataFrame({name: column[place] for name, column in grid.columns.items()})
    today = (frame["scheduler"] == "chunked") & (frame["kv_layout"] == "paged")
    frame["exists_today"] = today & (frame["preemption"] == "recompute")
    keys = (place, grid.unlike(base)[place], summary["e2e_mean_s"], -summary["on_target"])
    frame = frame.assign(**summary).iloc[np.lexsort(keys)].reset_index(drop=True)
    frame.attrs = {
        "left_out": sum(grid.left_out.values()),
        "reasons": grid.left_out,
        "same": grid.same,
        "cancelled": len(place) < len(grid),
        "percentiles": METHOD,
    }
    return frame
