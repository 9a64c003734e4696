"""Chapter 5's figures and charts: what is drawn is what mini, its student and the server really do."""

from dataclasses import replace

import numpy as np
import pytest

from larkspur import generate, load
from larkspur.corpus import held_out_documents, training_texts
from pages.ui import (
    draft_figures,
    draft_guess,
    draft_rate,
    draft_server,
    draft_token,
)
from pages.ui.draft_formula import chance_of, passes_of, tokens_a_pass, tokens_a_pass_until_the_end
from pages.ui.draft_picture import parts, picture, picture_numbers
from pages.ui.draft_run import FIRST_GUESSES, MOST_GUESSES, QUESTIONS, draft, texts

ALL_GUESSES = range(1, MOST_GUESSES + 1)


def test_no_question_was_trained_on() -> None:
    held_out = {document.prompt for document in held_out_documents()}
    assert set(QUESTIONS) <= held_out
    trained = training_texts()
    for question in QUESTIONS:
        assert not any(text.startswith(question) for text in trained), question


@pytest.mark.parametrize("question", QUESTIONS)
def test_both_replies_are_equal_with_every_number_of_guesses(question: str) -> None:
    mini = load("mini")
    plain = tuple(step.token_id for step in generate(mini, mini.encode(question)))
    for n_guesses in ALL_GUESSES:
        made = draft(question, n_guesses)
        assert made.plain_ids == plain
        assert made.guessing.token_ids == plain
        assert picture(made)["equal"] == "Both replies are equal, token for token."


def test_the_picture_begins_with_far_fewer_passes_than_tokens() -> None:
    made = draft(QUESTIONS[0], FIRST_GUESSES)
    assert picture(made)["counts"] == "24 tokens, 5 passes; plain: 24 passes"


def test_the_student_guesses_badly_where_mini_makes_little_sense() -> None:
    shares = [draft(question, FIRST_GUESSES).guessing.acceptance or 0 for question in QUESTIONS]
    assert max(shares[-2:]) < min(shares[:-2])


@pytest.mark.parametrize("n_guesses", ALL_GUESSES)
def test_the_picture_shows_every_token_drafted_and_written(n_guesses: int) -> None:
    made = draft(QUESTIONS[2], n_guesses)
    shown = picture(made)
    written = [token for done in made.guessing.rounds for part in parts(done)[::2] for token in part]
    assert written == texts(made.plain_ids)
    for row, done in zip(shown["rounds"], made.guessing.rounds, strict=True):
        assert len(row["kept"]) == done.n_kept
        assert len(row["kept"]) + len(row["thrown"]) == len(done.drafted)
        assert len(row["own"]) == (done.token_id is not None)
        assert all(token in row["said"] for token in row["kept"] + row["thrown"] + row["own"])
    table = picture_numbers(made)
    assert table["written_tokens"].sum() == made.n_tokens
    assert len(table) == made.n_passes


def test_a_pass_costs_mostly_overhead_so_that_the_student_is_not_as_cheap_as_it_is_small() -> None:
    times = draft(QUESTIONS[0], FIRST_GUESSES).times
    assert load("student").num_params < load("mini").num_params / 3
    assert times.student_pass_s > times.single_pass_s / 3


@pytest.mark.parametrize(
    ("guessing_s", "passage"), [(2.0, "seconds.slower"), (1.01, "seconds.same"), (0.5, "seconds.faster")]
)
def test_what_is_said_of_seconds_follows_the_measurement(guessing_s: float, passage: str) -> None:
    made = draft(QUESTIONS[0], FIRST_GUESSES)
    times = replace(made.times, plain_s=1.0, guessing_s=guessing_s)
    assert draft_figures.seconds(replace(made, times=times)) == passage


def test_the_table_of_rounds_has_the_medians_that_are_added_up_and_mini_alone_is_timed_once() -> None:
    made = [draft(QUESTIONS[0], n) for n in (2, FIRST_GUESSES)]
    assert made[0].times.plain_s == made[1].times.plain_s
    for one in made:
        table = picture_numbers(one)
        summed_s = (table["guessing_us"] + table["checking_us"]).sum() / 1e6
        assert summed_s == pytest.approx(one.times.guessing_s, abs=1e-6 * len(table))


