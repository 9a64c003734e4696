"""Unit costs from a recorded run: four numbers with which the simulated server takes the recorded times.

Passes of real servers are linear in what is counted in them: a fixed time, tokens computed, KV tokens read,
and query-key pairs of prompts; the two clocks then add up (no overlap), and the weights are in the fixed time.
"""

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pandas as pd

from sim import expect
from sim.costs import UnitCosts
from sim.exchange import Records
from sim.serve import serve
from sim.server import Server
from sim.settings import Settings
from sim.simplex import lowest_point
from sim.summary import times_of
from sim.trace import Trace

MEASURES = ("ttft_s", "tpot_s", "e2e_s")
SMALLEST_S = 1e-15  # a cost of 0 has no logarithm
LARGEST_S = 1e3
STEPS = (
    0.7,
    -0.7,
) * 2  # of the natural logarithm of each cost; a simplex that shrank too early is spread again
WEIGHT_OF_MEANS = 10  # against the errors of single requests
Numbers = npt.NDArray[np.float64]


def fit_costs(
    trace: Trace, server: Server, settings: Settings, measured: pd.DataFrame, *, evaluations: int = 1200
) -> UnitCosts:
    """Return the unit costs with which `server` comes closest to the `measured` seconds on `trace`.

    `measured` has a row a request, in the order of `trace`, and columns `ttft_s, tpot_s, e2e_s`; requests
    with NaN are served and not compared. Least squares of means and, weaker, of single requests, in shares of
    each mean, from the server's own costs on, in about so many runs; a draft keeps its costs. One run seldom
    tells the four numbers apart: others may fit as well. Raises ValueError where nothing can be compared.
    """
    expect.whole("evaluations", evaluations)
    if (settings.weight_bits, settings.kv_bits) != (16, 16):
        raise ValueError("settings: expected 16 bits, as unit costs are those of 16 bits; fit such a run.")
    target = _targets(trace, measured)
    _check_served(serve(trace, server, settings).requests, target)

    def distance(logarithms: Numbers) -> float:
        requests = serve(trace, replace(server, costs=_costs_at(logarithms)), settings).requests
        times = vars(times_of(trace, requests))
        return sum(_distance(times[name], seconds) for name, seconds in target.items())

    point = _logarithms(server.unit_costs(settings))
    for step in STEPS:
        point = lowest_point(distance, point, step=step, evaluations=-(-int(evaluations) // len(STEPS)))
    return _costs_at(point)


def _targets(trace: Trace, measured: pd.DataFrame) -> dict[str, Numbers]:
    """Return the measured columns [n_requests], or raise ValueError."""
    expect.instance("measured", measured, pd.DataFrame)
    missing = [name for name in MEASURES if name not in measured]
    if missing or len(measured) != len(trace):
        raise ValueError(
            f"measured: expected columns {', '.join(MEASURES)} and a row for each of {len(trace):,} requests, "
            f"got {', '.join(map(str, measured.columns)) or 'no column'} and {len(measured):,} rows."
        )
    columns = {name: measured[name].to_numpy(np.float64) for name in MEASURES}
    for name, column in columns.items():
        if not np.nansum(column) > 0 or not np.all(np.isnan(column) | (np.isfinite(column) & (column >= 0))):
            raise ValueError(f"measured[{name!r}]: expected seconds of at least 0, some above, or NaN.")
    return columns


def _check_served(requests: Records, target: dict[str, Numbers]) -> None:
    """Raise ValueError where the server would reject a request that was measured."""
    compared = ~np.all([np.isnan(column) for column in target.values()], axis=0)
    rejected = np.flatnonzero(compared & (requests["rejected"] == 1))
    if len(rejected):
        raise ValueError(
            f"measured: expected requests that the server can serve, got {len(rejected):,} that it rejects, "
            f"the first in row {rejected[0]:,}; correct max_model_len or the server's blocks."
        )


def _logarithms(costs: UnitCosts) -> Numbers:
    """Return where the search starts: all that a pass costs whatever is in it counts as its fixed time."""
    fixed_s = costs.pass_s + costs.weight_s + costs.expert_s
    start = np.array([fixed_s, costs.token_s, costs.kv_token_s, costs.pair_s])
    return np.asarray(np.log(np.maximum(start, SMALLEST_S)))


def _costs_at(logarithms: Numbers) -> UnitCosts:
    bounded = np.clip(logarithms, np.log(SMALLEST_S), np.log(LARGEST_S))
    return UnitCosts(*np.exp(bounded).tolist())


def _distance(simulated: Numbers, measured: Numbers) -> float:
    """Return the squared errors in shares of the measured mean; what is NaN on either side is left out."""
    known = ~np.isnan(measured) & ~np.isnan(simulated)
    errors = (simulated[known] - measured[known]) / measured[known].mean()
    return float((errors**2).mean() + WEIGHT_OF_MEANS * errors.mean() ** 2)
