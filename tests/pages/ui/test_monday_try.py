"""Monday by hand as values: what is drawn and said of one setting is what the engine's run says."""

from dataclasses import replace

import numpy as np
import pytest

from pages.ui import (
    cap_alone,
    monday_figures,
    monday_guess,
    monday_lanes,
    monday_load,
    monday_targets,
    monday_two,
    target_box,
)
from pages.ui.guess import Guess
from pages.ui.ladder import rush
from pages.ui.monday_knobs import BUDGET, GUESSES, KNOBS, NAMES, short
from pages.ui.monday_try import CUSTOMERS, DEFAULTS, START, attempt, best_change, changes, kept, met
from pages.ui.served import server
from sim import MONDAY_KNOBS, MONDAY_SPACE, MONDAY_TARGETS, Settings, Targets, simulate

BEST = Settings(weight_bits=4, num_speculative_tokens=2)
FROZEN = Targets(ttft_s=2.0, tpot_s=0.05, gap_s=0.3)
TRIES = [
    START,
    DEFAULTS,
    BEST,
    Settings(scheduler="prefill-first", max_num_seqs=64, kv_layout="reserve-exact"),
]
NOTHING = Guess(None, None, None, is_revealed=False)
SHOWN = Guess(20, 20, 20, is_revealed=True)


def run(settings, targets=MONDAY_TARGETS):
    return simulate(rush(), server(), settings, targets)


def test_the_knobs_are_those_of_the_search_and_have_a_word_for_every_value():
    assert set(NAMES) == set(MONDAY_SPACE)
    assert {knob.field: knob.chapter for knob in KNOBS}.items() >= {
        name: number for number, name in MONDAY_KNOBS.items()
    }.items()
    for knob in KNOBS:
        assert set(knob.words) == set(MONDAY_SPACE[knob.field])
        assert [knob.value_of(word) for word in knob.words.values()] == list(knob.words)
    assert short(DEFAULTS, like=DEFAULTS) == "nothing"
    assert "tokens a pass, at most: 2,048" in short(DEFAULTS)
    assert BUDGET.option_of(DEFAULTS) == "2048"  # what links say
    assert f"{DEFAULTS.acceptance_rate:.0%}".replace("%", " % of the guesses are right") in GUESSES.does
    assert short(BEST, like=DEFAULTS) == "bits of each weight: 4; guesses ahead, a pass: 2"


@pytest.mark.parametrize("settings", TRIES)
@pytest.mark.parametrize("targets", [MONDAY_TARGETS, FROZEN])
def test_who_is_on_target_is_the_engines_word(settings, targets):
    told = run(settings, targets)
    assert list(met(settings, targets)) == list(told.requests["on_target"])
    assert kept(settings, targets) == told.summary()["on_target"]


def test_the_guess_is_the_best_of_all_single_changes_and_less_than_half():  # (R)
    every = [
        run(replace(START, **{name: value})).summary()["on_target"]
        for name, values in MONDAY_SPACE.items()
        for value in values
        if value != getattr(START, name)
    ]
    assert len(changes(START)) == len(every)
    assert best_change(START).kept == max(every) < CUSTOMERS / 2
    assert sorted(one.kept for one in changes(START)) == sorted(every)
    figures = monday_figures.figures()
    assert figures["single_knob"] == "who is in the next pass"
    assert int(figures["single_others"]) == kept(START)  # each other knob, at its best, leaves as many as now


@pytest.mark.parametrize(
    ("latest", "passage"), [(20, "guess.over"), (24, "guess.over"), (7, "guess.close"), (0, "guess.under")]
)
def test_what_is_said_of_a_guess_suits_it(latest, passage):
    assert monday_figures.verdict(Guess(latest, latest, latest, is_revealed=True)) == passage


def test_the_best_change_is_an_empty_place_until_it_is_revealed():
    hidden = monday_guess.guess_lanes(replace(NOTHING, typed=20)).to_pandas().query("lane == 1")
    assert set(hidden["kind"]) == {"title", "empty", "note", "guess", "guess label left"}
    assert len(monday_guess.guess_numbers(NOTHING)) == 1
    assert str(best_change(START).kept) not in monday_guess.guess_alt(NOTHING)
    shown = monday_guess.guess_lanes(SHOWN).to_pandas().query("lane == 1 and kind == 'kept'")
    assert shown["x_end"].tolist() == [best_change(START).kept]
    assert len(monday_guess.guess_numbers(SHOWN)) == len(changes(START)) + 1


