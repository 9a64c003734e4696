"""Chapter 6 as its visitors meet it: what is shown, what is held back, what a link says, what is said of bad input."""

import pytest

from pages.ui.batch_curve import MOST, curve, fitting, fullest, largest
from pages.ui.batch_figures import PROMISE
from pages.ui.batch_guess import CROWD, each_per_s
from pages.ui.batch_price import replies_dollars, told
from pages.ui.cap_waits import FASTEST, SLOWEST
from pages.ui.frame import READERS
from tests.pages.conftest import Open, addressed, guess, key, words

PATH = "pages/6_pace_or_throughput.py"
TRUTH = f"{each_per_s(CROWD):.0f} tokens a second"


def test_only_what_the_guess_is_about_is_missing_before_it(open_page: Open) -> None:
    at = open_page(PATH)
    assert TRUTH not in words(at)
    assert "The place of the 24 is still empty" in at.caption[1].value
    assert "Only the dot of one customer at a time" in words(at)
    assert "This fills in with your guess" in words(at)
    assert "a batch of 24 gives each" not in words(at)
    assert "for want of memory" not in words(at)


@pytest.mark.parametrize("reader", READERS)
def test_a_guess_brings_the_truth_in_every_reading(open_page: Open, reader: str) -> None:
    at = guess(open_page(PATH, reader=reader), PATH, 3)
    assert "You guessed **3**" in words(at)
    assert f"**{TRUTH}**" in words(at)
    assert addressed(at) == {reader}


@pytest.mark.parametrize(
    ("typed", "told", "passage"),
    [
        (2.7, "2.7", "Sharing cuts the pace less"),
        (44.0, "44", "You saw that sharing"),
        (65.0, "65", "not that cheap"),
    ],
)
def test_a_guess_may_have_a_decimal_and_is_answered_by_how_it_is_off(
    open_page: Open, typed: float, told: str, passage: str
) -> None:
    at = guess(open_page(PATH), PATH, typed)
    assert f"You guessed **{told}**" in words(at)
    assert passage in words(at)
    assert at.session_state["link.next"]["guess"] == told
    again = open_page(PATH, guess=told, first="2.7")
    assert again.number_input(key(PATH, "typed")).value == typed
    assert again.session_state["link.next"]["first"] == "2.7"
    assert not again.warning


def test_the_sum_is_of_one_alone_until_the_guess(open_page: Open) -> None:
    for link, batch in (({}, 1), ({"shown": "yes", "cap": "12"}, 12)):
        at = open_page(PATH, **link)
        assert f"at once (your cap, under “Break it”) | {batch} |" in words(at)


def test_it_says_where_preempting_begins_and_where_throughput_begins_to_fall(open_page: Open) -> None:
    at = open_page(PATH, shown="yes", reader="Engineer")
    assert f"begins after {fitting(1)} sequences, or {fitting(2)} with doubled texts" in words(at)
    assert f"past {fullest(curve(1)).batch} sequences, or {fullest(curve(2)).batch}, a larger cap" in words(
        at
    )


def test_there_is_nothing_to_drag_before_the_guess(open_page: Open) -> None:
    charts = [open_page(PATH, **link).get("vega_lite_chart")[1].proto.spec for link in ({}, {"shown": "yes"})]
    assert ["Drag the dot" in chart for chart in charts] == [False, True]


@pytest.mark.slow
@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("ends", [(20, SLOWEST, 1, 0.1), (60, FASTEST, MOST, 99.0)])
@pytest.mark.parametrize("texts", ["as they are", "doubled"])
def test_controls_at_their_ends(
    open_page: Open, reader: str, ends: tuple[int, int, int, float], texts: str
) -> None:
    at = open_page(PATH, reader=reader, shown="yes")
    for name, value in zip(("promise", "rate", "cap"), ends, strict=False):
        at.slider(key(PATH, name)).set_value(value).run()
        assert not at.exception
    at.number_input(key(PATH, "price")).set_value(ends[3]).run()
    at.segmented_control(key(PATH, "texts")).set_value(texts).run()
    assert not at.exception
    assert f"At {ends[1]} customers a minute" in words(at)
    assert f"With a cap of {ends[2]} " in words(at)


def test_the_price_of_replies_follows_the_hourly_price(open_page: Open) -> None:
    at = open_page(PATH, shown="yes")
    for price in (2.0, 4.0):
        at.number_input(key(PATH, "price")).set_value(price).run()
        one, many = (told(replies_dollars(curve(1)[batch - 1].replies_per_s, price)) for batch in (1, CROWD))
        assert f"costs {one} for 1,000 replies, 24 at a time {many}" in words(at)


def test_the_mission_is_acknowledged_at_the_largest_batch_alone(open_page: Open) -> None:
    at = open_page(PATH, shown="yes")
    for texts, times, why in (
        ("as they are", 1, "the pace that stops"),
        ("doubled", 2, "the memory that stops"),
    ):
        at.segmented_control(key(PATH, "texts")).set_value(texts).run()
        for cap in (largest(times, PROMISE) - 1, largest(times, PROMISE) + 1):
            at.slider(key(PATH, "cap")).set_value(cap).run()
            assert not at.success
        at.slider(key(PATH, "cap")).set_value(largest(times, PROMISE)).run()
        assert why in at.success[0].value
    assert "Solved in this visit already: texts as they are" in words(at)


def test_the_mission_waits_for_the_guess(open_page: Open) -> None:
    at = open_page(PATH, cap=str(largest(1, PROMISE)))
    assert not at.success
    assert "the page says here what a cap gives" in words(at)
