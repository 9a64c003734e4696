"""Monday's rush is 24 requests of the kind that the chapters need."""

import numpy as np

from sim import monday, monday_table, mondays
from sim.monday.recipe import rush


def test_monday_is_24_requests_in_a_few_seconds():
    trace = monday()
    assert len(trace) == 24
    assert trace.arrival_s[0] == 0
    assert 3.5 <= trace.arrival_s[-1] <= 5


def test_monday_has_three_documents_and_fits_the_server():
    table = monday_table()
    assert (table["prompt_tokens"] >= 1300).sum() == 3
    assert (table["prompt_tokens"] <= 1050).sum() == 21
    assert (table["prompt_tokens"] + table["output_tokens"]).max() <= 2048


def test_monday_has_one_burst_and_one_lull():
    gaps_s = np.diff(monday().arrival_s)
    assert (gaps_s > 1).sum() == 1
    in_the_next_0_8_s = [((monday().arrival_s - start) % 100 < 0.8).sum() for start in monday().arrival_s]
    assert max(in_the_next_0_8_s) >= 10


def test_every_topic_is_asked_once():
    assert monday_table()["topic"].is_unique


def test_the_same_seed_gives_the_same_monday_and_another_seed_another():
    assert rush(5).equals(rush(5))
    assert not rush(5).equals(rush(6))


def test_other_mondays_are_of_the_same_kind_and_as_many_as_asked_for():
    few, more = mondays(3), mondays(5)
    assert [len(trace) for trace in more] == [24] * 5
    for one, same in zip(few, more, strict=False):
        np.testing.assert_array_equal(one.arrival_s, same.arrival_s)
        np.testing.assert_array_equal(one.prompt_tokens, same.prompt_tokens)
    assert not np.array_equal(few[0].arrival_s, few[1].arrival_s)
    assert not np.array_equal(few[0].arrival_s, mondays(1, seed=2)[0].arrival_s)
    assert mondays(0) == []
    longest = max(int((trace.prompt_tokens + trace.output_tokens).max()) for trace in mondays(200))
    assert longest <= 2048
