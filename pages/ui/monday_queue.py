"""What a customer waited for before it was let in: a seat, room in memory, or only its turn in a pass."""

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from pages.ui.charts import KEPT
from pages.ui.ladder import rush
from pages.ui.monday_try import attempt
from sim import Run, Settings
from sim.memory import blocks_needed

SEAT, ROOM, TURN = range(3)
Times = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]


def waited_for(settings: Settings, request: int) -> int:
    """Return what held a request up for the longest part of its wait: `SEAT`, `ROOM` or `TURN`."""
    edges_s, lacked = lacking(settings)
    times = attempt(settings).requests
    begin_s, end_s = float(times["arrival_s"].iloc[request]), float(times["admitted_s"].iloc[request])
    within = (edges_s[:-1] >= begin_s) & (edges_s[1:] <= end_s)
    return int(np.bincount(lacked[within], np.diff(edges_s)[within], 3).argmax())


@lru_cache(maxsize=KEPT)
def lacking(settings: Settings) -> tuple[Times, Counts]:
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


def held(run: Run, at_s: Times) -> tuple[Counts, Counts]:
    """Return the blocks that each request holds at moments, [n_requests, n], and the first of them (−1 if paged)."""
    blocks, first = (np.zeros((len(run.trace), len(at_s)), np.int64) for _ in range(2))
    for _, rows in run.memory.groupby("request"):
        row = np.searchsorted(rows["at_s"].to_numpy(), at_s, side="right") - 1
        for into, name in ((blocks, "blocks"), (first, "first_block")):
            into[int(rows["request"].iloc[0])] = np.where(row >= 0, rows[name].to_numpy()[row], 0)
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
        return np.array([longest_gap(total, *column) for column in zip(blocks.T, first.T, strict=True)])
    if settings.preemption == "none":
        blocks = np.where(blocks > 0, to_enter(settings)[:, None], 0)
    return np.asarray(total - blocks.sum(axis=0))


def longest_gap(total: int, blocks: Counts, first: Counts) -> int:
    """Return the longest run of blocks of `total` that no request holds."""
    order = np.argsort(first[blocks > 0])
    starts, sizes = first[blocks > 0][order], blocks[blocks > 0][order]
    return int((np.append(starts, total) - np.insert(starts + sizes, 0, 0)).max())
