"""Chapter 3 as its visitors meet it, and every claim of its texts against the run."""

import re

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from pages.ui import batching_figures, blamed, first_word, ladder, same_latency, seats
from pages.ui.first_word import first_word_s
from pages.ui.frame import READERS
from pages.ui.ladder import ANEW, BUDGETS, FIXED, IN_PIECES, PROMPTS_FIRST, WORDS, felt, served
from pages.ui.monday_memory import monday_run
from pages.ui.numbers import ms
from sim import pass_time
from tests.pages.conftest import Open, addressed, guess, key, plain, words

PATH = "pages/3_batching.py"
TRUTH = ms(first_word_s(ANEW.word))
DEFAULTS = {"above": FIXED.word, "below": ANEW.word, "budget": ladder.DEFAULT_BUDGET}


def table(at: AppTest) -> str:
    """Return the table of what customers feel."""
    (found,) = [element.value for element in at.markdown if element.value.startswith("| | above")]
    return str(found)


def choose(at: AppTest, name: str, word: str) -> AppTest:
    return at.segmented_control(key(PATH, name)).set_value(word).run()


def test_only_the_guessed_wait_is_missing_before_the_guess(open_page: Open) -> None:
    at = open_page(PATH)
    assert TRUTH not in words(at)
    assert "This fills in with your guess" in words(at)
    assert f"**{first_word_s(FIXED.word):.1f} s**" in words(at)
    assert "| first word, on average | 8.1 s | 3.9 s |" in table(at)


@pytest.mark.parametrize("reader", READERS)
def test_a_guess_brings_the_truth_in_every_reading(open_page: Open, reader: str) -> None:
    at = guess(open_page(PATH, reader=reader), PATH, 3000)
    assert "**3,000 ms**" in words(at)
    assert f"**{TRUTH}**" in words(at)
    assert addressed(at) == {reader}


@pytest.mark.slow
@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("budget", [BUDGETS[0], BUDGETS[-1]])
@pytest.mark.parametrize("pair", list(zip(WORDS, reversed(WORDS), strict=True)))
def test_controls_at_their_ends(open_page: Open, reader: str, budget: str, pair: tuple[str, str]) -> None:
    at = open_page(PATH, reader=reader, shown="yes", above=pair[0], below=pair[1], budget=budget)
    assert not at.exception
    assert f"above: {pair[0]} | below: {pair[1]}" in table(at)
    first_words_s = [felt(word, budget).first_word_s for word in pair]
    assert f"| {' | '.join(f'{seconds:.1f} s' for seconds in first_words_s)} |" in table(at)


@pytest.mark.parametrize("customer", [1, 24])
def test_any_customer_is_told_who_made_them_wait(open_page: Open, customer: int) -> None:
    at = open_page(PATH, shown="yes", customer=str(customer))
    told = [element.value for element in at.markdown if "They waited for customer" in element.value]
    assert len(told[0].splitlines()) == 2


def test_the_same_scheduler_may_stand_in_both_panels(open_page: Open) -> None:
    at = open_page(PATH, above=IN_PIECES.word, below=IN_PIECES.word)
    assert sum(element.value.count("They waited for customer") for element in at.markdown) == 1


def test_reset_puts_the_settings_back(open_page: Open) -> None:
    at = open_page(PATH, above=PROMPTS_FIRST.word, below=IN_PIECES.word, budget="128")
    at.button(key(PATH, "reset")).click().run()
    assert {name: at.session_state[key(PATH, name)] for name in DEFAULTS} == DEFAULTS


def test_the_mission_can_be_done_and_is_acknowledged_only_then(open_page: Open) -> None:
    at = open_page(PATH, shown="yes", above=ANEW.word, below=ANEW.word)
    assert not at.success
    choose(at, "below", FIXED.word)
    assert not at.success  # no freeze, but everyone waits longer
    choose(at, "below", IN_PIECES.word)
    before, after = felt(ANEW.word), felt(IN_PIECES.word)
    assert f"from {ms(before.freeze_s)} to {ms(after.freeze_s)}" in plain(at.success[0].value)
    choose(at, "budget", "2048")
    assert not at.success


