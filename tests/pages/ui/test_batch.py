"""Pace and throughput as values: what is drawn is what the server computes, and what is said of it holds."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from pages.ui import batch_guess, batch_sums, cap_waits, trade
from pages.ui.batch_curve import (
    KNEE,
    MOST,
    curve,
    fitting,
    fullest,
    knee,
    largest,
    monday_curve,
    queue,
    roomy_server,
)
from pages.ui.batch_figures import PROMISE, figures
from pages.ui.batch_guess import CROWD, SO_FAR, each_per_s
from pages.ui.batch_price import dollars, replies_dollars
from pages.ui.guess import Guess
from pages.ui.served import costs, server
from sim import Settings, Trace, monday, pass_time, simulate

NOTHING = Guess(None, None, None, is_revealed=False)
TIMES = (1, 2)


def run_alone(times: int, cap: int, *, is_roomy: bool = False) -> dict[str, float]:
    """Return the summary of one run by itself, outside any search."""
    where = roomy_server() if is_roomy else server()
    return simulate(queue(times), where, Settings(max_num_seqs=cap)).summary()


@pytest.mark.parametrize("customers", [1, CROWD])
def test_those_who_write_together_have_the_pace_of_the_closed_form(customers: int) -> None:
    total_s = pass_time(costs(), float(customers), float(customers * (SO_FAR + 1)), 0.0).total_s
    assert each_per_s(customers) == pytest.approx(1 / total_s)


def test_the_guess_is_neither_a_share_nor_the_whole() -> None:
    alone, each = each_per_s(1), each_per_s(CROWD)
    assert round(alone) == 65
    assert round(each) == 44
    assert 10 * alone / CROWD < each < 0.8 * alone
    one, many = (pass_time(costs(), n, n * (SO_FAR + 1), 0.0) for n in (1.0, float(CROWD)))
    assert one.weight_read_s == many.weight_read_s > 0.9 * one.total_s
    assert many.kv_read_s > many.arithmetic_s - many.hidden_s > 0


@pytest.mark.parametrize("times", TIMES)
@pytest.mark.parametrize("cap", [1, 13, 27, MOST])
@pytest.mark.parametrize("is_roomy", [False, True])
def test_a_dot_is_one_run_of_the_engine(times: int, cap: int, is_roomy: bool) -> None:
    dot, told = curve(times, is_roomy=is_roomy)[cap - 1], run_alone(times, cap, is_roomy=is_roomy)
    assert dot.batch == cap
    assert dot.pace_per_s == pytest.approx(1 / told["tpot_p99_s"])
    assert dot.median_pace_per_s == pytest.approx(1 / told["tpot_p50_s"])
    assert dot.server_per_s == pytest.approx(told["tokens_per_s"])
    assert dot.replies_per_s == pytest.approx(told["done"] / told["span_s"])
    assert dot.preemptions == told["preemptions"]
    assert told["rejected"] == 0


@pytest.mark.parametrize("times", TIMES)
@pytest.mark.parametrize("cap", [1, 8, 24])
def test_there_is_always_a_queue_and_every_seat_is_taken(times: int, cap: int) -> None:
    run = simulate(queue(times), roomy_server(), Settings(max_num_seqs=cap))
    passes, last_entry_s = run.passes, run.requests["admitted_s"].max()
    busy = passes[(passes["start_s"] > 1.5) & (passes["start_s"] < last_entry_s)]
    assert (busy["waiting"] > 0).all()
    seated = run.segments[~run.segments["state"].isin(["waiting", "preempted"])]
    taken_s = (seated["end_s"].clip(1.5, last_entry_s) - seated["start_s"].clip(1.5, last_entry_s)).sum()
    assert taken_s / (last_entry_s - 1.5) == pytest.approx(cap, rel=1e-3)


@pytest.mark.parametrize("times", TIMES)
def test_the_pace_lies_just_below_the_closed_form_of_writing_alone(times: int) -> None:
    trace = queue(times)
    for dot in curve(times, is_roomy=True)[1:24]:
        mean_text = float((trace.prompt_tokens + trace.output_tokens / 2).mean())
        writing_s = pass_time(costs(), float(dot.batch), dot.batch * mean_text, 0.0).total_s
        assert 0.85 < dot.median_pace_per_s * writing_s < 1.02


@pytest.mark.parametrize("times", TIMES)
def test_a_bigger_batch_makes_passes_longer_and_replies_cheaper(times: int) -> None:
    for one, more in pairwise(curve(times)[: fitting(times)]):
        assert one.pace_per_s > more.pace_per_s
        assert one.replies_per_s < more.replies_per_s


def test_in_the_queue_the_crowd_gets_a_little_less_than_in_the_guess() -> None:
    pace_per_s = curve(1)[CROWD - 1].pace_per_s
    assert 0.85 * each_per_s(CROWD) < pace_per_s < each_per_s(CROWD)
    mean_tokens = queue(1).prompt_tokens.mean() + queue(1).output_tokens.mean() / 2
    assert mean_tokens == pytest.approx(SO_FAR, rel=0.02)


@pytest.mark.parametrize("times", TIMES)
def test_past_the_memory_the_dots_turn_back(times: int) -> None:
    dots, roomy = curve(times), curve(times, is_roomy=True)
    best, full = fullest(dots), dots[-1]
    assert fitting(times) < best.batch < MOST
    assert full.server_per_s < best.server_per_s
    assert full.pace_per_s < best.pace_per_s
    for one, more in pairwise(dots[fitting(times) - 1 : best.batch]):
        assert more.preemptions > 0
        assert one.server_per_s < more.server_per_s  # preempting has begun, and throughput still rises
        assert one.pace_per_s > more.pace_per_s
    for dot in dots[best.batch :]:
        assert dot.server_per_s < best.server_per_s
        assert dot.pace_per_s < best.pace_per_s
    assert full.preemptions > 100
    assert full.median_pace_per_s > 1.5 * full.pace_per_s
    assert dots[fitting(times) - 1].median_pace_per_s < 1.05 * dots[fitting(times) - 1].pace_per_s
    assert dots[: fitting(times)] == roomy[: fitting(times)]
    assert roomy[-1].server_per_s > best.server_per_s


@pytest.mark.parametrize("times", TIMES)
def test_the_knee_is_where_the_pace_is_half_of_that_alone(times: int) -> None:
    roomy = curve(times, is_roomy=True)
    bend = knee(times)
    assert bend.pace_per_s <= KNEE * roomy[0].pace_per_s < roomy[bend.batch - 2].pace_per_s
    assert bend.preemptions == 0
    assert bend.batch > fitting(times)


def test_the_pace_stops_the_batch_and_with_doubled_texts_the_memory() -> None:
    assert largest(1, PROMISE) == largest(1, PROMISE, is_roomy=True)
    assert largest(2, PROMISE) < largest(2, PROMISE, is_roomy=True)
    for times in TIMES:
        most = largest(times, PROMISE)
        assert curve(times)[most - 1].pace_per_s >= PROMISE > curve(times)[most].pace_per_s
    next_one = curve(2)[largest(2, PROMISE)]
    assert next_one.preemptions > 10
    assert next_one.median_pace_per_s > PROMISE  # most still have it: those who start over have not


def test_doubled_texts_are_twice_as_long_for_everyone() -> None:
    one, two = queue(1), queue(2)
    np.testing.assert_array_equal(2 * one.prompt_tokens, two.prompt_tokens)
    np.testing.assert_array_equal(2 * one.output_tokens, two.output_tokens)
    np.testing.assert_array_equal(one.arrival_s, two.arrival_s)
    assert (two.prompt_tokens + two.output_tokens).max() <= Settings().max_model_len


def test_monday_is_the_engines_and_ends_where_the_memory_does() -> None:
    dots = monday_curve()
    for cap in (1, 11, 16, 24):
        told = simulate(monday(), server(), Settings(max_num_seqs=cap)).summary()
        assert dots[cap - 1].server_per_s == pytest.approx(told["tokens_per_s"])
        assert dots[cap - 1].pace_per_s == pytest.approx(1 / told["tpot_p99_s"])
    same_from = int(figures(2.0)["monday_same_from"])
    assert fullest(dots).batch < same_from
    assert all(replace(dot, batch=1) == replace(dots[-1], batch=1) for dot in dots[same_from - 1 :])
    assert dots[same_from - 2] != replace(dots[-1], batch=same_from - 1)
    assert dots[-1].preemptions > 0
    assert dots[-1].pace_per_s < fullest(dots).pace_per_s


def test_a_price_is_hours_times_dollars() -> None:
    assert replies_dollars(1.0, 3.6) == pytest.approx(1.0)
    dot = curve(1)[CROWD - 1]
    tokens_an_hour = dot.server_per_s * 3600
    whole = 1000 * queue(1).output_tokens.mean() / tokens_an_hour * 2.0
    assert replies_dollars(dot.replies_per_s, 2.0) == pytest.approx(whole)
    assert [dollars(value) for value in (0.284, 4.335, 216.7)] == ["$0.28", "$4.33", "$217"]


@pytest.mark.parametrize("times", TIMES)
@pytest.mark.parametrize("promise", [20, 40, 60])
def test_a_filled_dot_keeps_the_promise_and_an_open_one_breaks_it(times: int, promise: int) -> None:
    frame = trade.trade_marks(times, promise, 2.0, True).to_pandas()
    for kind, keeps in (("kept", True), ("broken", False)):
        drawn = frame[frame["kind"] == kind]
        assert set(drawn["lane"]) == {d.batch for d in curve(times) if (d.pace_per_s >= promise) == keeps}
    for kind, is_roomy in (("told", False), ("roomy", True)):
        for row in frame[frame["kind"] == kind].itertuples():
            dot = curve(times, is_roomy=is_roomy)[row.lane - 1]
            assert (row.x, row.y) == (dot.pace_per_s, dot.server_per_s)
    assert frame[frame["kind"] == "slow"]["x_end"].tolist() == [promise]
    assert frame["y"].max() <= 1600
    assert frame["x"].max() <= 70


@pytest.mark.parametrize("rate", range(cap_waits.SLOWEST, cap_waits.FASTEST + 1, 6))
def test_each_line_of_waits_has_its_name_and_none_covers_another(rate: int) -> None:
    named = cap_waits.waits_lines(rate).to_pandas().query("kind == 'name'")
    assert named["label"].tolist() == list(cap_waits.SHARES.values())
    assert (named["y"].to_numpy()[1:] / named["y"].to_numpy()[:-1] >= cap_waits.APART - 1e-9).all()
    last = cap_waits.waits(rate)[-1]
    assert named["y"].iloc[1] == last.p90_s


@pytest.mark.parametrize("cap", [1, 8, 31])
def test_the_sum_is_of_the_readers_cap(cap: int) -> None:
    told = batch_sums.saturated(1, 2.0, cap)
    dot = curve(1)[cap - 1]
    assert told.figure == f"pace, throughput and price at {cap} at once, the cap of “Break it”"
    assert dict(told.values)["pace"] == f"{dot.pace_per_s:.1f} tokens a second"
    assert dollars(replies_dollars(dot.replies_per_s, 2.0)) in told.result.replace("\\", "")


def test_the_dragged_dot_tells_its_price() -> None:
    frame = trade.trade_marks(1, PROMISE, 4.0, True).to_pandas()
    label = frame[(frame["kind"] == "told") & (frame["lane"] == CROWD)]["label"].item()
    dot = curve(1)[CROWD - 1]
    assert label.split(" · ")[0] == "24 at once"
    assert label.endswith(dollars(replies_dollars(dot.replies_per_s, 4.0)))


def test_before_the_guess_no_chart_or_sentence_tells_the_truth() -> None:
    truth = f"{each_per_s(CROWD):.0f}"
    assert truth not in batch_guess.guess_alt(NOTHING)
    assert {"empty", "note", "title"} == set(
        batch_guess.guess_lanes(NOTHING).to_pandas().query("lane == 1")["kind"]
    )
    told = trade.trade_marks(1, PROMISE, 2.0, False).to_pandas()
    assert set(told[told["kind"].isin(["kept", "broken", "told"])]["lane"]) == {1}
    assert not {"roomy", "knee"} & set(told["kind"])
    assert f"{largest(1, PROMISE)} at once" not in trade.trade_alt(1, PROMISE, 2.0, False)
    assert len(batch_guess.guess_numbers(NOTHING)) == len(trade.trade_numbers(1, 2.0, False)) == 1


@pytest.mark.parametrize("typed", [1, 44, 500])
def test_a_guess_brings_the_bar_of_the_crowd(typed: int) -> None:
    frame = batch_guess.guess_lanes(Guess(typed, 3, typed, is_revealed=True)).to_pandas()
    each = frame.query("kind == 'each' and lane == 1")["x_end"].item()
    assert each == pytest.approx(each_per_s(CROWD))


@pytest.mark.parametrize("rate", [cap_waits.SLOWEST, 60, cap_waits.FASTEST])
def test_waits_are_the_engines(rate: int) -> None:
    trace = Trace.steady(rate_per_s=rate / 60, num_requests=cap_waits.CUSTOMERS, like=monday())
    for wait in cap_waits.waits(rate):
        if wait.cap in (1, 8, 64):
            ttft_s = simulate(trace, server(), Settings(max_num_seqs=wait.cap)).requests["ttft_s"]
            percentiles = np.percentile(ttft_s, list(cap_waits.SHARES))
            np.testing.assert_allclose((wait.p50_s, wait.p90_s, wait.p99_s), percentiles)
    frame = cap_waits.waits_lines(rate).to_pandas()
    drawn = frame[frame["kind"].isin(["p50", "p90", "p99"])]
    assert drawn["y"].min() > cap_waits.LOW_S
    assert drawn["y"].max() < cap_waits.HIGH_S


@pytest.mark.parametrize("rate", range(cap_waits.SLOWEST, cap_waits.FASTEST + 1, 6))
def test_from_the_marked_cap_on_nothing_changes_for_the_reason_given(rate: int) -> None:
    idle = cap_waits.idle_from(rate)
    swept = cap_waits.waits(rate)
    assert {replace(wait, cap=0) for wait in swept if wait.cap >= idle.cap} == {replace(idle, cap=0)}
    trace = Trace.steady(rate_per_s=rate / 60, num_requests=cap_waits.CUSTOMERS, like=monday())
    summary = simulate(trace, server(), Settings(max_num_seqs=idle.cap)).summary()
    assert cap_waits.is_full(rate) == (summary["preemptions"] > 0)


def test_a_cap_that_is_never_reached_changes_nothing() -> None:
    four = Trace([0.0, 0.1, 0.2, 0.3], [400] * 4, [200] * 4)
    runs = [simulate(four, server(), Settings(max_num_seqs=cap)).requests for cap in (4, 16, 64)]
    assert runs[0].equals(runs[1])
    assert runs[1].equals(runs[2])


@pytest.mark.parametrize("rate", [cap_waits.SLOWEST, 90])
def test_what_a_screen_reader_hears_has_the_numbers_shown(rate: int) -> None:
    assert f"{rate} customers a minute" in cap_waits.waits_alt(rate)
    assert cap_waits.waited(cap_waits.waits(rate)[0].p50_s) in cap_waits.waits_alt(rate)
    assert f"Up to {largest(1, PROMISE)} at once keep" in trade.trade_alt(1, PROMISE, 2.0, True)
    assert f"{fullest(monday_curve()).batch} at once" in trade.monday_alt(PROMISE, 2.0)
