"""Settings said to be alike serve every request alike; and enough of them are said to be, to save time."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from sim import (
    MONDAY_SPACE,
    MONDAY_TARGETS,
    Settings,
    Trace,
    larkspur_server,
    monday,
    mondays,
    search,
    simulate,
)
from sim.alike import alike, most_blocks
from sim.grid import grid_of
from sim.other_mondays import columns_of, listed, settings_of
from tests.sim.random_runs import servers, traces

pytestmark = pytest.mark.slow  # left to dev.py test


TIMES = (
    "ttft_mean_s",
    "tpot_mean_s",
    "e2e_mean_s",
    "longest_gap_mean_s",
    "e2e_p99_s",
    "on_target",
    "preemptions",
)
SMALL_SPACE = {
    "scheduler": ["request-level", "iteration-level", "prefill-first", "chunked"],
    "kv_layout": ["paged", "reserve-max", "reserve-pow2", "reserve-exact"],
    "preemption": ["recompute", "swap", "none"],
    "max_num_seqs": [1, 3, 5, 12, 100],
    "max_num_batched_tokens": [2, 16, 64],
}


def happened(trace, server, settings):
    requests = simulate(trace, server, settings).requests
    return requests[["admitted_s", "first_token_s", "finish_s", "preemptions", "status"]]


@given(st.data())
@hypothesis_settings(deadline=None)
def test_alike_settings_serve_every_request_alike(data):
    trace, server = data.draw(traces()), data.draw(servers(block_size=4))
    base = Settings(
        block_size=4,
        max_model_len=128,
        num_speculative_tokens=data.draw(st.integers(0, 2)),
        acceptance_rate=0.5,
    )
    grid = grid_of(SMALL_SPACE, base, server)
    numbers = alike(grid.columns, [trace], server)
    some = data.draw(st.integers(0, len(grid) - 1))
    same = np.flatnonzero(numbers == numbers[some])
    told = happened(trace, server, grid.setting(some))
    for other in np.random.default_rng(some).permutation(same)[:4].tolist():
        assert happened(trace, server, grid.setting(other)).equals(told), grid.setting(other)


@pytest.mark.parametrize("place", [None, 0, 1])
def test_alike_settings_have_equal_rows_in_mondays_search(place):
    traces = [monday()] if place is None else mondays(2)
    frame = search(traces[place or 0], larkspur_server(), MONDAY_SPACE, MONDAY_TARGETS)
    frame["kind"] = alike(columns_of(frame), traces, larkspur_server())
    assert frame["kind"].nunique() < 0.35 * len(frame)
    assert (frame.groupby("kind")[list(TIMES)].nunique() == 1).all().all()


def test_seats_beyond_the_requests_change_nothing_and_fewer_do():
    settings = [Settings(max_num_seqs=seats) for seats in (23, 24, 256)]
    assert len(set(alike(listed(settings).columns, [monday()], larkspur_server()).tolist())) == 2
    longer = Trace(np.arange(25) / 10, [500] * 25, [100] * 25)
    assert len(set(alike(listed(settings).columns, [monday(), longer], larkspur_server()).tolist())) == 3


def test_where_everyone_fits_layout_and_preemption_are_one_and_where_not_they_are_not():
    four_bits = [
        Settings(weight_bits=4, kv_layout=layout, preemption=preemption)
        for layout in ("paged", "reserve-exact", "reserve-pow2")
        for preemption in ("recompute", "none")
    ]
    sixteen = [Settings(preemption=preemption) for preemption in ("recompute", "none")]
    for settings, kinds in ((four_bits, 1), (sixteen, 2)):
        assert len(set(alike(listed(settings).columns, [monday()], larkspur_server()).tolist())) == kinds


def test_a_budget_too_small_for_two_prompts_reads_them_one_by_one():
    two = np.sort(monday().prompt_tokens)[:2].sum()
    settings = [
        Settings(scheduler="prefill-first", max_num_batched_tokens=int(b)) for b in (128, two - 1, two)
    ]
    first, second, third = alike(listed(settings).columns, [monday()], larkspur_server()).tolist()
    assert first == second != third


def test_most_blocks_are_the_sums_of_the_largest():
    trace = Trace([0.0, 1.0, 2.0], [10, 100, 33], [5, 40, 20])
    assert most_blocks("paged", 16, 0, 2048, [trace]).tolist() == [0, 9, 13, 14]
    assert most_blocks("reserve-max", 16, 0, 2048, [trace]).tolist() == [0, 128, 256, 384]
    assert most_blocks("reserve-pow2", 16, 0, 2048, [trace])[-1] == -(-164 // 16) - (-65 // 16) - (-18 // 16)


def test_settings_come_out_of_rows_as_they_went_in():
    frame = search(
        monday(), larkspur_server(), {"max_num_seqs": [8, 16], "weight_bits": [16, 4]}, MONDAY_TARGETS
    )
    settings = settings_of(frame)
    assert {(one.max_num_seqs, one.weight_bits) for one in settings} == {(8, 16), (16, 16), (8, 4), (16, 4)}
    assert settings == [listed(settings).setting(place) for place in range(len(settings))]
