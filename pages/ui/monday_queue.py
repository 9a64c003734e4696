"""What a customer waited for before it was let in: a seat, room in memory, or only its turn in a pass."""

from functools import lru_cache

import numpy as np

from pages.ui.charts import KEPT
from pages.ui.ladder import rush
from pages.ui.monday_try import attempt
from sim import Run, Settings
from sim.arrays import Counts, Seconds
from sim.memory import blocks_needed

SEAT, ROOM, TURN = range(3)


@lru_cache(maxsize=KEPT)
def waited_for(settings: Settings) -> tuple[int, ...]:
    """Return for each request what held it up for the longest part of its wait: `SEAT`, `ROOM` or `TURN`."""
    edges_s, lacked = lacking(settings)
    times, spans_s = attempt(settings).requests, np.diff(edges_s)
    waits = zip(times["arrival_s"].tolist(), times["admitted_s"].tolist(), strict=True)
    within = [(edges_s[:-1] >= begin_s) & (edges_s[1:] <= end_s) for begin_s, end_s in waits]
    return tuple(int(np.bincount(lacked[here], spans_s[here], 3).argmax()) for here in within)


@lru_cache(maxsize=KEPT)
def lacking(settings: Settings) -> tuple[Seconds, Counts]:
    """Return moments, [n + 1] seconds, and what the front of the queue lacked between each two of them, [n]."""
    run = attempt(settings)
    came_s, entered_s = (run.requests[name].to_numpy() for name in ("arrival_s", "admitted_s"))
    edges_s = np.unique(np.concatenate([came_s, entered_s[~np.isnan(entered_s)], run.memory["at_s"]]))
    at_s = (edges_s[:-1] + edges_s[1:]) / 2
    blocks, first = held(run, at_s)
    waits = (came_s[:, None] <= at_s) & (at_s < entered_s[:, None])
    need = np.where(waits.any(axis=0), to_enter(settings)[waits.argmax(axis=0)], 0)
    is_full = (blocks > 0).sum(axis=0) >= settings.max_num_seqs
    is_short = need > free(settings, run, blocks, first)
    return edges_s, np.where(is_full, SEAT, np.where(is_short, ROOM, TURN))


def held(run: Run, at_s: Seconds) -> tuple[Counts, Counts]:
    """Return the blocks that each request holds at moments, [n_requests, n], and the first of them (−1 if paged)."""
    blocks, first = (np.zeros((len(run.trace), len(at_s)), np.int64) for _ in range(2))
    names = ("request", "at_s", "blocks", "first_block")
    request, changed_s, *values = (run.memory[name].to_numpy() for name in names)
    for each in np.unique(request):
        its_own = request == each
        row = np.searchsorted(changed_s[its_own], at_s, side="right") - 1
        for into, column in zip((blocks, first), values, strict=True):
            into[each] = np.where(row >= 0, column[its_own][row], 0)
    return blocks, first


def to_enter(settings: Settings) -> Counts:
    """Return [n_requests] the blocks that must be free for each request to be let in."""
    prompts, outputs = rush().prompt_tokens.tolist(), rush().output_tokens.tolist()
    if settings.kv_layout == "paged" and settings.preemption != "none":
        return np.array([-(-prompt // settings.block_size) for prompt in prompts])
    each = zip(prompts, outputs, strict=True)
    return np.array([blocks_needed(prompt, output, settings) for prompt, output in each])


def free(settings: Settings, run: Run, blocks: Counts, first: Counts) -> Counts:
    """Return [n] the blocks free for one more: in one piece where they are reserved, unpromised where nobody leaves."""
    total = int(run.outcome.num_blocks)
    if settings.kv_layout != "paged":
        return longest_gap(total, blocks, first)
    if settings.preemption == "none":
        blocks = np.where(blocks > 0, to_enter(settings)[:, None], 0)
    return np.asarray(total - blocks.sum(axis=0))


def longest_gap(total: int, blocks: Counts, first: Counts) -> Counts:
    """Return the longest run of blocks of `total` that no request holds, at each moment of [n_requests, n]."""
    holds = blocks > 0  # [n_requests, n]
    starts = np.where(holds, first, total)  # who holds nothing begins and ends at the end
    ends = starts + np.where(holds, blocks, 0)
    edge = np.zeros((1, *blocks.shape[1:]), np.int64)
    begins = np.append(np.sort(starts, axis=0), edge + total, axis=0)
    gaps = begins - np.append(edge, np.sort(ends, axis=0), axis=0)  # [n_requests + 1, n]
    return np.asarray(gaps.max(axis=0))
