"""Why Monday's customers miss, what would help them, and which limit binds: held against the engine's own words."""

from dataclasses import replace

import numpy as np
import pytest

from pages.ui import monday_limits, monday_misses
from pages.ui.ladder import rush
from pages.ui.monday_try import START, best_change, changes, kept, met
from pages.ui.served import server
from sim import MONDAY_TARGETS, Targets, simulate
from tests.pages.ui.test_monday_try import BEST, FROZEN, TRIES, run


@pytest.mark.parametrize("settings", TRIES)
@pytest.mark.parametrize("targets", [MONDAY_TARGETS, FROZEN])
def test_every_miss_says_what_was_over_and_a_cause_of_the_engines_seconds(settings, targets):
    told, late = run(settings, targets).requests, run(settings).lateness()
    found = monday_misses.misses(settings, targets)
    assert [one.customer - 1 for one in found] == list(
        np.flatnonzero(~told["on_target"].to_numpy(dtype=bool))
    )
    for one in found:
        request, causes = told.loc[one.customer - 1], late.loc[one.customer - 1]
        over = {
            "first word": request["ttft_s"] > targets.ttft_s,
            "time per token": request["tpot_s"] > targets.tpot_s,
            "freeze": targets.gap_s is not None and request["longest_gap_s"] > targets.gap_s,
        }
        assert set(one.missed) == {name for name, is_over in over.items() if is_over}
        assert 0 < one.seconds <= causes.sum() + 1e-9
        if one.cause == monday_misses.SEAT:
            assert one.seconds == pytest.approx(causes["queue_s"])
            assert one.seconds >= (request["ttft_s"] - causes["own_prefill_s"]) / 2
        if one.cause in monday_misses.OTHERS.values() and "first word" not in one.missed:
            assert one.seconds == pytest.approx(max(causes[name] for name in monday_misses.OTHERS))


def test_the_change_that_helps_a_customer_puts_it_on_target():
    helped = 0
    for one in monday_misses.misses(START, MONDAY_TARGETS):
        change = monday_misses.change_for(one.customer - 1, START, MONDAY_TARGETS)
        on = [other for other in changes(START) if met(other.settings)[one.customer - 1]]
        assert (change is None) == (not on)
        if change is not None:
            helped += 1
            assert met(change.settings)[one.customer - 1]
            assert change.kept == max(other.kept for other in on)
    assert helped >= best_change(START).kept - kept(START)


def test_what_helps_is_said_only_where_it_helps():
    assert "it keeps 7 instead of 1" in monday_misses.what_helps(START, MONDAY_TARGETS)
    assert "No single change keeps more than 23" in monday_misses.what_helps(BEST, MONDAY_TARGETS)
    easy = Targets(ttft_s=2.0, tpot_s=0.05)
    assert monday_misses.what_helps(BEST, easy) == "Everyone is on target."
    assert monday_misses.summed_up(BEST, easy) == "Nobody missed."


@pytest.mark.parametrize("settings", TRIES)
def test_the_limit_that_binds_is_the_one_whose_lifting_keeps_most(settings):
    now, found = kept(settings), monday_limits.lifted(settings, MONDAY_TARGETS)
    first, second = monday_limits.binding(settings, MONDAY_TARGETS)
    assert [one.kept for one in found] == sorted((one.kept for one in found), reverse=True)
    assert (first is not None) == (found[0].kept > now)
    if second is not None:
        assert second.kept > first.kept > now
    fast = replace(server(), accelerator=replace(server().accelerator, flops_per_s=2 * 312e12))
    by_hand = simulate(rush(), fast, settings, MONDAY_TARGETS).summary()["on_target"]
    assert next(one.kept for one in found if one.limit == "arithmetic") == by_hand
