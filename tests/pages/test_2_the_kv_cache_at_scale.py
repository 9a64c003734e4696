"""Chapter 2 as its visitors meet it: what is held back, what a link says, what is claimed."""

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui import kv_card, kv_lengths, kv_waste
from pages.ui.frame import READERS
from pages.ui.kv_figures import figures
from pages.ui.monday_memory import (
    LAYOUTS,
    RESERVED,
    done_s,
    mean_seated,
    monday_run,
    most_seated,
    rush_shares,
)
from sim import Settings, Trace, larkspur_server, simulate
from tests.pages.conftest import Open, addressed, guess, key, plain, words

PATH = "pages/2_the_kv_cache_at_scale.py"
SEATS = 7  # of the brief: 12 GB hold seven requests of 2,048 tokens


def alts(at: AppTest) -> str:
    """Return the sentences of all charts."""
    return "\n".join(chart.proto.alt for chart in at.get("vega_lite_chart"))


def test_the_figures_are_those_of_the_brief() -> None:
    told = figures()
    wanted = {
        "kv_token": "800 KB",
        "kv_token_bytes": "819,200",
        "kv_request": "1.6 GB",
        "longest": "2,048",
        "free": "12 GB",
        "seats": str(SEATS),
        "requests": "24",
        "blocks": "987",
        "newer_kv": "128 KB",
        "small_kv": "12 GB",
        "big_kv": "52 GB",
        "paper_max": "20.4%",
        "paper_pow2": "26.8%",
        "paper_exact": "38.2%",
        "paper_paged": "96.3%",
    }
    assert {name: told[name] for name in wanted} == wanted


def test_only_what_is_guessed_is_missing_before_the_guess(open_page: Open) -> None:
    at = open_page(PATH)
    told = words(at) + alts(at)
    assert "hold 7" not in told
    assert "7 requests" not in told
    assert "Reserved: the longest, in one piece: 7" not in told
    assert "up to" not in words(at)
    assert "until you guess" in alts(at)
    assert at.slider(key(PATH, "locked.length")).disabled
    assert "fall to 7" not in told
    assert "15 seated" in alts(at)  # paged, which is not guessed
    assert len(at.get("vega_lite_chart")) == 9


@pytest.mark.parametrize("reader", READERS)
def test_a_guess_brings_the_truth_in_every_reading(open_page: Open, reader: str) -> None:
    at = guess(open_page(PATH, reader=reader), PATH, 24)
    assert "You guessed **24**. It holds **7**." in words(at)
    assert "hold 7." in alts(at)
    assert addressed(at) == {reader}


@pytest.mark.slow
@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("reserved", RESERVED)
@pytest.mark.parametrize("bits", ["16", "4"])
@pytest.mark.parametrize("length", [kv_lengths.SHORTEST, kv_lengths.LONGEST])
def test_controls_at_their_ends(open_page: Open, reader: str, reserved: str, bits: str, length: int) -> None:
    at = open_page(PATH, reader=reader, shown="yes", reserved=reserved, bits=bits, length=str(length))
    assert not at.exception
    assert not at.warning
    assert f"weights at {bits} bits" in alts(at)
    assert f"at most {most_seated(reserved)} seated" in alts(at)


@pytest.mark.parametrize("reserved", ["Pow2", "exact"])
def test_the_other_reservations_are_shown_before_the_guess(open_page: Open, reserved: str) -> None:
    told = alts(open_page(PATH, reserved=reserved))
    assert f"at most {most_seated(reserved)} seated" in told
    assert "until you guess" not in told


def test_the_mission_is_acknowledged_only_when_it_is_done(open_page: Open) -> None:
    at = open_page(PATH, shown="yes")
    assert not at.success
    at.slider(key(PATH, "length")).set_value(kv_lengths.no_gain_from()).run()
    assert f"at {kv_lengths.no_gain_from():,} tokens {SEATS} fit" in plain(at.success[0].value)
    at.slider(key(PATH, "length")).set_value(kv_lengths.no_gain_from() - 1).run()
    assert not at.success
    assert not open_page(PATH, length=str(kv_lengths.LONGEST)).success  # not before the guess


