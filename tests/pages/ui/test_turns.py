"""Turns: one at a time, in order, and nobody waits for those who take too long."""

import threading
import time

import pytest

from pages.ui import turns
from pages.ui.turns import Turns


def test_turns_come_one_at_a_time_and_in_order() -> None:
    queue, begun, together = Turns(), [], []
    first = queue.take()

    def draw(number: int) -> None:
        mine = queue.take()
        begun.append(number)
        together.append(sum(1 for turn in queue._queue if turn.until_s))
        queue.give_up(mine)

    threads = [threading.Thread(target=draw, args=(number,)) for number in range(8)]
    for count, thread in enumerate(threads, start=2):
        thread.start()
        while len(queue._queue) < count:
            time.sleep(0.001)
    assert begun == []
    queue.give_up(first)
    for thread in threads:
        thread.join(10)
    assert begun == list(range(8))
    assert together == [1] * 8


def test_a_turn_that_lasts_too_long_ends_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "LONGEST_S", 0.05)
    queue = Turns()
    slow = queue.take()
    second = queue.take()  # returns although nobody has given up
    queue.give_up(slow)  # late, and no harm
    assert list(queue._queue) == [second]
    queue.give_up(second)
    assert not queue._queue


def test_a_turn_that_is_over_before_its_thread_wakes_lets_it_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "LONGEST_S", 0.0)
    queue = Turns()
    sleeper = queue.take()
    second = queue.take()  # the sleeper's turn is over
    assert queue._has_begun(sleeper)
    queue.give_up(second)
    assert not queue._queue
    assert queue._has_begun(sleeper)


def test_a_thread_that_takes_a_turn_again_gives_up_the_first() -> None:
    before = len(turns._TURNS._queue)
    turns.take()
    turns.take()
    assert len(turns._TURNS._queue) == before + 1
    with turns.turn():
        assert len(turns._TURNS._queue) == before + 1
    assert len(turns._TURNS._queue) == before + 1
    turns.give_up()
    turns.give_up()
    assert len(turns._TURNS._queue) == before


def test_who_works_for_long_lets_others_draw_and_waits_for_another_turn_then() -> None:
    before = len(turns._TURNS._queue)
    with turns.turn():
        with turns.aside():
            assert len(turns._TURNS._queue) == before
        assert len(turns._TURNS._queue) == before + 1
    with turns.aside():
        assert len(turns._TURNS._queue) == before
    assert len(turns._TURNS._queue) == before


def test_who_stops_its_work_has_no_turn_left_behind() -> None:
    before = len(turns._TURNS._queue)
    with pytest.raises(ValueError, match="stopped"), turns.turn(), turns.aside():
        raise ValueError("stopped")
    assert len(turns._TURNS._queue) == before


def fail() -> None:
    with turns.turn():
        raise ValueError("drawn badly")


def test_what_fails_gives_up_its_turn() -> None:
    before = len(turns._TURNS._queue)
    with pytest.raises(ValueError, match="drawn badly"):
        fail()
    assert len(turns._TURNS._queue) == before


def test_a_turn_ends_with_its_thread() -> None:
    before = len(turns._TURNS._queue)
    thread = threading.Thread(target=turns.take)
    thread.start()
    thread.join(10)
    assert len(turns._TURNS._queue) == before
