"""What is told of a search, of two settings and of limits: every figure is a direct run's."""

from dataclasses import replace

import numpy as np
import pytest

from pages.ui import monday_figures, monday_limits, monday_misses, monday_results, monday_two
from pages.ui.ladder import rush
from pages.ui.monday_found import Result, result
from pages.ui.monday_search import find
from pages.ui.monday_try import DEFAULTS, START, changes, kept
from pages.ui.monday_wish import Wish
from pages.ui.served import server
from sim import MONDAY_TARGETS, Settings, Targets, simulate
from sim.other_mondays import settings_of

pytestmark = pytest.mark.slow  # left to dev.py test

NO_LIMIT, LIMIT = MONDAY_TARGETS, replace(MONDAY_TARGETS, gap_s=1.0)


def found(targets: Targets) -> Result:
    return result(find(targets, lambda words, share: None), Wish())


def freezes_s(settings: Settings) -> np.ndarray:
    return simulate(rush(), server(), settings).requests["longest_gap_s"].to_numpy()


def test_the_best_is_told_with_its_longest_freeze_and_what_of_the_ties_engines_offer() -> None:
    best = found(NO_LIMIT)
    told = monday_figures.of_the_search(best, START)
    assert told["best_freeze"] == f"{freezes_s(best.best).max():.2f} s"
    assert told["mine_freeze"] == f"{freezes_s(START).max():.2f} s"
    todays = [one for one in settings_of(best.ties) if monday_results.is_todays(one)]
    assert int(told["tied_today"].replace(",", "")) == len(todays)


def test_freezes_are_mentioned_where_nothing_limits_them_and_seats_where_some_stay_empty() -> None:
    for targets, passages in ((NO_LIMIT, {"found.freeze"}), (LIMIT, set())):
        best = found(targets)
        passages |= {"found.seats"} if best.best.max_num_seqs > len(rush()) else set()
        assert set(monday_results.what_it_hides(best)) == passages
    best = found(NO_LIMIT).best
    assert best.max_num_seqs > len(rush())
    np.testing.assert_array_equal(freezes_s(best), freezes_s(replace(best, max_num_seqs=len(rush()))))


def test_two_settings_are_told_with_whose_text_stands_still_for_longer() -> None:
    best = found(NO_LIMIT).best
    before_s, after_s = freezes_s(DEFAULTS), freezes_s(best)
    told = monday_two.told(("vLLM's defaults", "the best"), DEFAULTS, best, NO_LIMIT)
    assert f"for {(after_s > before_s).sum()} it stands still longer" in told
    assert f"up to {after_s.max():.2f} s, before up to {before_s.max():.2f} s" in told


def test_the_last_row_of_a_settings_limits_is_what_the_sentence_says() -> None:
    first, second = monday_limits.binding(DEFAULTS, NO_LIMIT)
    assert first
    assert second
    last = monday_limits.limit_numbers({"vLLM's defaults": DEFAULTS}, NO_LIMIT).iloc[-1]
    where, settings = monday_limits.LIMITS[first.limit]((server(), DEFAULTS))
    where, settings = monday_limits.LIMITS[second.limit]((where, settings))
    both = simulate(rush(), where, settings, NO_LIMIT).summary()["on_target"]
    assert last["then_requests"] == both
    assert f"as well, {both}." in monday_limits.told("vLLM's defaults", DEFAULTS, NO_LIMIT)


def test_changes_that_help_as_much_as_the_best_are_counted() -> None:
    settings = Settings(weight_bits=4, max_num_seqs=16)
    most = max(kept(change.settings) for change in changes(settings))
    as_good = sum(kept(change.settings) == most for change in changes(settings)) - 1
    assert as_good > 0
    told = monday_misses.what_helps(settings, NO_LIMIT)
    assert f"keeps {most} instead of {kept(settings)}; {as_good} other" in told
