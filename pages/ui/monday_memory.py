"""Monday's rush under each way of giving out memory: who holds which blocks, and how full they are, at any moment."""

from dataclasses import dataclass
from functools import cache

import numpy as np

from pages.ui.served import server
from sim import Run, Settings, monday, simulate
from sim.arrays import Counts, Seconds
from sim.memory import blocks_needed

LAYOUTS = {"Max": "reserve-max", "Pow2": "reserve-pow2", "exact": "reserve-exact", "paged": "paged"}
RESERVED = ("Max", "Pow2", "exact")
EDGE_S = 18.0  # all layouts are done by then
FINE_S = 0.005  # steps of the means over time
KINDS = ("holds text", "not used yet", "never used", "rest of last blocks", "free")


@dataclass(frozen=True)
class Held:
    """Blocks and tokens that each request holds at each moment, [n_requests, n_moments], and how many wait."""

    blocks: Counts
    tokens: Counts
    waiting: Counts  # [n_moments]

    @property
    def seated(self) -> Counts:
        """Requests that hold memory, [n_moments]."""
        return np.asarray((self.blocks > 0).sum(axis=0))


def settings(layout: str) -> Settings:
    """Return the settings under which a layout is shown: the usual ones, and memory given out that way."""
    return Settings(kv_layout=LAYOUTS[layout])


@cache
def monday_run(layout: str) -> Run:
    """Return Monday's run under a layout."""
    return simulate(monday(), server(), settings(layout))


@cache
def num_blocks() -> int:
    """Return the KV blocks of Larkspur's server."""
    return server().num_blocks(Settings())


@cache
def seats_promised() -> int:
    """Return how many requests fit when each is promised the longest length in one piece."""
    return num_blocks() // blocks_needed(1, 1, settings("Max"))


def held_at(layout: str, at_s: Seconds) -> Held:
    """Return what every request holds at moments `at_s`; inside an event of equal passes text grows by one a pass."""
    run = monday_run(layout)
    start_s, end_s, passes = (run.passes[name].to_numpy() for name in ("start_s", "end_s", "passes"))
    event = np.searchsorted(start_s, at_s, side="right") - 1
    pass_s = ((end_s - start_s) / passes)[event]
    over = at_s >= end_s[event]
    shape = (len(run.trace), len(at_s))
    blocks, tokens = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    for _, rows in run.memory.groupby("request"):
        request = int(rows["request"].iloc[0])
        change_s, held, filled = (rows[name].to_numpy() for name in ("at_s", "blocks", "tokens"))
        row = np.searchsorted(change_s, at_s, side="right") - 1
        seen = (row >= 0) & (held[row] > 0)
        grows = (passes[event] > 1) & (change_s[row] >= start_s[event]) & ~over
        since = np.floor((at_s - change_s[row]) / pass_s + 1e-6).astype(np.int64)
        blocks[request] = np.where(seen, held[row], 0)
        tokens[request] = np.where(seen, filled[row] + grows * since, 0)
    return Held(blocks, tokens, present_at(run, at_s) - np.asarray((blocks > 0).sum(axis=0)))


def present_at(run: Run, at_s: Seconds) -> Counts:
    """Return how many requests of a run have come and are not done at moments `at_s`, [n_moments]."""
    come, done = (np.sort(run.requests[name].to_numpy()) for name in ("arrival_s", "finish_s"))
    return np.searchsorted(come, at_s, side="right") - np.searchsorted(done, at_s, side="right")


@cache
def rush_shares(layout: str) -> dict[str, float]:
    """Return how the KV memory is used on average while somebody waits: a share for each of `KINDS`."""
    at_s = np.arange(FINE_S / 2, EDGE_S, FINE_S)
    held = held_at(layout, at_s)
    trace, size, slots = monday(), Settings().block_size, num_blocks() * Settings().block_size
    final = trace.prompt_tokens + trace.output_tokens - 1  # the last token written is never read again
    final_slots = -(-final // size) * size
    promised = held.blocks * size  # [n_requests, n_moments]
    rest = promised - held.tokens
    is_seated = np.asarray(promised > 0, np.int64)
    not_yet = never = np.zeros_like(promised)
    if layout != "paged":
        not_yet = is_seated * (final[:, None] - held.tokens)
        never = is_seated * (promised - final_slots[:, None])
        rest = is_seated * (final_slots - final)[:, None]
    parts = (held.tokens, not_yet, never, rest)
    rush = held.waiting > 0
    shares = [float(part[:, rush].sum(axis=0).mean()) / slots for part in parts]
    return dict(zip(KINDS, [*shares, 1 - sum(shares)], strict=True))


@cache
def mean_seated(layout: str) -> float:
    """Return how many requests hold memory on average while somebody waits."""
    held = held_at(layout, np.arange(FINE_S / 2, EDGE_S, FINE_S))
    return float(held.seated[held.waiting > 0].mean())


@cache
def most_seated(layout: str) -> int:
    """Return how many requests hold memory at the fullest moment."""
    changes = np.unique(monday_run(layout).memory["at_s"].to_numpy())
    return int(held_at(layout, changes).seated.max())


def done_s(layout: str) -> float:
    """Return when the last of Monday's replies is complete, in seconds."""
    return float(monday_run(layout).requests["finish_s"].max())


@cache
def started_over() -> int:
    """Return how many times paged memory ran out on Monday, and a reply was set aside and started over."""
    return int(monday_run("paged").requests["preemptions"].sum())
