"""Chapter 4 as its visitors meet it: what is shown, what is held back, what a link says, what is said of bad input."""

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.bits_batch import MANY, MOST, POINTLESS, room, times_as_fast, told_times
from pages.ui.bits_browser import on_server
from pages.ui.bits_cliff import told
from pages.ui.bits_figures import against
from pages.ui.bits_models import (
    FEWER,
    FULL,
    METHODS,
    QUESTION,
    QUESTIONS,
    SCALES,
    WHOLE_ROW,
    measured,
    replies,
)
from pages.ui.frame import READERS
from tests.pages.conftest import Open, addressed, guess, key, plain, words

PATH = "pages/4_smaller_numbers.py"
TRUTH = replies(QUESTION, "GPTQ", WHOLE_ROW).first_change


def html(at: AppTest) -> str:
    return "\n".join(element.proto.body for element in at.get("html"))


def test_only_what_the_guess_is_about_is_missing_before_it(open_page: Open) -> None:
    at = open_page(PATH)
    assert "whether the reply is the same at each width is still empty" in words(at)
    assert replies(QUESTION, "GPTQ", WHOLE_ROW).text(FULL) in html(at)
    assert "<u>" not in html(at)
    assert "first replies otherwise" not in words(at)
    assert "what you type stays there" in words(at)
    assert "first changed at" not in words(at)
    assert told(measured(2, "GPTQ", WHOLE_ROW).perplexity) in words(at)
    assert "This fills in with your guess" in words(at)


@pytest.mark.parametrize("reader", READERS)
def test_a_guess_brings_the_truth_in_every_reading(open_page: Open, reader: str) -> None:
    at = guess(open_page(PATH, reader=reader), PATH, 8)
    assert "You guessed **8 bits**" in words(at)
    assert f"**{TRUTH} bits**" in words(at)
    assert "<u>" in html(at)
    assert addressed(at) == {reader}


def test_a_guess_must_be_picked_first(open_page: Open) -> None:
    at = open_page(PATH)
    at.button(key(PATH, "lock")).click().run()
    assert "Pick one first, or press “Show me”." in words(at)


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("scales", SCALES)
@pytest.mark.parametrize("method", METHODS)
def test_every_way_to_quantize_in_every_reading(
    open_page: Open, reader: str, method: str, scales: str
) -> None:
    at = open_page(PATH, reader=reader, shown="yes", method=method, scales=scales)
    first = replies(QUESTION, method, scales).first_change
    way = {"GPTQ": "GPTQ", "rounded": "rounding"}[method]
    assert (
        f"with {way} and one scale for {scales}, mini first replies otherwise at **{first} bits**"
        in words(at)
    )
    for bits in (FEWER[0], FEWER[-1]):
        at.segmented_control(key(PATH, "bits")).set_value(str(bits)).run()
        assert not at.exception
        assert f"At {bits} bits GPTQ moves the weights" in words(at)


@pytest.mark.parametrize("batch", [1, MOST])
def test_the_batch_at_its_ends(open_page: Open, batch: int) -> None:
    at = open_page(PATH)
    at.slider(key(PATH, "batch")).set_value(batch).run()
    assert not at.exception
    assert f"Now, with {batch} at once: {told_times(batch)} times as fast" in words(at)
    assert not at.success


def test_the_mission_is_acknowledged_where_16_bits_fit_too_and_gain_little(open_page: Open) -> None:
    at = open_page(PATH)
    found = [batch for batch in range(1, room(MANY) + 1) if times_as_fast(batch) < POINTLESS]
    assert 80 <= found[0] <= 90
    for batch, is_done in (
        (found[0] - 1, False),
        (found[0], True),
        (room(MANY), True),
        (room(MANY) + 1, False),
    ):
        at.slider(key(PATH, "batch")).set_value(batch).run()
        assert bool(at.success) == is_done
    assert f"have room for only {room(MANY)} of them" in words(at)


def test_what_is_told_of_a_batch_shows_on_which_side_of_the_mission_it_is(open_page: Open) -> None:
    for batch in range(1, MOST + 1):
        assert (float(told_times(batch)) < POINTLESS) == (times_as_fast(batch) < POINTLESS)
    first = next(batch for batch in range(1, MOST) if times_as_fast(batch) < POINTLESS)
    at = open_page(PATH, batch=str(first))
    assert f"only {told_times(first)} times as fast" in plain(at.success[0].value)
    assert len(told_times(first)) > len("1.50")


def test_where_gptq_alone_changed_the_reply_both_methods_are_compared_over_many_tokens(
    open_page: Open,
) -> None:
    at = open_page(PATH, shown="yes")
    assert replies(QUESTION, "GPTQ", WHOLE_ROW).first_change == 4
    assert replies(QUESTION, "rounded", WHOLE_ROW).at(4) == replies(QUESTION, "rounded", WHOLE_ROW).full
    assert (
        "At 4 bits GPTQ changed this reply and rounding did not. One reply is luck: over 6,785 tokens"
        in words(at)
    )
    assert "for 94.6 % of them with GPTQ, for 92.1 % with rounding" in words(at)
    assert "at 4 bits it makes no sense" in words(at)
    assert "One reply is luck" not in words(open_page(PATH)), "it comes with the guess"
    at = open_page(PATH, shown="yes", scales="every 16 weights")
    assert "One reply is luck" not in words(at), "there both change at the same widths"
    assert "at 4 bits it makes no sense" not in words(at)


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("scales", SCALES)
def test_the_methods_are_compared_only_where_the_reply_goes_against_the_many_tokens(
    question: str, scales: str
) -> None:
    both = on_server(question, scales)
    bits = against(both, scales)
    odd = [one for one in FEWER if both["rounded"].at(one) == both["rounded"].full != both["GPTQ"].at(one)]
    assert bits == (odd[0] if odd else None)
    if bits is not None:
        assert measured(bits, "GPTQ", scales).agreement > measured(bits, "rounded", scales).agreement


def test_the_replies_name_their_question_and_their_gaps(open_page: Open) -> None:
    at = open_page(PATH, shown="yes", method="rounded")
    at.session_state[key(PATH, "on_server")] = "chosen"
    at.run()
    at.segmented_control(key(PATH, "question")).set_value(QUESTIONS[1]).run()
    assert "To the question “The box contains the wrong item" in words(at)
    assert "changed: nothing legible left" in html(at)
    assert "0 words underlined" not in html(at)


def test_a_question_of_ones_own_is_said_not_to_come_back(open_page: Open) -> None:
    at = open_page(PATH)
    assert "If the box below starts" in words(at)
    assert "Run for real in your own browser" not in words(at), "not before the box has answered"


@pytest.mark.parametrize("why", ["failed", "chosen", "unreadable"])
def test_without_a_browser_that_runs_it_one_picks_a_question_and_types_none(
    open_page: Open, why: str
) -> None:
    at = open_page(PATH, shown="yes")
    at.session_state[key(PATH, "on_server")] = why
    at.run()
    assert "Pick a question" in at.warning[0].value
    assert "what you type stays there" not in words(at)
    assert not at.text_input
    for question in QUESTIONS:
        at.segmented_control(key(PATH, "question")).set_value(question).run()
        assert replies(question, "GPTQ", WHOLE_ROW).text(FULL) in html(at)
    assert at.session_state["link.next"]["question"] == QUESTIONS[-1]


def test_a_report_that_makes_no_sense_brings_the_stand_in(open_page: Open) -> None:
    at = open_page(PATH)
    at.button(key(PATH, "use_server")).click().run()
    assert at.session_state[key(PATH, "on_server")] == "chosen"
    assert not at.exception