def test_each_way_of_giving_out_memory_fills_more_of_it_and_seats_more() -> None:  # (R)
    shares = [rush_shares(layout)["holds text"] for layout in LAYOUTS]
    seats = [mean_seated(layout) for layout in LAYOUTS]
    assert shares == sorted(shares)
    assert seats == sorted(seats)
    papers = (
        [kv_waste.paper_share(layout) for layout in LAYOUTS],
        [kv_waste.paper_seats(layout) for layout in LAYOUTS],
    )
    assert all(list(values) == sorted(values) for values in papers)


def test_the_gap_is_smaller_here_than_in_the_paper_and_texts_are_longer() -> None:  # (R)
    ours = rush_shares("paged")["holds text"] / rush_shares("Max")["holds text"]
    assert ours < kv_waste.paper_share("paged") / kv_waste.paper_share("Max")
    assert mean_seated("paged") / mean_seated("Max") < kv_waste.paper_seats("paged") / kv_waste.paper_seats(
        "Max"
    )
    assert int(figures()["our_tokens"].replace(",", "")) > int(figures()["paper_tokens"])


def test_paging_brings_first_words_sooner_and_slower_text_and_is_done_earlier() -> None:  # (R)
    longest, paged = (monday_run(layout).requests for layout in ("Max", "paged"))
    assert paged["ttft_s"].mean() < 0.5 * longest["ttft_s"].mean()
    assert paged["tpot_s"].mean() > longest["tpot_s"].mean()
    assert done_s("paged") < 0.8 * done_s("Max")


def test_exact_lengths_finish_about_as_soon_as_paging_which_starts_some_over() -> None:  # (R)
    assert abs(done_s("exact") - done_s("paged")) < 0.05 * done_s("paged")
    assert monday_run("paged").requests["preemptions"].sum() > 0
    assert monday_run("exact").requests["preemptions"].sum() == 0


def test_the_reserved_piece_is_mostly_hollow_where_the_longest_is_promised() -> None:
    shares = rush_shares("Max")
    assert shares["never used"] > 0.9 * shares["holds text"] - 0.01
    assert rush_shares("paged")["never used"] == 0
    assert rush_shares("paged")["rest of last blocks"] < 0.01


@pytest.mark.parametrize("length", [64, 500, 1103, 1969, 1970, 2048])
def test_as_many_equal_requests_fit_as_the_engine_seats(length: int) -> None:
    trace = Trace([0.0] * 260, [length - 2] * 260, [2] * 260)
    asked = Settings(scheduler="iteration-level", preemption="none", max_num_seqs=1000)
    run = simulate(trace, larkspur_server(), asked)
    assert run.outcome.peak_blocks == kv_lengths.paged_fit(length) * kv_lengths.blocks_of(length)


def test_a_card_of_twice_the_memory_holds_about_four_times_the_requests() -> None:
    small, big = (kv_card.servers()[name] for name in ("A100 SXM 40 GB", "A100 SXM 80 GB"))
    ratio = kv_card.parts_of(big, 16)["KV"] / kv_card.parts_of(small, 16)["KV"]
    assert 4 <= ratio < 5
    fit = [kv_card.requests_that_fit(one, 16) for one in (small, big)]
    assert fit == [7, 33]
    assert 4 < fit[1] / fit[0] < 5


def test_the_answer_in_whole_requests_waits_for_the_guess(open_page: Open) -> None:
    assert "33" not in open_page(PATH, check="c").info[0].value
    assert "7 become 33: 4.7 times" in plain(open_page(PATH, check="c", shown="yes").info[0].value)


def test_part_weights_and_room_add_up_to_what_is_free() -> None:
    told = figures()
    part, weights, work, free = (float(told[name].split()[0]) for name in ("part", "weights", "work", "free"))
    assert (part, weights + work + free) == (40, 40)


def test_a_mission_once_solved_stays_told(open_page: Open) -> None:
    at = open_page(PATH, shown="yes")
    assert "Solved earlier" not in words(at)
    for length in (kv_lengths.no_gain_from(), kv_lengths.SHORTEST):
        at.slider(key(PATH, "length")).set_value(length).run()
    assert not at.success
    assert "Solved earlier in this visit" in words(at)
