"""Reading a trace file: recognized by what is in it, checked row by row, with a note of every repair."""

import os
from typing import BinaryIO

import numpy as np
import pandas as pd

from sim import expect
from sim.arrays import Seconds
from sim.trace import Trace
from sim.trace_files.arrivals import PER_SECOND, Ticks, unit_of
from sim.trace_files.comma import read_csv
from sim.trace_files.json_text import read_json
from sim.trace_files.rows import requests_of
from sim.trace_files.table import Table
from sim.trace_files.text import read_text

SHOWN_PLACES = 5
PLURALS = {"line": "lines", "entry": "entries", "row": "rows", "request": "requests"}


def read_trace(
    path: str | os.PathLike[str] | BinaryIO,
    *,
    unit: str | None = None,
    rate_per_s: float | None = None,
    seed: int = 0,
) -> Trace:
    """Return the trace in a file (or an open binary file), its first arrival at 0 s.

    Reads Azure's traces of 2023 and 2024, BurstGPT, Mooncake, vLLM's detailed benchmark results, and tables
    (CSV, JSON, JSON Lines) with known column names. Its `notes` say the format, the unit, and every repair.
    `unit` (s, ms, us, ns) is that of arrivals which are numbers. Lengths without arrivals need `rate_per_s`:
    arrivals are then a Poisson process drawn from `seed`. Raises ValueError saying what was expected, what
    came, and what to do.
    """
    if unit is not None:
        expect.one_of("unit", unit, tuple(PER_SECOND))
    text = read_text(path)
    table = read_json(text) if text.lstrip()[0] in "{[" else read_csv(text)
    rate_to_draw_per_s = _checked_rate(table, rate_per_s)
    requests = requests_of(table)
    if requests.ticks is None:
        arrival_s, remarks = _poisson(len(requests.prompt_tokens), rate_to_draw_per_s, seed)
    else:
        arrival_s, remarks = _rebased(requests.ticks, table, unit)
    summary = f"Read as {table.format}: {_count(len(arrival_s), 'request')}."
    notes = [summary, *remarks, *_dropped(table), *table.remarks]
    return Trace(arrival_s, requests.prompt_tokens, requests.output_tokens, notes=notes)


def _checked_rate(table: Table, rate_per_s: float | None) -> float:
    """Return the rate to draw arrivals at, 0 where the file has arrivals; ValueError where neither fits."""
    names = ", ".join(repr(name) for name in table.columns.values())
    if "arrival" not in table.columns:
        if rate_per_s is None:
            raise ValueError(
                f"rate_per_s: expected requests a second, as this file has lengths and no arrivals ({names}), got "
                f"none; give a rate, such as rate_per_s=1, to draw arrivals from."
            )
        return expect.positive("rate_per_s", rate_per_s, least=1 / expect.LONGEST_S)
    if rate_per_s is not None:
        raise ValueError(
            f"rate_per_s: expected none, as this file has arrivals ({names}), got {rate_per_s!r}; leave it out."
        )
    return 0.0


def _poisson(num_requests: int, rate_per_s: float, seed: int) -> tuple[Seconds, list[str]]:
    expect.whole("seed", seed, least=0, most=2**32 - 1)
    gaps_s = np.random.default_rng(seed).exponential(1 / rate_per_s, num_requests)
    gaps_s[0] = 0.0
    remark = (
        f"The file has no arrivals: they were drawn as a Poisson process of {rate_per_s:g} requests a second, "
        f"seed {seed}."
    )
    return np.cumsum(gaps_s), [remark]


def _rebased(ticks: Ticks, table: Table, unit: str | None) -> tuple[Seconds, list[str]]:
    """Return seconds since the first arrival, and what was found out and done on the way."""
    first = ticks.numbers.min()
    if ticks.dated:
        per_second, shown = PER_SECOND["ns"], str(pd.Timestamp(int(first), tz="UTC"))
        remarks = ["Arrivals are dates, in UTC where they name no zone; they need no unit."]
    else:
        found = unit_of(ticks.numbers, table.columns["arrival"], table.unit, unit)
        per_second, remarks = PER_SECOND[found.unit], [found.remark]
        shown = str(int(first)) if first % 1 == 0 and abs(first) < 2**63 else repr(first.item())
    if first != 0:
        remarks.append(f"The first arrival, {shown}, is now 0 s.")
    late = int((ticks.numbers < np.maximum.accumulate(ticks.numbers)).sum())
    if late:
        remarks.append(f"Sorted by arrival: {_count(late, 'row')} stood after a later one.")
    return (ticks.numbers - first) / per_second, remarks


def _dropped(table: Table) -> list[str]:
    """Return a sentence for each reason to leave rows out: how many, and where the first stood."""
    sentences = []
    for reason, places in table.dropped.items():
        shown = ", ".join(f"{place:,}" for place in places[:SHOWN_PLACES])
        more = f" and {len(places) - SHOWN_PLACES:,} more" if len(places) > SHOWN_PLACES else ""
        where = table.place if len(places) == 1 else PLURALS[table.place]
        sentences.append(f"Left out {_count(len(places), 'row')}: {reason} ({where} {shown}{more}).")
    return sentences


def _count(count: int, what: str) -> str:
    return f"{count:,} {what if count == 1 else PLURALS[what]}"