@pytest.mark.parametrize("n_guesses", ALL_GUESSES)
@pytest.mark.parametrize("percent", range(draft_server.PERCENTS[0], draft_server.PERCENTS[1] + 1, 15))
def test_every_line_of_the_servers_chart_is_named_apart_from_the_others(n_guesses: int, percent: int) -> None:
    marks = draft_server.pace_marks(n_guesses, percent, 20).to_pandas()
    names = marks[marks["kind"].isin(["end", "own end"])]
    shown = {*draft_server.BESIDE, n_guesses}
    assert sorted(names["label"]) == sorted(map(draft_server.in_words, shown))
    assert names[names["kind"] == "own end"]["label"].tolist() == [draft_server.in_words(n_guesses)]
    gaps = np.diff(np.sort(names["y"]))
    assert (gaps > 0.9 * draft_server.APART).all()
    assert names["y"].min() > 0
    ends = {draft_server.in_words(n): draft_server.pace(64, n, percent).times for n in shown}
    by_height = names.sort_values("y")["label"].tolist()
    assert by_height == sorted(by_height, key=lambda name: ends[name]), "in the order of the lines"


@pytest.mark.parametrize("batch", [1, 8, 40, 41, draft_server.MOST_BATCH])
def test_the_words_about_the_dot_stand_over_the_lines_and_begin_at_it(batch: int) -> None:
    marks = draft_server.pace_marks(4, 60, batch).to_pandas()
    told = marks[marks["kind"].isin(["told right", "told left"])].iloc[0]
    assert told["x"] == batch
    drawn = marks[marks["kind"].isin(["beside", "own"])]
    until = (batch, batch + 30) if told["kind"] == "told right" else (batch - 30, batch)
    assert told["y"] > drawn[drawn["x"].between(*until)]["y"].max()
    assert told["y"] < draft_server.TOP
    assert told["label"].startswith(f"{batch} at once: ")


def test_a_loss_never_reads_as_even() -> None:
    assert draft_server.told_times(0.9991) == "0.999"
    for n_guesses in ALL_GUESSES:
        for percent in range(draft_server.PERCENTS[0], draft_server.PERCENTS[1] + 1, 5):
            for batch in (1, 8, 24, 64):
                times = draft_server.pace(batch, n_guesses, percent).times
                assert (float(draft_server.told_times(times)) < 1) == (times < 1)


def test_chances_are_told_with_the_digits_they_have() -> None:
    told = [draft_token.told(percent) for percent in (0, 0.03, 0.6, 0.94, 55.4, 99.7, 99.99, 100)]
    assert told == ["0 %", "below 0.1 %", "0.6 %", "0.9 %", "55 %", "99.7 %", "above 99.9 %", "100 %"]


@pytest.mark.parametrize("acceptance", [0.0, 0.3, 0.8, 1.0])
def test_the_formula_is_the_mean_of_what_a_round_yields(acceptance: float) -> None:
    for n in range(9):
        mean = sum(chance_of(acceptance, n, kept) * (kept + 1) for kept in range(n + 1))
        assert tokens_a_pass(acceptance, n) == pytest.approx(mean)
        if acceptance < 1:
            closed = (1 - acceptance ** (n + 1)) / (1 - acceptance)
            assert tokens_a_pass(acceptance, n) == pytest.approx(closed)


def test_passes_of_replies_that_end_are_those_of_many_rounds_by_chance() -> None:
    rng, n_guesses, length, acceptance = np.random.default_rng(1), 4, 11, 0.7
    passes = []
    for _ in range(20_000):
        left, count = length, 0
        while left > 0:
            right = rng.random(min(n_guesses, left)) < acceptance
            kept = int(np.argmin(right)) if not right.all() else len(right)
            left, count = left - kept - 1, count + 1
        passes.append(count)
    assert passes_of(acceptance, n_guesses, length) == pytest.approx(np.mean(passes), rel=0.01)
    assert tokens_a_pass_until_the_end(1.0, 4, (5, 10)) == pytest.approx(15 / 3)


@pytest.mark.parametrize("pick", draft_rate.PICKS)
def test_measured_tokens_a_pass_are_counted_and_replies_that_end_promise_less(pick: str) -> None:
    table = draft_rate.rate_numbers(pick)
    for row, made in zip(table.itertuples(), draft_rate.rates(pick), strict=True):
        assert row.measured_tokens == pytest.approx(sum(made.replies_tokens) / made.passes)
        assert row.kept_percent == pytest.approx(100 * made.kept / made.judged)
    assert (table["replies_that_end_tokens"] < table["formula_tokens"]).all()
    marks = draft_rate.rate_marks(pick, 3, is_revealed=True).to_pandas()
    np.testing.assert_allclose(marks.query("kind == 'measured'")["y"], table["measured_tokens"])
    np.testing.assert_allclose(marks.query("kind == 'formula'")["y"], table["formula_tokens"])
    assert marks.query("kind == 'here'")["x"].tolist() == [3]


