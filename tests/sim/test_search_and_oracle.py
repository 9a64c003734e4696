"""A search against brute force: the stepped oracle serves every combination of a small grid of Monday's."""

from itertools import product

import numpy as np
import pytest

from sim import MONDAY_START, MONDAY_TARGETS, Settings, Targets, larkspur_server, monday, search
from tests.sim.oracle import oracle

pytestmark = pytest.mark.slow  # left to dev.py test


SPACE = {
    "scheduler": ("chunked", "request-level"),
    "kv_layout": ("paged", "reserve-max"),
    "max_num_seqs": (8, 24),
    "weight_bits": (16, 4),
    "num_speculative_tokens": (0, 2),
}


def on_target(settings, targets):
    """Count by hand the requests of the oracle's run whose waits are within the targets."""
    trace, run = monday(), oracle(monday(), larkspur_server(), settings)
    ttft_s = np.array(run.first_token_s) - trace.arrival_s
    tpot_s = (np.array(run.finish_s) - np.array(run.first_token_s)) / (trace.output_tokens - 1)
    gaps_s = np.array([np.diff(times).max() for times in run.token_times])
    met = (ttft_s <= targets.ttft_s) & (tpot_s <= targets.tpot_s)
    return int((met & (gaps_s <= (targets.gap_s or np.inf))).sum())


@pytest.fixture(scope="module", params=[MONDAY_TARGETS, Targets(ttft_s=2.0, tpot_s=0.05, gap_s=0.3)])
def both(request):
    frame = search(monday(), larkspur_server(), SPACE, request.param, base=MONDAY_START)
    every = [Settings(**dict(zip(SPACE, values, strict=True))) for values in product(*SPACE.values())]
    return frame, {settings: on_target(settings, request.param) for settings in every}


def test_the_best_is_the_best_of_brute_force_and_every_row_is_its_run(both):
    frame, stepped = both
    assert len(frame) == len(stepped)
    assert frame["on_target"].iloc[0] == max(stepped.values())
    for row in frame.itertuples():
        settings = Settings(**{name: getattr(row, name) for name in SPACE})
        assert row.on_target == stepped[settings]


def test_the_grid_has_settings_of_many_kinds(both):
    assert len(set(both[1].values())) >= 5