@pytest.mark.parametrize("settings", TRIES)
@pytest.mark.parametrize("targets", [MONDAY_TARGETS, FROZEN])
def test_every_customer_is_a_dot_where_the_run_puts_it(settings, targets):
    frame = target_box.box_marks(settings, START, targets).to_pandas()
    dots, requests = frame[frame["kind"].isin(["on target", "missed"])], run(settings, targets).requests
    np.testing.assert_allclose(dots["x"], requests["ttft_s"])
    np.testing.assert_allclose(dots["y"], requests["tpot_s"] * 1e3)
    np.testing.assert_array_equal(dots["kind"] == "on target", requests["on_target"])
    tails = frame.query("kind == 'tail'")
    np.testing.assert_allclose(tails["x"], run(START).requests["ttft_s"])
    np.testing.assert_allclose(tails[["x_end", "y_end"]], dots[["x", "y"]])
    (box,) = frame.query("kind == 'box'").to_dict("records")
    assert (box["x_end"], box["y_end"]) == (targets.ttft_s, targets.tpot_s * 1e3)
    inside = (dots["x"] <= box["x_end"]) & (dots["y"] <= box["y_end"])
    if targets.gap_s is None:
        assert list(inside) == list(dots["kind"] == "on target")
    score = frame.query("kind == 'score'")["label"].iloc[0]
    assert score == f"{requests['on_target'].sum()} of {CUSTOMERS}"
    assert score in target_box.box_alt(settings, START, targets)


def test_without_a_try_before_there_is_no_tail():
    assert "tail" not in set(target_box.box_marks(START, None, MONDAY_TARGETS).to_pandas()["kind"])


def test_no_setting_of_the_grid_leaves_the_picture():
    slowest = [
        Settings(scheduler="request-level", kv_layout="reserve-exact", max_num_seqs=4),
        Settings(scheduler="request-level", kv_layout="reserve-pow2", max_num_seqs=4),
        Settings(scheduler="prefill-first", max_num_seqs=128, max_num_batched_tokens=128),
    ]
    for settings in slowest:
        requests = run(settings).requests
        assert requests["ttft_s"].max() < target_box.MOST_S
        assert requests["tpot_s"].max() * 1e3 < target_box.MOST_MS
        assert requests["finish_s"].max() < monday_lanes.EDGE_S


@pytest.mark.parametrize("settings", TRIES)
def test_the_timeline_is_the_runs_segments_with_a_mark_at_every_end(settings):
    frame, told = monday_lanes.lanes(settings, MONDAY_TARGETS).to_pandas(), run(settings)
    states = ("waiting", "prefill", "decode", "stalled", "riding", "preempted")
    drawn = frame[frame["kind"].isin(states)]
    np.testing.assert_allclose(drawn[["x", "x_end"]], told.segments[["start_s", "end_s"]])
    np.testing.assert_array_equal(drawn["lane"], told.segments["request"] + 1)
    ends = frame[frame["kind"].isin(["on target", "missed"])]
    np.testing.assert_allclose(ends["x"], told.requests["finish_s"])
    np.testing.assert_array_equal(ends["kind"] == "on target", told.requests["on_target"])


def test_memory_is_drawn_as_the_engine_counts_it():
    frame = monday_load.load_marks(DEFAULTS).to_pandas().query("kind == 'used'")
    passes, told = run(DEFAULTS).passes, run(DEFAULTS).summary()
    np.testing.assert_allclose(frame["y"].iloc[:-1], passes["kv_blocks"] / told["num_blocks"] * 100)
    assert frame["y"].iloc[-1] == 0
    assert f"{told['peak_kv_share']:.0%}".replace("%", " %") in monday_load.load_alt(DEFAULTS)


def test_what_customers_feel_is_the_summary():
    table, told = monday_load.felt_table({"x": DEFAULTS}, MONDAY_TARGETS), run(DEFAULTS).summary()
    for value in (
        f"{told['on_target']} of {CUSTOMERS}",
        f"{told['goodput_per_s']:.2f}",
        f"{told['ttft_p95_s']:.2f}\N{NO-BREAK SPACE}s",
        f"{told['tokens_per_s']:,.0f}",
        f"| {100 * told['peak_kv_share']:.0f}\N{NO-BREAK SPACE}% |",
    ):
        assert value in table


def test_who_gains_and_who_loses_adds_up():
    for one in TRIES:
        for other in TRIES:
            gain, lose = monday_two.gains_and_losses(one, other, MONDAY_TARGETS)
            assert kept(one) + len(gain) - len(lose) == kept(other)
            assert not set(gain) & set(lose)


def test_the_cap_alone_raises_throughput_and_loses_customers():  # (R) break it
    broken = [cap for cap in range(1, CUSTOMERS + 1) if cap_alone.is_broken(cap)]
    assert broken
    start = run(cap_alone.capped(cap_alone.BEGIN))
    for cap in broken:
        other = run(cap_alone.capped(cap))
        assert other.summary()["tokens_per_s"] > start.summary()["tokens_per_s"]
        assert other.summary()["on_target"] < start.summary()["on_target"]
        # "each pass serves more at once and takes longer"
        assert other.requests["tpot_s"].mean() > start.requests["tpot_s"].mean()
    assert not cap_alone.is_broken(cap_alone.BEGIN)


def test_targets_have_words_and_reasons():
    for words, value in (
        (monday_targets.FIRST_WORD_S, MONDAY_TARGETS.ttft_s),
        (monday_targets.TOKEN_S, MONDAY_TARGETS.tpot_s),
        (monday_targets.FREEZE_S, MONDAY_TARGETS.gap_s),
    ):
        assert value in words.values()
    assert "6 s after its first word" in monday_targets.reasons(MONDAY_TARGETS)
    assert monday_targets.reasons(FROZEN).count("“") == 3
    assert attempt(START) is attempt(START)
