"""Turns: one page is drawn at a time, in order of asking.

Python runs one thread at a time anyway; fifty that are drawn at once only take the processor from each other.
Measured with 50 people on two cores: 58 ms of processor a rerun without turns, 26 ms with them. A turn ends with
its thread, and by itself after `LONGEST_S`: whoever fails or computes for long does not hold up the others.
"""

import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

LONGEST_S = 2.0


@dataclass(eq=False)
class Turn:
    """A place in the queue; the first in it is the one whose turn it is."""

    until_s: float = 0.0
    told: threading.Event = field(default_factory=threading.Event)

    def begin(self) -> None:
        """Let its turn begin."""
        self.until_s = time.monotonic() + LONGEST_S
        self.told.set()


class Turns:
    """Those who draw a page now or wait for it, in order."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._queue: deque[Turn] = deque()

    def take(self) -> Turn:
        """Wait for the turn of whoever asks, and return it."""
        mine = Turn()
        with self._lock:
            self._queue.append(mine)
            if self._queue[0] is mine:
                mine.begin()
        while not self._has_begun(mine):
            mine.told.wait(self._patience_s())
        return mine

    def give_up(self, turn: Turn) -> None:
        """End a turn, unless it has ended by itself."""
        with self._lock:
            if turn in self._queue:
                self._leave(turn)

    def _has_begun(self, mine: Turn) -> bool:
        """Whether one's turn has begun, after those have gone that took too long; it may be over by now."""
        with self._lock:
            while not mine.told.is_set() and time.monotonic() >= self._queue[0].until_s:
                self._leave(self._queue[0])
            return mine.told.is_set()

    def _leave(self, turn: Turn) -> None:
        """Take a turn out of the queue, and let the next one begin if it was the first."""
        is_first = self._queue[0] is turn
        self._queue.remove(turn)
        if is_first and self._queue:
            self._queue[0].begin()

    def _patience_s(self) -> float:
        """How long the turn that is on may still last."""
        with self._lock:
            return max(self._queue[0].until_s - time.monotonic(), 0.0) if self._queue else 0.0


_TURNS, _HELD = Turns(), threading.local()


class Held:
    """A turn as its thread holds it: given up when the thread ends, however it ends."""

    def __init__(self) -> None:
        self.turn = _TURNS.take()

    def __del__(self) -> None:
        _TURNS.give_up(self.turn)


def take() -> None:
    """Wait for this thread's turn; one that is held is given up first."""
    give_up()
    _HELD.turn = Held()


def give_up() -> None:
    """End this thread's turn, if it has one."""
    _HELD.turn = None


@contextmanager
def turn() -> Iterator[None]:
    """Hold a turn, or go on with the one that this thread has."""
    if getattr(_HELD, "turn", None) is not None:
        yield
        return
    take()
    try:
        yield
    finally:
        give_up()


@contextmanager
def aside() -> Iterator[None]:
    """Let others draw while this thread works or waits for long; if it had a turn, it waits for another one then."""
    had_turn = getattr(_HELD, "turn", None) is not None
    give_up()
    yield
    if had_turn:
        take()
