"""Under changed assumptions everything is searched anew, and a change is exactly what it says."""

import threading
from dataclasses import replace

import numpy as np
import pytest

from sim import (
    MONDAY_SPACE,
    MONDAY_START,
    MONDAY_TARGETS,
    CancelledError,
    Settings,
    Targets,
    UnitCosts,
    larkspur_server,
    monday,
    search,
    simulate,
)
from sim.grid import grid_of
from sim.other_mondays import settings_of
from sim.stress import CHANGES, OFF, Change, changed, kinds, stress

SERVER = larkspur_server()
THREE = (Settings(weight_bits=4, num_speculative_tokens=2), MONDAY_START, Settings())
SPACE = MONDAY_SPACE | {"max_num_seqs": (6, 16, 256), "num_speculative_tokens": (0, 2, 3)}


@pytest.fixture(scope="module")
def told():
    return stress(monday(), SERVER, SPACE, MONDAY_TARGETS, THREE)


def test_each_change_has_the_winner_of_a_whole_search_under_it(told):
    assert [one.change for one in told] == list(CHANGES)
    for one in told:
        other = changed(SERVER, CHANGES[one.change])
        frame = search(monday(), other, SPACE, MONDAY_TARGETS)
        assert one.most == frame["on_target"].max()
        assert one.winner == settings_of(frame.head(1))[0]
        direct = [simulate(monday(), other, each, MONDAY_TARGETS).summary()["on_target"] for each in THREE]
        assert list(one.on_target) == direct
        assert [one.stays(place) for place in range(3)] == [count == one.most for count in direct]


def test_dearer_and_cheaper_go_their_ways(told):
    most = {one.change: one.most for one in told}
    normal = search(monday(), SERVER, SPACE, MONDAY_TARGETS)["on_target"].max()
    assert most["far dearer"] < most["dearer"] < normal <= most["cheaper"]
    assert most["added up"] <= most["overlapped"]


@pytest.mark.parametrize("times", [1 - OFF, 1 + OFF])
@pytest.mark.parametrize("settings", THREE)
def test_all_unit_costs_are_times_the_same(times, settings):
    other = changed(SERVER, Change(costs_times=times))
    for costs in ("unit_costs", "draft_unit_costs"):
        was, now = vars(getattr(SERVER, costs)(settings)), vars(getattr(other, costs)(settings))
        for name in ("pass_s", "token_s", "kv_token_s", "pair_s", "weight_s", "expert_s"):
            assert now[name] == pytest.approx(times * was[name], rel=1e-12)
        assert now["overlap"] == was["overlap"]
    assert other.num_blocks(settings) == SERVER.num_blocks(settings)
    assert other.block_move_s(settings) == pytest.approx(times * SERVER.block_move_s(settings))


def test_given_costs_change_as_counted_ones_do():
    given = UnitCosts(0.001, 1e-4, 1e-7, 1e-10, 0.01, overlap=0.3)
    server = replace(SERVER, costs=given, draft_costs=given)
    other = changed(server, Change(costs_times=1.2, overlap=1.0))
    for settings in THREE:
        assert other.unit_costs(settings).token_s == pytest.approx(1.2 * server.unit_costs(settings).token_s)
        assert other.unit_costs(settings).weight_s == pytest.approx(
            1.2 * server.unit_costs(settings).weight_s
        )
        assert other.unit_costs(settings).overlap == other.draft_unit_costs(settings).overlap == 1.0


def test_no_change_changes_nothing():
    assert changed(SERVER, Change()) == SERVER


def test_one_of_each_kind_is_enough_and_it_is_the_one_most_like_the_base():
    grid = grid_of(SPACE, Settings(), SERVER)
    few = kinds(grid, monday(), SERVER, Settings())
    assert len(few) < 0.5 * len(grid)
    assert few.unlike(Settings()).min() == 0
    assert (few.columns["preemption"] == "recompute").mean() > (
        grid.columns["preemption"] == "recompute"
    ).mean()


def test_targets_that_nobody_meets_have_a_winner_with_nobody():
    nobody = stress(monday(), SERVER, {"max_num_seqs": [4, 8]}, Targets(ttft_s=1e-6, tpot_s=1e-6), THREE)
    assert {one.most for one in nobody} == {0}
    assert all(one.stays(0) for one in nobody)


def test_it_can_be_given_up_and_tells_how_far_it_is():
    progress = []
    stress(
        monday(),
        SERVER,
        {"max_num_seqs": [4, 8]},
        MONDAY_TARGETS,
        THREE,
        progress=lambda *n: progress.append(n),
    )
    done = [at for at, _ in progress]
    assert done == sorted(done)
    assert progress[-1] == (10, 10)
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(CancelledError):
        stress(monday(), SERVER, SPACE, MONDAY_TARGETS, THREE, cancel=cancel)


def test_an_empty_space_is_refused():
    assert np.isfinite(OFF)
    with pytest.raises(ValueError, match="at least one value"):
        stress(monday(), SERVER, {"max_num_seqs": []}, MONDAY_TARGETS, THREE)