def test_what_the_formula_promises_is_held_back_until_the_guess() -> None:
    marks = draft_rate.rate_marks(draft_rate.GREEDY, 4, is_revealed=False).to_pandas()
    assert set(marks["kind"]) == {"measured", "here", "measured label"}
    assert set(draft_rate.shown_numbers(draft_rate.GREEDY, is_revealed=False).columns) == {
        "guesses_a_pass",
        "kept_percent",
        "measured_tokens",
    }
    assert "by the formula" not in draft_rate.rate_alt(draft_rate.GREEDY, 4, is_revealed=False)
    hidden = [draft_guess.is_held_back(n, is_revealed=False) for n in ALL_GUESSES]
    assert hidden == [n > draft_guess.FEW for n in ALL_GUESSES]


def test_with_the_likeliest_tokens_a_pass_yields_less_than_the_formula_promises() -> None:
    table = draft_rate.rate_numbers(draft_rate.GREEDY)
    assert (table["measured_tokens"] < table["formula_tokens"]).all()


def test_the_student_errs_more_often_where_a_reply_could_go_on_in_several_ways() -> None:
    mini, student = load("mini"), load("student")
    sure, unsure = [], []
    for question in QUESTIONS:
        ids = mini.encode(question)
        for step in generate(mini, ids):
            is_right = int(student.forward(ids)[-1].argmax()) == step.token_id
            (sure if step.probs.max() > 0.95 else unsure).append(is_right)
            ids.append(step.token_id)
    assert len(unsure) > 10
    assert np.mean(unsure) < np.mean(sure)


@pytest.mark.parametrize("place", [1, 3, draft_token.LAST_PLACE])
@pytest.mark.parametrize("question", [QUESTIONS[0], QUESTIONS[5]])
def test_kept_part_and_rest_are_minis_chance_and_the_draws_follow_it(question: str, place: int) -> None:
    at = draft_token.chances(question, place)
    np.testing.assert_allclose(at.kept + at.rest, at.mini, atol=1e-7)
    assert (at.kept <= at.student).all()
    share = np.array(draft_token.tally(question, place)) / draft_token.TALLY
    spread = np.sqrt(at.mini * (1 - at.mini) / draft_token.TALLY)
    assert (np.abs(share - at.mini) < 5 * spread + 2 / draft_token.TALLY).all()
    lanes = draft_token.lanes_of(question, place)
    for name in ("mini", "student", "drawn"):
        assert sum(getattr(lane, name) for lane in lanes) == pytest.approx(100, abs=0.01)


def test_a_tokens_lane_is_drawn_to_its_chances() -> None:
    marks = draft_token.token_lanes(QUESTIONS[0], 1).to_pandas()
    for number, lane in enumerate(draft_token.lanes_of(QUESTIONS[0], 1)):
        here = marks[marks["lane"] == number].set_index("kind")
        assert here.loc["came", "x"] == pytest.approx(lane.drawn)
        if lane.kept > 0.01:
            assert here.loc["kept", "x_end"] == pytest.approx(lane.kept)
        if "rest" in here.index:
            assert here.loc["rest", "x_end"] - here.loc["rest", "x"] == pytest.approx(lane.rest, abs=1e-4)
        if "refused" in here.index:
            refused = here.loc["refused", "x_end"] - here.loc["refused", "x"]
            assert refused == pytest.approx(lane.student - lane.kept, abs=1e-4)


def test_a_draw_is_the_same_again_and_a_kept_guess_is_the_token() -> None:
    for number in range(1, draft_token.MOST_DRAWS + 1):
        made = draft_token.draw_of(QUESTIONS[0], 1, number)
        assert made == draft_token.draw_of(QUESTIONS[0], 1, number)
        assert made.is_kept == (made.guess == made.token_id), "a refused guess is never drawn from the rest"
    kept = [draft_token.draw_of(QUESTIONS[0], 1, n).is_kept for n in range(1, draft_token.MOST_DRAWS + 1)]
    assert 0 < sum(kept) < len(kept), "both can be seen"
    assert not kept[draft_token.DRAWS[2] - 1], "at first a refused one"
