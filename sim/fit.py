"""Unit costs from a recorded run: four numbers with which the simulated server takes the recorded times.

Passes of real servers are linear in what is counted in them: a fixed time, tokens computed, KV tokens read,
and query-key pairs of prompts; the two clocks then add up (no overlap), and the weights are in the fixed time.
"""

from dataclasses import replace
from threading import Event as Flag

import numpy as np
import pandas as pd

from sim import expect
from sim.arrays import Seconds
from sim.costs import UnitCosts
from sim.exchange import Records
from sim.serve import serve
from sim.server import Server
from sim.settings import Settings
from sim.simplex import Point, lowest_point
from sim.summary import times_of
from sim.trace import Trace

MEASURES = ("ttft_s", "tpot_s", "e2e_s")
SMALLEST_S = 1e-15  # a cost of 0 has no logarithm
LARGEST_S = 1e3
# of the natural logarithm of each cost: up and down, and again, as a simplex may shrink too early
STEPS = (0.7, -0.7, 0.7, -0.7)
WEIGHT_OF_MEANS = 10  # against the errors of single requests
MOST_EVALUATIONS = 100_000


def fit_costs(
    trace: Trace,
    server: Server,
    settings: Settings,
    measured: pd.DataFrame,
    *,
    evaluations: int = 1200,
    cancel: Flag | None = None,
) -> UnitCosts:
    """Return the unit costs with which `server` comes closest to the `measured` seconds on `trace`.

    `measured` has a row a request, in the order of `trace`, and columns `ttft_s, tpot_s, e2e_s`; requests
    with NaN are served and not compared, nor is the TPOT of one token. Least squares of means and, weaker, of
    single requests, in shares of each mean, in about so many runs, from the server's own costs on (from
    counted ones where these are 0); a draft keeps its costs. One run seldom tells the four numbers apart:
    others may fit as well. Raises ValueError where nothing can be compared, and `CancelledError` soon after
    `cancel` is set.
    """
    for name, value, kind in (
        ("trace", trace, Trace),
        ("server", server, Server),
        ("settings", settings, Settings),
    ):
        expect.instance(name, value, kind)
    evaluations = expect.whole("evaluations", evaluations, most=MOST_EVALUATIONS)
    expect.flag("cancel", cancel)
    bits = (settings.weight_bits, settings.kv_bits)
    if bits != (16, 16):
        raise ValueError(
            f"settings: expected 16 bits, as unit costs are those of 16 bits, got {bits}; fit such a run."
        )
    target = _targets(trace, measured)
    _check_served(serve(trace, server, settings, cancel=cancel).requests, target)

    def distance(logarithms: Point) -> float:
        costly = replace(server, costs=_costs_at(logarithms))
        times = vars(times_of(trace, serve(trace, costly, settings, cancel=cancel).requests))
        return sum(_distance(times[name], seconds) for name, seconds in target.items())

    point = _start(server, settings)
    for step in STEPS:
        point = lowest_point(distance, point, step=step, evaluations=-(-evaluations // len(STEPS)))
    return _costs_at(point)


def _targets(trace: Trace, measured: pd.DataFrame) -> dict[str, Seconds]:
    """Return the measured columns [n_requests], or raise ValueError."""
    expect.instance("measured", measured, pd.DataFrame)
    columns = list(measured.columns)
    if any(columns.count(name) != 1 for name in MEASURES) or len(measured) != len(trace):
        raise ValueError(
            f"measured: expected columns {', '.join(MEASURES)}, each once, and a row for each of {len(trace):,} "
            f"requests, got {', '.join(map(str, columns)) or 'no column'} and {len(measured):,} rows."
        )
    target = {name: _seconds(name, measured[name]) for name in MEASURES}
    target["tpot_s"] = np.where(trace.output_tokens > 1, target["tpot_s"], np.nan)
    for name, seconds in target.items():
        total_s = np.nansum(seconds)
        if not total_s >= expect.SHORTEST_S:
            raise ValueError(
                f"measured[{name!r}]: expected some seconds above 0 (TPOT: of replies of two tokens or more), "
                f"got {total_s:g} in all; fit a run in which they were measured."
            )
    return target


def _seconds(name: str, column: "pd.Series[float]") -> Seconds:
    """Return a measured column, NaN where nothing was measured, or raise ValueError."""
    known = column.where(column.notna(), np.nan).infer_objects() if column.dtype == object else column
    if getattr(known.dtype, "kind", "O") not in "iuf":
        raise ValueError(f"measured[{name!r}]: expected numbers of seconds, got {column.dtype} values.")
    seconds: Seconds = np.asarray(known.to_numpy(np.float64, na_value=np.nan))
    wrong = ~(np.isnan(seconds) | ((seconds >= 0) & (seconds <= expect.LONGEST_S)))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(
            f"measured[{name!r}]: expected seconds from 0 to {expect.LONGEST_S:,.0f}, or NaN, "
            f"got {seconds[row]:g} in row {row:,}."
        )
    return seconds


def _check_served(requests: Records, target: dict[str, Seconds]) -> None:
    """Raise ValueError where the server would reject a request that was measured."""
    compared = ~np.all([np.isnan(column) for column in target.values()], axis=0)
    rejected = np.flatnonzero(compared & (requests["rejected"] == 1))
    if len(rejected):
        raise ValueError(
            f"measured: expected requests that the server can serve, got {len(rejected):,} that it rejects, "
            f"the first in row {rejected[0]:,}; correct max_model_len or the server's blocks."
        )


def _start(server: Server, settings: Settings) -> Point:
    """Return the logarithms from which the search starts; a cost of 0 would never leave it."""
    given, counted = (_four(each.unit_costs(settings)) for each in (server, replace(server, costs=None)))
    return np.asarray(np.log(np.maximum(np.where(given > SMALLEST_S, given, counted), SMALLEST_S)))


def _four(costs: UnitCosts) -> Point:
    """Return the four costs: all that a pass costs whatever is in it counts as its fixed time."""
    fixed_s = costs.pass_s + costs.weight_s + costs.expert_s
    return np.array([fixed_s, costs.token_s, costs.kv_token_s, costs.pair_s])


def _costs_at(logarithms: Point) -> UnitCosts:
    bounded = np.clip(logarithms, np.log(SMALLEST_S), np.log(LARGEST_S))
    return UnitCosts(*np.exp(bounded).tolist())


def _distance(simulated: Seconds, measured: Seconds) -> float:
    """Return the squared errors in shares of the measured mean; what was not measured is left out."""
    known = ~np.isnan(measured)
    errors = (simulated[known] - measured[known]) / measured[known].mean()
    return float((errors**2).mean() + WEIGHT_OF_MEANS * errors.mean() ** 2)
