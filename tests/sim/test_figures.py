"""The figures that chapters show, as the simulated server computes them."""

import numpy as np
import pytest

from sim import (
    ACCELERATORS,
    MODELS,
    Server,
    Settings,
    Trace,
    larkspur_server,
    lone_request,
    reading_breaks_even,
    simulate,
)

COSTS = larkspur_server().unit_costs(Settings())


def test_opt_13b_has_the_published_parameters_and_kv_bytes():
    assert MODELS["opt-13b"].params == 12_853_473_280
    assert MODELS["opt-13b"].kv_bytes_per_token() == 819_200


def test_seven_tokens_in_and_seven_out_take_16_91_and_107_milliseconds():
    request = simulate(Trace([0.0], [7], [7]), larkspur_server(), Settings()).requests.iloc[0]
    assert request.ttft_s * 1000 == pytest.approx(15.66, abs=0.05)
    assert (request.e2e_s - request.ttft_s) * 1000 == pytest.approx(91.3, abs=0.05)
    assert round(request.e2e_s * 1000) == 107


def test_seven_hundred_tokens_are_read_in_about_114_milliseconds():
    assert round(lone_request(COSTS, 700, 1).ttft_s * 1000) == 114


def test_reading_stops_being_free_near_100_tokens():
    assert 95 <= reading_breaks_even(COSTS) <= 105


def test_larkspur_server_has_987_blocks_and_927_while_guessing():
    server = larkspur_server()
    assert server.num_blocks(Settings()) == 987
    assert server.num_blocks(Settings()) * 16 == 15_792
    assert server.num_blocks(Settings(num_speculative_tokens=4)) == 927


def test_reserving_for_2048_seats_seven_on_larkspur_server():
    assert larkspur_server().num_blocks(Settings()) // (2048 // 16) == 7


def test_twelve_gib_hold_the_15728_slots_of_the_pagedattention_paper():
    assert 12 * 2**30 // MODELS["opt-13b"].kv_bytes_per_token() == 15_728


def test_the_decode_pace_stays_flat_to_two_percent_over_a_reply():
    server = Server(MODELS["opt-13b"], ACCELERATORS["a100-80gb"])
    short, long = (lone_request(server.unit_costs(Settings()), 7, n) for n in (8, 512))
    assert long.decode_s / 511 == pytest.approx(short.decode_s / 7, rel=0.02)


def test_fewer_bits_shorten_a_lone_reply_but_not_its_arithmetic():
    costs = [larkspur_server().unit_costs(Settings(weight_bits=bits)) for bits in (16, 8, 4, 3)]
    assert np.all(np.diff([lone_request(each, 7, 7).e2e_s for each in costs]) < 0)
    assert len({each.token_s for each in costs}) == 1
