"""Why Monday's customers miss, what would help them, and which limit binds: held against the engine's own words."""

from dataclasses import replace

import numpy as np
import pytest

from pages.ui import monday_limits, monday_misses, monday_queue
from pages.ui.ladder import rush
from pages.ui.monday_try import START, best_change, changes, kept, met
from pages.ui.served import server
from sim import MONDAY_TARGETS, Settings, Targets, simulate
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
        if one.cause in monday_misses.WAITS:
            assert one.seconds == pytest.approx(causes["queue_s"])
            assert one.seconds >= (request["ttft_s"] - causes["own_prefill_s"]) / 2
        if one.cause in monday_misses.OTHERS.values() and one.missed[0] == "time per token":
            assert one.seconds == pytest.approx(max(causes[name] for name in monday_misses.OTHERS))


def test_a_missed_freeze_is_explained_by_what_happened_in_it():
    settings, targets = (
        Settings(weight_bits=4),
        Targets(MONDAY_TARGETS.ttft_s, MONDAY_TARGETS.tpot_s, gap_s=0.3),
    )
    found = monday_misses.misses(settings, targets)
    assert len(found) == 21
    assert {one.froze for one in found} == {monday_misses.READ}
    lasts_s = run(settings).requests["longest_gap_s"]
    for one in found:
        if one.missed == ("freeze",):
            assert one.cause == monday_misses.READ
            assert 0.9 < one.seconds / lasts_s[one.customer - 1] <= 1
    told = monday_misses.summed_up(settings, targets)
    assert "others writing in the same passes" not in told
    assert "**18** missed the freeze; what made it was others' prompts, read in the same passes" in told
    helps = monday_misses.what_helps(settings, targets)
    assert "**tokens a pass, at most** at **512** keeps 23 instead of 3" in helps
    assert "tokens a pass" in monday_misses.KNOBS_FOR[monday_misses.READ]


def test_a_miss_of_two_kinds_says_what_made_the_freeze_where_that_is_another_cause():
    one = monday_misses.Miss(2, ("first word", "freeze"), monday_misses.TURN, 0.5, monday_misses.ASIDE)
    assert monday_misses.why(one).startswith(
        "missed the first word and freeze; what cost most was the wait for its turn in a pass; "
        "what made the freeze was being set aside for want of memory ({who})."
    )
    assert "tokens a pass, seats, bits, when memory runs out" in monday_misses.why(one)


def seated_at(settings, at_s):
    """Return how many hold memory at a moment, and how many blocks they hold, by the engine's own record."""
    changes = run(settings).memory
    last = changes[changes["at_s"] <= at_s].groupby("request")["blocks"].last()
    return int((last > 0).sum()), int(last.sum())


@pytest.mark.parametrize(
    "settings",
    [*TRIES, Settings(max_num_seqs=8), Settings(preemption="none"), Settings(kv_layout="reserve-pow2")],
)
def test_a_seat_was_waited_for_only_where_all_seats_were_taken(settings):
    edges_s, lacked = monday_queue.lacking(settings)
    total, times = run(settings).summary()["num_blocks"], run(settings).requests
    for at_s, lacks in zip((edges_s[:-1] + edges_s[1:]) / 2, lacked, strict=True):
        seated, blocks = seated_at(settings, at_s)
        assert (lacks == monday_queue.SEAT) == (seated >= settings.max_num_seqs)
        if lacks == monday_queue.ROOM and settings.kv_layout == "paged" and settings.preemption != "none":
            waiting = (times["arrival_s"] <= at_s) & (at_s < times["admitted_s"])
            prompt = rush().prompt_tokens[np.flatnonzero(waiting)[0]]
            assert -(-prompt // settings.block_size) > total - blocks
    if settings.max_num_seqs >= len(rush()):
        assert "wait for a seat" not in monday_misses.summed_up(settings, MONDAY_TARGETS)


def test_the_defaults_wait_for_room_and_eight_seats_for_a_seat():
    assert "the wait for room in memory" in monday_misses.summed_up(Settings(), MONDAY_TARGETS)
    told = monday_misses.summed_up(Settings(max_num_seqs=8), MONDAY_TARGETS)
    assert "the wait for a seat" in told
    assert "the wait for room" not in told
    assert set(monday_misses.KNOBS_FOR) >= {one.cause for one in monday_misses.misses(START, MONDAY_TARGETS)}


def test_the_longest_gap_is_between_the_pieces_that_are_held():
    blocks, first = np.array([3, 0, 2]), np.array([2, -1, 9])
    assert monday_queue.longest_gap(20, blocks, first) == 9
    assert monday_queue.longest_gap(12, blocks, first) == 4
    assert monday_queue.longest_gap(7, np.zeros(3, int), first) == 7


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
    assert "keeps 7 instead of 1" in monday_misses.what_helps(START, MONDAY_TARGETS)
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
