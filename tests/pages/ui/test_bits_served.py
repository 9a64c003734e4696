"""Fewer bits on the simulated server, and what papers print of them: bars, dots and sentences have their numbers."""

import numpy as np
import pytest

from pages.ui import bits_batch, bits_figures, bits_layers, bits_quoted, bits_seats
from pages.ui.bits_models import (
    FEWER,
    FULL,
    METHODS,
    QUESTION,
    QUESTIONS,
    SCALES,
    WHOLE_ROW,
    errors,
    measured,
    replies,
)
from pages.ui.kv_card import requests_that_fit
from pages.ui.served import server
from sim import MONDAY_TARGETS, QUOTED, Settings, monday, pass_time, simulate


@pytest.mark.parametrize("bits", bits_seats.SERVED)
def test_the_bars_are_the_servers_memory_and_mondays_run(bits: int) -> None:
    settings = Settings(weight_bits=bits)
    one = bits_seats.served(bits)
    assert one.kv_bytes // server().block_bytes(settings) == server().num_blocks(settings)
    assert one.longest_requests == requests_that_fit(server(), bits)
    assert one.on_target == simulate(monday(), server(), settings, MONDAY_TARGETS).summary()["on_target"]
    frame = bits_seats.seats_lanes().to_pandas()
    lane = frame[frame["lane"] == bits_seats.SERVED.index(bits)]
    assert lane[lane["kind"] == "KV"]["x_end"].iloc[0] == pytest.approx(40)
    assert f"Monday: {one.on_target} of 24 on target" in set(lane["label"])


def test_what_the_weights_give_up_and_what_was_free_add_up_as_printed() -> None:
    told = bits_figures.served_figures()
    freed, before, after = (float(told[f"exact_{key}"].split()[0]) for key in ("freed", "kv_16", "kv_4"))
    assert freed + before == pytest.approx(after, abs=1e-9)


@pytest.mark.parametrize("scales", SCALES)
def test_the_smaller_a_model_the_sooner_it_bends(scales: str) -> None:
    mini = 100 * (measured(4, "GPTQ", scales).perplexity / measured(FULL, "GPTQ", scales).perplexity - 1)
    ours, big = (bits_quoted.more_percent(model, 4, "GPTQ") for model in ("opt-13b", "opt-175b"))
    assert big < ours < mini
    assert bits_figures.mini_figures(scales)["gptq_rise_4"] == f"{mini:.1f} %"


def test_the_reply_called_nonsense_is_the_one_that_was_read() -> None:
    shown = replies(QUESTION, "GPTQ", WHOLE_ROW)
    assert shown.first_change == 4
    assert shown.text(4).startswith("You can fot water? Water plants in the business days")
    assert bits_figures.is_nonsense(shown, "GPTQ", WHOLE_ROW)
    assert not bits_figures.is_nonsense(shown, "rounded", WHOLE_ROW)
    other = replies(QUESTIONS[1], "GPTQ", WHOLE_ROW)
    assert not bits_figures.is_nonsense(other, "GPTQ", WHOLE_ROW)


def test_fewer_bits_seat_more_and_serve_more_on_monday() -> None:
    served = [bits_seats.served(bits) for bits in (16, 8, 4)]
    assert [one.on_target for one in served] == sorted(one.on_target for one in served)
    assert served[0].on_target < served[1].on_target < served[2].on_target
    assert served[0].longest_requests < served[1].longest_requests < served[2].longest_requests
    assert 2.3 < bits_seats.times_as_many() < 2.6
    assert 2.3 < served[2].longest_requests / served[0].longest_requests < 2.7
    assert served[0].alone_s > 3 * served[2].alone_s


def test_the_weights_shrink_to_about_a_quarter_and_scales_take_a_quarter_bit() -> None:
    assert 0.25 < bits_seats.served(4).weight_bytes / bits_seats.served(16).weight_bytes < 0.28
    assert server().model.weight_bytes(4) == pytest.approx(server().model.params * 4.25 / 8)


