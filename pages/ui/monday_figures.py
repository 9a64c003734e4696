"""The figures that chapter 7's texts are filled with, and the try before the one that stands."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache, lru_cache

import numpy as np
import streamlit as st

from pages.ui import guess, link, monday_targets, numbers
from pages.ui.cards_front import cards_to_match
from pages.ui.charts import KEPT
from pages.ui.guess import Guess
from pages.ui.knobs_mattered import put_back
from pages.ui.monday_found import RESULTS_KEPT, Result
from pages.ui.monday_knobs import KNOBS, short
from pages.ui.monday_load import felt
from pages.ui.monday_try import CUSTOMERS, DEFAULTS, START, attempt, best_change, changes, kept
from pages.ui.plan_held import MONDAYS
from pages.ui.served import server
from sim import MONDAY_SPACE, MONDAY_TARGETS, Settings, Targets
from sim.grid import grid_of
from sim.other_mondays import FIRST_TRACES

CLOSE = 2  # customers: a guess this near is close
NUMBERS = ("max_num_seqs", "max_num_batched_tokens", "num_speculative_tokens")


@cache
def num_settings() -> int:
    """Return how many of the grid's settings can differ."""
    return len(grid_of(MONDAY_SPACE, Settings(), server()))


@cache
def figures() -> dict[str, str]:
    """Return the figures that hang on Monday alone."""
    best = best_change(START)
    others = [change.kept for change in changes(START) if change.knob != best.knob]
    return {
        "customers": str(CUSTOMERS),
        "start": str(kept(START)),
        "start_seats": str(START.max_num_seqs),
        "single": str(best.kept),
        "single_knob": best.knob.name,
        "single_value": best.knob.word_of(best.settings),
        "chapter_targets": monday_targets.told(MONDAY_TARGETS),
        "single_others": str(max(others)),
        "num_changes": str(len(changes(START))),
        "num_knobs": str(len(KNOBS)),
        "settings": f"{num_settings():,}",
        "mondays": str(MONDAYS),
        "few_mondays": str(FIRST_TRACES),
        "defaults_seats": str(DEFAULTS.max_num_seqs),
        "defaults_budget": f"{DEFAULTS.max_num_batched_tokens:,}",
        "defaults_bits": str(DEFAULTS.weight_bits),
    }


def verdict(made: Guess) -> str:
    """Return the passage that suits a guess: too many, or about right, or too few."""
    return guess.verdict(made.latest or 0, best_change(START).kept, CLOSE)


@lru_cache(maxsize=KEPT)
def of_the_try(mine: Settings, targets: Targets) -> dict[str, str]:
    """Return the figures of the reader's own setting."""
    requests = attempt(mine).requests
    return {
        "mine": str(kept(mine, targets)),
        "targets": monday_targets.told(targets),
        "goodput": felt(mine, targets)[1],
        "first_mean": f"{requests['ttft_s'].mean():.1f} s",
        "token_mean": f"{requests['tpot_s'].mean() * 1e3:.0f} ms",
    }


@lru_cache(maxsize=RESULTS_KEPT)
def of_the_search(result: Result, mine: Settings) -> dict[str, str]:
    """Return the figures of a search."""
    targets, best = result.found.targets, result.best
    largest = replace(best, **{name: max(MONDAY_SPACE[name]) for name in NUMBERS})
    costly = put_back(best, targets)
    return {
        "accepted": f"{int(result.counts.sum()):,}",
        "best": str(result.most),
        "best_today": str(kept(result.best_today, targets)),
        "plain": f"{int((result.ties['num_speculative_tokens'] == 0).sum()):,}",
        "best_freeze": longest_freeze(best),
        "best_seats": str(best.max_num_seqs),
        "mine_freeze": longest_freeze(mine),
        "tied": f"{len(result.ties):,}",
        "tied_today": f"{int(result.ties['exists_today'].sum()):,}",
        "better": f"{result.better_than(mine):,}",
        "median": str(int(np.searchsorted(np.cumsum(result.counts), result.counts.sum() / 2))),
        "best_start": str(kept(START, targets)),
        "best_defaults": str(kept(DEFAULTS, targets)),
        "best_single": str(best_change(START, targets).kept),
        "best_short": short(best, like=DEFAULTS),
        "largest": str(kept(largest, targets)),
        "costliest": costly[0].knob.name.partition(":")[0] if costly else "none",
        "costliest_left": str(costly[0].then) if costly else str(result.most),
        "cards_defaults": cards_to_match(result, DEFAULTS),
        "cards_start": cards_to_match(result, START),
        "acceptance": numbers.percent(best.acceptance_rate),
        "blocks": f"{attempt(best).outcome.num_blocks:,}",
        "block_size": str(best.block_size),
        "start_blocks": f"{attempt(START).outcome.num_blocks:,}",
    }


def longest_freeze(settings: Settings) -> str:
    """Return the longest time for which any text stands still under `settings`."""
    return f"{attempt(settings).requests['longest_gap_s'].max():.2f} s"


def reading(reader: str, result: Result, tell: Callable[[str], str]) -> str:
    """Return what the chapter shows in one reading; what does not hold of this search is left out."""
    told = of_the_search(result, result.best)
    parts = [tell(f"shows.{reader}")]
    if reader == "Product manager":
        parts += [tell("shows.together")] * (int(told["best_single"]) < result.most)
        parts += [tell("shows.smaller")] * (int(told["largest"]) < result.most)
    return f"{' '.join(parts)}\n\n{tell(f'ends.{reader}')}"


def last_try(mine: Settings) -> Settings | None:
    """Note the try that stands, and return the one before it; None at the first."""
    tries = st.session_state.setdefault(link.key("tries"), [mine])
    if tries[-1] != mine:
        tries[:] = [tries[-1], mine]
    return tries[0] if len(tries) > 1 else None
