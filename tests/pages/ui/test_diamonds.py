"""The reader's diamonds on the charts of six chapters' guesses: in the picture, with their value beside them."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pandas as pd
import pyarrow as pa
import pytest

from pages.ui import batch_guess, draft_guess, first_word, kv_seats, monday_guess, timeline
from pages.ui.diamonds import BARS, empty_place, guess_marks, guess_told
from pages.ui.guess import Guess
from pages.ui.monday_try import CUSTOMERS

Lanes = Callable[[Guess], pa.Table]
NOTHING = Guess(None, None, None, is_revealed=False)
LETTER = partial(timeline.guess_lanes, letter=700)
CHARTS: dict[str, tuple[Lanes, float, str, tuple[int, ...]]] = {
    "1": (LETTER, timeline.EDGE_MS, " ms", (1, 114, 10_000)),
    "2": (kv_seats.seat_lanes, kv_seats.EDGE, "", (0, 7, 24, 1_000)),
    "3": (first_word.guess_lanes, first_word.MOST_MS, " ms", (first_word.LEAST_MS, 100, first_word.MOST_MS)),
    "5": (draft_guess.guess_lanes, draft_guess.EDGE, "", (draft_guess.LEAST, draft_guess.MOST)),
    "6": (batch_guess.guess_lanes, batch_guess.EDGE_PER_S, "", (1, 44, 500)),
    "7": (monday_guess.guess_lanes, CUSTOMERS, "", (0, 12, CUSTOMERS)),
}
TYPED = [(chapter, typed) for chapter, (*_, some) in CHARTS.items() for typed in some]


def drawn(chapter: str, made: Guess) -> pd.DataFrame:
    return CHARTS[chapter][0](made).to_pandas()


def label(frame: pd.DataFrame, kind: str) -> str:
    return frame[frame["kind"].str.startswith(f"{kind} label")]["label"].item()


@pytest.mark.parametrize("first", [3, None])
@pytest.mark.parametrize(("chapter", "typed"), TYPED)
def test_the_diamond_has_its_value_beside_it_and_stays_in_the_picture(
    chapter: str, typed: int, first: int | None
) -> None:
    _, edge, unit, _ = CHARTS[chapter]
    frame = drawn(chapter, Guess(typed, typed if first is None else first, typed, is_revealed=True))
    assert frame.query("kind == 'guess'")["x"].item() == min(typed, edge)
    assert f"you guessed {typed:,}{unit}" in label(frame, "guess")
    assert label(frame, "guess").endswith("→") == (typed > edge)
    assert len(frame.query("kind == 'first guess'")) == (first is not None)


@pytest.mark.parametrize("chapter", CHARTS)
def test_the_place_of_what_is_asked_is_empty_until_it_is_revealed(chapter: str) -> None:
    empty = {"title", "empty", "note"}
    asked = "lane == 1"
    assert set(drawn(chapter, NOTHING).query(asked)["kind"]) == empty
    typed = drawn(chapter, replace(NOTHING, typed=20)).query(asked)
    assert set(typed["kind"]) - {"guess label left", "guess label right"} == empty | {"guess"}
    assert "you guess 20" in label(typed, "guess")
    assert "empty" not in set(drawn(chapter, replace(NOTHING, is_revealed=True))["kind"])


def test_a_label_stands_on_the_side_where_there_is_room() -> None:
    for typed, side in ((40, "right"), (60, "left")):
        made = Guess(typed, typed, typed, is_revealed=True)
        assert [kind for _, kind, *_ in guess_marks(made, 100)] == ["guess", f"guess label {side}"]
    assert guess_marks(Guess(40, 40, 40, is_revealed=True), 100, middle=10)[1][1] == "guess label left"
    assert empty_place("asked", 9, 2)[1][2:4] == (2.0, 9.0)


def test_where_the_diamonds_stand_is_told_in_words() -> None:
    assert not guess_told(NOTHING)
    assert guess_told(replace(NOTHING, typed=1600), " ms") == " Your guess, a diamond, stands at 1,600 ms."
    changed = guess_told(Guess(7, 70, 7, is_revealed=True))
    assert changed.endswith("stands at 7. Your first guess, a small diamond, at 70.")


def test_diamonds_stand_below_their_lane_and_its_title_above() -> None:
    with pytest.raises(ValueError, match="from top to bottom, got"):
        replace(BARS, title_dy=26)
    with pytest.raises(ValueError, match="from top to bottom, got"):
        replace(BARS, first_guess_dy=BARS.guess_dy)
