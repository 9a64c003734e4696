"""Which rows of a table are requests: whole positive token counts, and a time to arrive."""

import re
from typing import NamedTuple

import numpy as np

from sim.arrays import Chosen, Counts
from sim.expect import LARGEST_COUNT
from sim.trace_files.arrivals import Ticks, numbers, ticks
from sim.trace_files.table import Table

WITH_COMMA = re.compile(r"\s*[+-]?\d+(,\d+)+(\.\d*)?\s*")
COMMA_ADVICE = ", as there is a comma in the number (write 0.5, and 1000)"


class Requests(NamedTuple):
    """The rows that are requests [n_requests], in the order of the file; `ticks` is None without arrivals."""

    prompt_tokens: Counts
    output_tokens: Counts
    ticks: Ticks | None


def requests_of(table: Table) -> Requests:
    """Return the requests of a table; rows that are none are noted in it as dropped.

    Raises ValueError when no row is left.
    """
    prompts, outputs = numbers(table.cells["prompt"]), numbers(table.cells["output"])
    when = ticks(table.cells["arrival"]) if "arrival" in table.columns else None
    kept = np.ones(len(prompts), dtype=np.bool_)
    if when is not None:
        kept = _drop(table, kept, ~when.good, f"{table.columns['arrival']!r} is no time", "arrival")
    for role, counts in (("prompt", prompts), ("output", outputs)):
        wrong = ~((counts >= 0) & (counts <= LARGEST_COUNT) & (np.floor(counts) == counts))
        kept = _drop(table, kept, wrong, f"{table.columns[role]!r} is no whole number of tokens", role)
    kept = _drop(table, kept, prompts == 0, "the prompt has 0 tokens")
    kept = _drop(table, kept, outputs == 0, "the reply has 0 tokens, as a failed request's")
    if not kept.any():
        raise ValueError(f"expected at least one request, got none in {table.format}{_reasons(table)}.")
    when = None if when is None else Ticks(when.numbers[kept], when.good[kept], when.dated)
    return Requests(prompts[kept].astype(np.int64), outputs[kept].astype(np.int64), when)


def _drop(table: Table, kept: Chosen, wrong: Chosen, reason: str, role: str | None = None) -> Chosen:
    """Note the rows that are `wrong`; where `role` has a comma in its number, that is why."""
    for row in np.flatnonzero(kept & wrong).tolist():
        cell = table.cells[role][row] if role else None
        comma = isinstance(cell, str) and WITH_COMMA.fullmatch(cell)
        table.drop(f"{reason}{COMMA_ADVICE if comma else ''}", table.places[row])
    return kept & ~wrong


def _reasons(table: Table) -> str:
    """Return why rows were left out, as the end of a sentence."""
    reasons = [f"{len(places):,} × {reason}" for reason, places in table.dropped.items()]
    return f": {'; '.join(reasons)}" if reasons else ", which ends after its first line"