def test_the_questions_to_try_hold_for_a_while_and_then_change_by_both_methods() -> None:
    for question in QUESTIONS:
        for method in METHODS:
            assert replies(question, method, WHOLE_ROW).first_change in (6, 4, 3)


def test_three_bits_seat_one_more_and_serve_nobody_more_on_monday() -> None:
    four, three = bits_seats.served(4), bits_seats.served(3)
    assert three.longest_requests > four.longest_requests
    assert three.on_target == four.on_target


def test_the_passes_are_the_engines_and_the_gain_shrinks_with_the_batch() -> None:
    for bits in (16, 4):
        costs = server().unit_costs(Settings(weight_bits=bits))
        expected = pass_time(costs, 90.0, 90.0 * bits_batch.TOKENS, 0.0).total_s
        assert bits_batch.passes_s(bits)[89] == pytest.approx(expected)
    times = [bits_batch.times_as_fast(batch) for batch in range(1, bits_batch.MOST + 1)]
    assert times == sorted(times, reverse=True)
    assert times[0] > 3
    frame = bits_batch.batch_lines(90).to_pandas()
    here_ms = [1e3 * bits_batch.passes_s(bits)[89] for bits in (16, 4)]
    np.testing.assert_allclose(frame[frame["kind"] == "here"]["y"], here_ms)
    assert frame[["y"]].to_numpy().max() <= bits_batch.TOP_MS


def test_beyond_its_room_16_bits_are_drawn_as_not_fitting() -> None:
    frame = bits_batch.batch_lines(8).to_pandas()
    assert frame[frame["kind"] == "16 bits"]["x"].max() == bits_batch.room(16)
    assert frame[frame["kind"] == "no room"]["x"].min() == bits_batch.room(16) + 1
    assert bits_batch.room(4) > bits_batch.MOST


def test_quoted_lines_are_the_papers_numbers_and_what_is_said_of_them_holds() -> None:
    assert bits_quoted.perplexity("opt-13b", 3, "GPTQ") == QUOTED["gptq-opt-13b-3-bit"].value == 11.61
    assert bits_quoted.more_percent("opt-13b", 3, "GPTQ") == pytest.approx(15, abs=0.5)
    assert bits_quoted.more_percent("opt-13b", 4, "GPTQ") < 2
    for bits in (4, 3):
        assert bits_quoted.more_percent("opt-175b", bits, "GPTQ") < bits_quoted.more_percent(
            "opt-13b", bits, "GPTQ"
        )
        for model in bits_quoted.MODELS:
            assert bits_quoted.perplexity(model, bits, "rounded") > bits_quoted.perplexity(
                model, bits, "GPTQ"
            )
    for model in bits_quoted.MODELS:
        assert bits_quoted.perplexity(model, 3, "rounded") > 300 * bits_quoted.perplexity(
            model, 16, "rounded"
        )
    assert bits_quoted.MANY_MS / bits_quoted.FEW_MS < bits_figures.PROMISED


def test_the_weighed_dots_are_seats_over_quoted_perplexity() -> None:
    frame = bits_quoted.weighed_marks().to_pandas()
    dots = frame[frame["kind"].isin(["kept", "rounded"])]
    assert dots["x"].tolist() == [bits_seats.served(bits).longest_requests for bits, _ in bits_quoted.WEIGHED]
    assert dots["y"].tolist() == [10.13, 10.31, 11.32, 11.61]
    assert dots["x"].max() < bits_quoted.FIT_EDGE
    assert dots["y"].between(bits_quoted.LEAST, bits_quoted.MOST).all()


@pytest.mark.parametrize("bits", FEWER)
def test_the_layers_chart_draws_the_errors_within_its_axis(bits: int) -> None:
    for scales in SCALES:
        frame = bits_layers.layer_lanes(bits, scales).to_pandas()
        for method in METHODS:
            shares = [100 * row.outputs for row in errors(bits, method, scales)]
            np.testing.assert_allclose(frame[frame["kind"] == method]["x"], shares)
            assert min(shares) > bits_layers.LOW
            assert max(shares) < bits_layers.HIGH
