"""The search and what is made of it: counts, ties, what mattered, and cards, against the engine's own frame."""

import threading
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from pages.ui import bits_quoted, cards_front, knobs_mattered, monday_counts, monday_figures, monday_search
from pages.ui.ladder import rush
from pages.ui.monday_found import (
    accepted,
    in_page_order,
    named_numbers,
    result,
    settings_of,
    shared,
    side_by_side,
    ties_numbers,
)
from pages.ui.monday_knobs import KNOBS, NAMES, thousands
from pages.ui.monday_try import CUSTOMERS, DEFAULTS, START, best_change, kept, named
from pages.ui.monday_wish import Wish
from pages.ui.plan_held import others
from pages.ui.served import server
from pages.ui.weight_quality import told as quality
from sim import MONDAY_KNOBS, MONDAY_SPACE, MONDAY_TARGETS, QUOTED, Settings, Targets, search, simulate
from sim.other_mondays import on_target_counts

pytestmark = pytest.mark.slow  # left to dev.py test


WISHES = [
    Wish(),
    Wish(8),
    Wish(16, may_guess=False),
    Wish(4, only_today=True),
    Wish(16, False, only_today=True),
]


@pytest.fixture(scope="module")
def found():
    return monday_search.find(MONDAY_TARGETS, lambda words, share: None)


def test_every_setting_of_the_grid_is_tried(found):
    assert len(found.frame) == monday_figures.num_settings() >= 20_000
    again = search(rush(), server(), MONDAY_SPACE, MONDAY_TARGETS, base=Settings())
    np.testing.assert_array_equal(found.frame["on_target"], again["on_target"])


def test_the_best_is_on_no_edge_and_keeps_nearly_all(found):
    best = result(found, Wish())
    assert 22 <= best.most == kept(best.best) < CUSTOMERS
    assert best.most > best_change(START).kept
    assert int(monday_figures.of_the_search(best, START)["largest"]) < best.most


@pytest.mark.parametrize("wish", WISHES)
def test_what_is_accepted_is_all_that_was_wished_for(found, wish):
    told = result(found, wish)
    frame = found.frame[accepted(found.frame, wish)]
    assert told.counts.sum() == len(frame)
    assert told.all_counts.sum() == len(found.frame)
    assert (frame["weight_bits"] >= wish.fewest_bits).all()
    assert wish.may_guess or (frame["num_speculative_tokens"] == 0).all()
    assert not wish.only_today or frame["exists_today"].all()
    assert told.most == frame["on_target"].max() == kept(told.best)
    assert len(told.ties) == (frame["on_target"] == told.most).sum() == told.counts[told.most]
    assert told.better_than(START) == (frame["on_target"] > kept(START)).sum()


@pytest.mark.parametrize("wish", WISHES)
def test_ties_are_ordered_by_how_they_hold_then_by_closeness_to_the_defaults(found, wish):
    ties = result(found, wish).ties
    keys = [(-row.others_tried, -row.others_held, -row.others_mean, row.unlike) for row in ties.itertuples()]
    assert keys == sorted(keys)
    best = result(found, wish).best
    counts = on_target_counts(others(), server(), [best], MONDAY_TARGETS)
    assert (counts >= result(found, wish).most).sum() == ties["others_held"].iloc[0]
    unlike = sum((ties[name] != getattr(DEFAULTS, name)).astype(int) for name in NAMES)
    assert unlike.tolist() == ties["unlike"].tolist()


@pytest.mark.parametrize("wish", WISHES)
def test_the_space_of_a_wish_is_what_it_accepts(found, wish):
    frame = found.frame[accepted(found.frame, wish)]
    for name, values in wish.space.items():
        assert set(frame[name]) == set(values), name


def test_another_order_of_ties_can_be_given(found):
    backwards = result(found, Wish(), backward)
    assert backwards.best == settings_of(result(found, Wish(), same_order).ties.iloc[-1])


def test_the_csv_has_the_targets_and_stands_in_the_pages_order(found):
    told = result(found, Wish(8))
    table = in_page_order(told)
    assert list(table.columns[:3]) == ["target_first_word_s", "target_token_s", "target_freeze_s"]
    assert tuple(table.columns[3 : 3 + len(NAMES)]) == NAMES
    assert (table["target_first_word_s"] == MONDAY_TARGETS.ttft_s).all()
    assert len(table) == len(told.frame)
    assert table["on_target"].is_monotonic_decreasing
    for place in (0, len(told.ties) - 1):
        assert settings_of(table.iloc[place]) == settings_of(told.ties.iloc[place])


def test_the_best_of_today_is_the_best_that_engines_offer(found):
    told = result(found, Wish())
    today = found.frame[found.frame["exists_today"]]
    assert kept(told.best_today) == today["on_target"].max() <= told.most
    assert told.best_today.scheduler == "chunked"
    assert result(found, Wish(only_today=True)).best == told.best_today


