"""Guessing on the simulated server: its gain is the engine's, pass by pass, and Monday's dots are its runs."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from pages.ui import (
    draft_figures,
    draft_guess,
    draft_monday,
    draft_quoted,
    draft_rate,
    draft_server,
    draft_token,
)
from pages.ui.draft_run import FIRST_GUESSES, MOST_GUESSES, QUESTIONS
from pages.ui.guess import Guess
from pages.ui.served import server
from sim import Settings, Trace, pass_time, simulate

ALL_GUESSES = range(1, MOST_GUESSES + 1)
NOTHING = Guess(None, None, None, is_revealed=False)


@pytest.mark.parametrize(
    ("batch", "n_guesses", "percent"), [(1, 4, 60), (8, 4, 60), (32, 4, 80), (64, 8, 60)]
)
def test_the_servers_gain_is_what_the_engine_finds_pass_by_pass(
    batch: int, n_guesses: int, percent: int
) -> None:
    """Many seeds, because the luck of one run scatters; texts grow around the length that is counted."""
    prompt, reply = draft_server.SO_FAR - 50, 101
    trace = Trace([0.0] * batch, [prompt] * batch, [reply] * batch, cached_tokens=[prompt - 1] * batch)
    plain_s, guessing_s = [], []
    for seed in range(1 + 40 // batch):
        guessing = Settings(num_speculative_tokens=n_guesses, acceptance_rate=percent / 100, seed=seed)
        for settings, seconds in ((Settings(), plain_s), (guessing, guessing_s)):
            requests = simulate(trace, server(), settings).requests
            assert (requests["preemptions"] == 0).all(), "all of them fit"
            seconds.append((requests["finish_s"] - requests["first_token_s"]).mean())
    counted = draft_server.pace(batch, n_guesses, percent).times
    assert np.mean(plain_s) / np.mean(guessing_s) == pytest.approx(counted, rel=0.06)


def test_all_customers_fit_while_guessing() -> None:
    settings = Settings(num_speculative_tokens=MOST_GUESSES)
    each = -(-(draft_server.SO_FAR + MOST_GUESSES + 1) // settings.block_size)
    assert draft_server.MOST_BATCH * each <= server().num_blocks(settings)


@pytest.mark.parametrize("n_guesses", ALL_GUESSES)
@pytest.mark.parametrize("percent", [draft_server.PERCENTS[0], 60, draft_server.PERCENTS[1]])
def test_guessing_brings_less_the_more_write_and_stays_on_the_chart(n_guesses: int, percent: int) -> None:
    batches = range(1, draft_server.MOST_BATCH + 1)
    times = [draft_server.pace(batch, n_guesses, percent).times for batch in batches]
    assert all(more < fewer for fewer, more in pairwise(times))
    assert 0 < min(times) <= max(times) < draft_server.TOP
    turn = draft_server.turns(n_guesses, percent)
    slower = [batch for batch, value in zip(batches, times, strict=True) if value < 1]
    assert turn == (slower[0] if slower else None)
    marks = draft_server.pace_marks(n_guesses, percent, 20).to_pandas()
    np.testing.assert_allclose(marks.query("kind == 'own'")["y"], times)
    dot = marks[marks["kind"].isin(["faster", "loss"])]
    assert dot["y"].tolist() == [times[19]]
    assert (dot["kind"].iloc[0] == "faster") == (times[19] >= 1)


def test_a_lone_customers_pass_fetches_weights_and_a_full_ones_guesses_take_arithmetic() -> None:
    own = server().unit_costs(draft_server.GUESSING)
    tokens = MOST_GUESSES + 1.0
    alone = pass_time(own, tokens, draft_server.SO_FAR + tokens, 0.0)
    full = pass_time(own, draft_server.MOST_BATCH * tokens, draft_server.MOST_BATCH * 159.0, 0.0)
    assert alone.weight_read_s > 5 * alone.arithmetic_s
    assert full.arithmetic_s > 5 * full.weight_read_s
    few = draft_server.pace(1, MOST_GUESSES, 60)
    assert few.checking_s < 1.1 * few.plain_s, "checking costs little more"


def test_the_mission_can_be_done_and_is_not_at_first() -> None:
    turn = draft_server.turns(MOST_GUESSES, draft_figures.MISSION_PERCENT)
    assert turn is not None
    assert draft_figures.is_accomplished(MOST_GUESSES, draft_figures.MISSION_PERCENT, turn)
    _, _, begin = draft_server.PERCENTS
    assert begin == draft_figures.MISSION_PERCENT
    assert not draft_figures.is_accomplished(FIRST_GUESSES, begin, draft_server.BATCHES[2])


def test_mondays_dots_are_the_engines() -> None:
    run = draft_monday.rush(4, 70)
    marks = draft_monday.lanes(4, 70).to_pandas()
    dots = marks[marks["kind"].isin(["kept", "missed"])].sort_values("lane")
    np.testing.assert_allclose(dots["x"], run.requests["tpot_s"] * 1e3)
    assert (dots["kind"] == "kept").tolist() == run.requests["on_target"].tolist()
    plain = marks.query("kind == 'plain'").sort_values("lane")
    np.testing.assert_allclose(plain["x"], draft_monday.plain().requests["tpot_s"] * 1e3)
    assert replace(draft_monday.plain().settings, acceptance_rate=0.7) == Settings()


@pytest.mark.parametrize("percent", draft_server.PERCENTS)
@pytest.mark.parametrize("n_guesses", [1, MOST_GUESSES])
def test_mondays_chart_holds_everyone(n_guesses: int, percent: int) -> None:
    assert draft_monday.lanes(n_guesses, percent).to_pandas()["x_end"].max() < draft_monday.EDGE_MS
    assert "Without guesses" in draft_monday.lanes_alt(n_guesses, percent)


def test_on_monday_guessing_brings_customers_on_target_and_too_many_guesses_lose_some_again() -> None:
    few, many = (draft_monday.on_target(draft_monday.rush(n, 60)) for n in (FIRST_GUESSES, MOST_GUESSES))
    assert draft_monday.on_target(draft_monday.plain()) < many < few


def test_the_draft_that_is_right_most_often_is_not_the_fastest() -> None:
    told = draft_quoted.figures()
    assert told["surest"] != told["fastest"]
    assert float(told["surest_share"]) > float(told["fastest_share"])
    assert float(told["surest_times"]) < float(told["fastest_times"])
    table = draft_quoted.told()
    for row in draft_quoted.quoted_numbers().itertuples():
        assert f"{row.times_as_fast:.1f} ({row.acceptance:.2f})" in table


def test_the_place_of_the_guess_is_empty_until_it_is_made() -> None:
    kinds = draft_guess.guess_lanes(NOTHING).to_pandas()["kind"].tolist()
    assert kinds.count("tokens") == 1
    assert "empty" in kinds
    assert len(draft_guess.guess_numbers(NOTHING)) == 1
    made = draft_guess.guess_lanes(Guess(60, 72, 60, is_revealed=True)).to_pandas()
    bars = made.query("kind == 'tokens'")["x_end"]
    np.testing.assert_allclose(bars, [draft_guess.yielded(n) for n in (draft_guess.FEW, draft_guess.MANY)])
    assert made.query("kind == 'guess'")["x"].tolist() == [60]
    assert made.query("kind == 'first guess'")["x"].tolist() == [72]
    assert "first guess" in draft_guess.guess_alt(Guess(60, 72, 60, is_revealed=True))


def test_alt_texts_say_the_numbers_that_are_drawn() -> None:
    assert "alone 2.03, 8 at once 1.82" in draft_server.pace_alt(4, 60, 8)
    assert "From 25 at once on" in draft_server.pace_alt(8, 60, 8)
    assert "never falls below 1" in draft_server.pace_alt(2, 60, 8)
    assert "of the reply's first token" in draft_token.token_alt(QUESTIONS[0], 1)
    assert "With 4: measured 3.1" in draft_rate.rate_alt(draft_rate.GREEDY, 4, is_revealed=True)