def test_the_mission_waits_for_the_guess(open_page: Open) -> None:
    assert not open_page(PATH, above=ANEW.word, below=IN_PIECES.word).success


@pytest.mark.parametrize("whole", [ANEW.word, PROMPTS_FIRST.word])
def test_one_change_halves_the_longest_freeze_of_whole_prompts(whole: str) -> None:
    assert felt(IN_PIECES.word).freeze_s <= felt(whole).freeze_s / 2
    assert batching_figures.is_halved(whole, IN_PIECES.word, ladder.DEFAULT_BUDGET)
    assert batching_figures.is_halved(IN_PIECES.word, whole, ladder.DEFAULT_BUDGET)


def test_the_schedulers_differ_in_nothing_but_the_deciding() -> None:
    for word in WORDS:
        run = served(word)
        assert run.summary()["peak_kv_share"] < 1
        assert run.summary()["preemptions"] == 0
        assert run.summary()["rejected"] == 0


def test_deciding_anew_shortens_the_wait_and_lengthens_the_freeze() -> None:
    fixed, anew, prompts_first = (felt(step.word) for step in (FIXED, ANEW, PROMPTS_FIRST))
    assert anew.first_word_s < 0.6 * fixed.first_word_s
    assert anew.longest_wait_s < fixed.longest_wait_s
    assert anew.last_s < fixed.last_s
    assert fixed.freeze_s < anew.freeze_s < prompts_first.freeze_s
    assert felt(IN_PIECES.word, "256").freeze_s < anew.freeze_s / 2


def test_fixed_batches_fill_all_at_once_and_the_others_refill_each_seat() -> None:
    fixed = (
        seats.stretches(FIXED.word, ladder.DEFAULT_BUDGET)
        .groupby("request")
        .agg(start_s=("start_s", "min"), end_s=("end_s", "max"))
    )
    for entered_s in fixed["start_s"].unique():
        assert not ((fixed["start_s"] < entered_s) & (fixed["end_s"] > entered_s)).any()
    for word in (ANEW.word, PROMPTS_FIRST.word, IN_PIECES.word):
        run = served(word)
        queued = run.passes.query("waiting > 0")
        held = [
            ((run.requests["admitted_s"] <= at) & (run.requests["finish_s"] > at)).sum()
            for at in queued["start_s"]
        ]
        assert min(held) == ladder.SEATS


def test_the_freeze_is_the_reading_of_one_long_prompt_in_one_pass() -> None:
    reader = batching_figures.slowest_reader(ANEW.word)
    assert ladder.rush().prompt_tokens[reader] == ladder.rush().prompt_tokens.max()
    run, freeze_s = served(ANEW.word), felt(ANEW.word).freeze_s
    reading = run.segments.query(f"request == {reader} and state == 'prefill'").iloc[0]
    assert reading["end_s"] - reading["start_s"] == pytest.approx(freeze_s)
    frozen = run.segments.query(f"request == {felt(ANEW.word).frozen - 1} and state == 'decode'").iloc[-1]
    assert frozen["start_s"] <= reading["start_s"] < reading["end_s"] <= frozen["end_s"]


def test_a_full_batch_that_only_writes_is_far_from_a_freeze() -> None:
    passes = served(ANEW.word).passes.query(f"prefill_tokens == 0 and decode_seqs == {ladder.SEATS}")
    each_s = (passes["end_s"] - passes["start_s"]) / passes["passes"]
    assert each_s.max() < felt(ANEW.word).freeze_s / 10