def same_order(ties, targets):
    return ties


def backward(ties, targets):
    return ties.iloc[::-1]


@pytest.mark.parametrize("wish", WISHES)
def test_what_the_tied_share_is_what_they_have(found, wish):
    told = result(found, wish)
    allowed = found.frame[accepted(found.frame, wish)]
    lines = shared(told).splitlines()[2:]
    for knob, line in zip(KNOBS, lines, strict=True):
        name, among, never = line.strip("| ").split(" | ")
        used = {thousands(knob.words[value]) for value in told.ties[knob.field]}
        assert name.strip() == knob.name
        assert set(among.strip(" *").removeprefix("always ").split(", ")) == used
        rest = {thousands(knob.words[value]) for value in allowed[knob.field]} - used
        assert ("always" in among) == (len(used) == 1 and bool(rest))
        assert set(never.strip().split(", ")) == (rest or {"—"})
    assert len(ties_numbers(told)) == len(told.ties)


def test_putting_any_chapters_knob_back_costs_a_customer(found):  # (R)
    told = result(found, Wish())
    lost = {
        one.knob.field: told.most - one.then for one in knobs_mattered.put_back(told.best, MONDAY_TARGETS)
    }
    assert set(MONDAY_KNOBS.values()) <= set(lost)
    assert all(lost[name] >= 1 for name in MONDAY_KNOBS.values())
    for name, count in lost.items():
        back = replace(told.best, **{name: getattr(START, name)})
        assert told.most - count == simulate(rush(), server(), back, MONDAY_TARGETS).summary()["on_target"]


def test_a_knob_that_does_little_alone_can_cost_much_when_it_is_missing(found):
    told = result(found, Wish())
    assert any(
        one.alone == kept(START) and told.most - one.then >= 5
        for one in knobs_mattered.put_back(told.best, MONDAY_TARGETS)
    )


def test_what_a_knob_keeps_alone_is_held_back_with_the_guess(found):
    best = result(found, Wish()).best
    hidden, shown = (knobs_mattered.lost_numbers(best, MONDAY_TARGETS, told) for told in (False, True))
    assert "alone_requests" not in hidden
    assert shown["alone_requests"].max() == best_change(START).kept


def test_the_lanes_of_the_knobs_hold_what_is_left_and_what_is_lost(found):
    best = result(found, Wish()).best
    frame = knobs_mattered.lost_marks(best, MONDAY_TARGETS).to_pandas()
    left = frame.query("kind == 'left'")["x_end"].tolist()
    assert left == [one.then for one in knobs_mattered.put_back(best, MONDAY_TARGETS)] == sorted(left)
    assert (frame.query("kind == 'lost'")["x_end"] == kept(best)).all()


def test_the_bars_are_the_counts_and_the_named_stand_where_they_are(found):
    told = result(found, Wish(8))
    who = named(START, told.best)
    frame = monday_counts.count_marks(told, who).to_pandas()
    for kind, counts in (("all", told.all_counts), ("accepted", told.counts)):
        bars = frame[frame["kind"] == kind]
        some = counts.nonzero()[0]  # where no setting stands, no bar does: its outline would be a sliver
        assert told.all_counts.nonzero()[0].max() == told.most < CUSTOMERS
        assert bars["y"].tolist() == counts[some].tolist()
        assert ((bars["x"] + bars["x_end"]) / 2).round(6).tolist() == some.tolist()
        assert bars["y"].max() < frame[frame["kind"] == "named"]["y"].min()
    assert frame[frame["kind"] == "named"]["x"].tolist() == [kept(each) for each in who.values()]
    table = named_numbers(who, told)
    assert len(table) == len(KNOBS) + 1
    assert table["the_best"].tolist() == [*(knob.word_of(told.best) for knob in KNOBS), str(told.most)]
    beside = side_by_side(who, told)
    assert list(beside.columns) == list(who)
    assert beside.iloc[0].tolist() == [f"**{kept(each)}**" for each in who.values()]
    assert beside.loc["offered today"].tolist()[:2] == ["no", "yes"]
    assert len(beside) == len(KNOBS) + 2


def test_the_front_is_the_engines_runs_on_so_many_cards(found):
    told = result(found, Wish())
    who = named(START, told.best)
    table = cards_front.front_numbers(told, who, 2.0)
    for row in table.query('setting == "vLLM\'s defaults"').itertuples():
        there = replace(server(), replicas=row.cards)
        summary = simulate(rush(), there, DEFAULTS, MONDAY_TARGETS).summary()
        assert row.on_target_requests == summary["on_target"]
        assert row.hourly_dollars == 2.0 * row.cards
        hour = summary["goodput_per_s"] * 3600
        assert row.thousand_on_target_dollars == pytest.approx(row.hourly_dollars / hour * 1000)
    best = table.query("setting == 'the best'")["on_target_requests"]
    assert best.is_monotonic_increasing
    for cards in cards_front.CARDS:
        others = table[table["cards"] == cards]["on_target_requests"]
        assert others.max() == best.iloc[cards - 1]
    drawn = cards_front.front_marks(told, who, 2.0).to_pandas()
    assert drawn[drawn["kind"] == "best"]["y"].tolist() == best.tolist()


def test_the_defaults_need_more_cards_for_what_the_best_does_on_one(found):
    told = result(found, Wish())
    needed = cards_front.cards_to_match(told, DEFAULTS)
    assert needed == "2 cards"
    assert cards_front.cards_to_match(told, START) == "more than 4 cards"
    assert cards_front.cards_to_match(told, told.best) == "1 card"


def test_quality_is_quoted_or_said_to_be_missing():
    assert f"{QUOTED['gptq-opt-13b-4-bit'].value:.2f}" in quality(4)
    more = f"{bits_quoted.more_percent('opt-13b', 4, 'GPTQ'):.0f} % more"  # as chapter 4 has it
    assert more in quality(4).replace("\N{NO-BREAK SPACE}", " ")
    assert "prints no perplexity at 8 bits" in quality(8)
    assert f"{QUOTED['gptq-opt-13b-16-bit'].value:.2f}" in quality(16)


def test_other_targets_judge_the_same_runs_and_all_that_was_measured_is_there(found):
    targets = Targets(ttft_s=2.0, tpot_s=0.05, gap_s=0.2)
    other = monday_search.find(targets, lambda words, share: None)
    assert other.runs is found.runs
    again = search(rush(), server(), MONDAY_SPACE, targets, base=Settings())
    pd.testing.assert_frame_equal(other.whole(), again)
    np.testing.assert_array_equal(other.frame["on_target"], again["on_target"])


@pytest.fixture
def before_any_search(monkeypatch):
    monkeypatch.setattr(monday_search, "_runs", [])


@pytest.mark.usefixtures("before_any_search")
def test_a_search_that_is_given_up_leaves_nothing_behind_and_lets_the_next_one_in():
    targets = Targets(ttft_s=0.7, tpot_s=0.03)

    def leave(words, share):
        raise RuntimeError("the page was left")

    with pytest.raises(RuntimeError, match="the page was left"):
        monday_search.find(targets, leave)
    assert monday_search.already(targets) is None
    assert not monday_search._runs
    assert not [one for one in threading.enumerate() if "ThreadPool" in one.name]
    assert monday_search._turn.acquire(timeout=0)
    monday_search._turn.release()


def test_only_one_searches_at_a_time_and_the_other_is_told_and_can_leave():
    told = []

    def leave(words, share):
        told.append(words)
        raise RuntimeError("the page was left")

    with monday_search._turn, pytest.raises(RuntimeError, match="the page was left"):
        monday_search.find(Targets(ttft_s=0.7, tpot_s=0.03), leave)
    assert told == ["Another search is running; yours is next"]


@pytest.mark.usefixtures("before_any_search")
def test_more_cards_are_tried_when_they_are_first_asked_for():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(monday_search, "MONDAY_SPACE", {"max_num_seqs": (8,)})
        patch.setattr(monday_search, "COARSE_SPACE", {"max_num_seqs": (4, 8)})
        found = monday_search.look(MONDAY_TARGETS, lambda words, share: None)
        assert "more_cards" not in vars(found)
        assert [len(frame) for frame in found.more_cards.values()] == [2, 2, 2]


def test_few_searches_are_kept(found):
    before = dict(monday_search._kept)
    for number in range(monday_search.SEARCHES_KEPT + 2):
        monday_search.find(Targets(ttft_s=5.0 + number, tpot_s=0.03), lambda words, share: None)
    assert len(monday_search._kept) == monday_search.SEARCHES_KEPT
    monday_search._kept.clear()
    monday_search._kept.update(before)


@pytest.mark.usefixtures("before_any_search")
def test_progress_is_told_to_the_end(found):
    told = []
    targets = Targets(ttft_s=1.5, tpot_s=0.03)
    monday_search.find(targets, lambda words, share: told.append(share))
    assert told == sorted(told)
    assert told[-1] == 1.0
    monday_search._kept.pop(targets)


def test_with_fewer_right_guesses_the_best_can_keep_fewer(found):
    best = result(found, Wish()).best
    assert best.num_speculative_tokens > 0
    assert kept(replace(best, acceptance_rate=0.3)) < kept(best)