def test_in_pieces_the_long_prompt_pays() -> None:
    early = batching_figures.EARLY
    whole, pieces = (served(word, "256").requests for word in (ANEW.word, IN_PIECES.word))
    assert ladder.rush().prompt_tokens[early] > 1500
    assert whole["admitted_s"].iloc[early] - whole["arrival_s"].iloc[early] < 0.1  # a seat at once
    assert pieces["ttft_s"].iloc[early] > 1.2 * whole["ttft_s"].iloc[early]
    reading = served(IN_PIECES.word, "256").segments.query(f"request == {early} and state == 'prefill'")
    inside = (seats.pass_ends_s(served(IN_PIECES.word, "256")) > reading["start_s"].iloc[0]) & (
        seats.pass_ends_s(served(IN_PIECES.word, "256")) <= reading["end_s"].iloc[0]
    )
    assert inside.sum() > 1


def test_those_who_write_pay_a_little_for_the_pieces_and_far_less_than_for_a_whole_prompt() -> None:
    gap_s = batching_figures.written_gap_s()
    pieces_s, whole_s = felt(IN_PIECES.word, batching_figures.PIECE).freeze_s, felt(ANEW.word).freeze_s
    assert 2 * gap_s < pieces_s < whole_s / 2
    passes = served(IN_PIECES.word, batching_figures.PIECE).passes.query("prefill_tokens == 0")
    each_s = (passes["end_s"] - passes["start_s"]) / passes["passes"]
    assert each_s.min() <= gap_s <= each_s.max()


def test_in_chapter_7_the_longest_freeze_is_of_somebody_set_aside() -> None:  # (R)
    requests = monday_run("paged").requests
    assert requests["preemptions"].iloc[int(requests["longest_gap_s"].argmax())] > 0
    longest_s = [felt(IN_PIECES.word, budget).freeze_s for budget in BUDGETS]
    assert longest_s == sorted(longest_s)
    assert longest_s[-1] < requests["longest_gap_s"].max() / 3


@pytest.mark.parametrize("customer", [1, 10, 24])
@pytest.mark.parametrize("word", WORDS)
def test_the_waits_that_are_named_add_up_as_printed(word: str, customer: int) -> None:
    said = blamed.told(word, ladder.DEFAULT_BUDGET, customer)
    queue, passes, both, *named = map(float, re.findall(r"(\d+\.\d\d) s", said))
    assert queue + passes == pytest.approx(both)
    assert sum(named) == pytest.approx(both)


def test_the_newcomer_of_the_guess_waits_for_the_running_pass_and_its_own() -> None:
    run = first_word.run_of(ANEW.word)
    costs = run.server.unit_costs(run.settings)
    assert first_word_s(ANEW.word) < 0.05
    assert first_word_s(ANEW.word) < 2 * pass_time(costs, 21.0, 200.0, 200.0).total_s
    assert 5.5 < first_word_s(FIXED.word) < 6.5
    ends_s = seats.pass_ends_s(run)
    asked_s = float(first_word.two_customers().arrival_s[1])
    written = int((ends_s <= asked_s).sum())  # the first customer's tokens so far
    assert first_word.two_customers().output_tokens[0] - written == first_word.TO_COME
    seated_s = run.requests["admitted_s"].iloc[1]
    assert seated_s == pytest.approx(ends_s[written])  # the next pass end


def test_the_ratio_at_equal_latency_is_above_one_and_grows_with_unequal_replies() -> None:
    alike, unequal = (
        same_latency.at_level(traffic) for traffic in (same_latency.ALIKE, same_latency.UNEQUAL)
    )
    assert 1.05 < alike.ratio < unequal.ratio / 3
    assert unequal.ratio < 36.9
    for traffic in (same_latency.ALIKE, same_latency.UNEQUAL):
        for word in (FIXED.word, ANEW.word):
            assert np.sum(np.diff(same_latency.latencies_ms(traffic, word) > same_latency.LEVEL_MS)) == 1


def test_what_is_shown_in_front_of_the_line_of_orca_is_quoted(open_page: Open) -> None:
    claim = "**36.9 times** the throughput (requests served a second) of NVIDIA's FasterTransformer at the same latency"
    assert claim in words(open_page(PATH))
