"""Chapter 5 as its visitors meet it: what is shown, what is held back, what a link says, what is said of bad input."""

import pytest

from pages.ui import draft_figures, draft_monday, draft_quoted, draft_rate, draft_server, draft_token, numbers
from pages.ui.draft_guess import FEW, MANY, PASSES, yielded
from pages.ui.draft_run import MOST_GUESSES, QUESTIONS, draft
from pages.ui.frame import READERS
from sim import Settings
from tests.pages.conftest import Open, addressed, guess, key, words

PATH = "pages/5_guess_ahead.py"
TRUTH = f"**{yielded(MANY):.0f}**"
LEAST, MOST, _ = draft_server.PERCENTS


def test_only_what_the_guess_is_about_is_missing_before_it(open_page: Open) -> None:
    at = open_page(PATH, acceptance="80", ahead=str(MANY))
    assert TRUTH not in words(at)
    assert "The place of 8 guesses is still empty" in words(at)
    assert "This fills in with your guess" in words(at)
    assert "What they yield comes with your guess" in words(at)
    assert "yield ?" not in words(at)
    assert "promises here comes with your guess" in words(at)
    assert "4.3" not in words(at)
    assert "times as fast as plain writing" in words(at), "all else runs"
    at.slider(key(PATH, "ahead")).set_value(FEW).run()
    assert "they yield 3.4 tokens each" in words(at)


@pytest.mark.parametrize("reader", READERS)
def test_a_guess_brings_the_truth_in_every_reading(open_page: Open, reader: str) -> None:
    at = guess(open_page(PATH, reader=reader), PATH, 67)
    assert "You guessed **67**" in words(at)
    assert f"It is {TRUTH}: 4.3 tokens a pass" in words(at)
    assert addressed(at) == {reader}


def test_what_was_held_back_comes_with_the_guess(open_page: Open) -> None:
    at = open_page(PATH, acceptance="80", ahead=str(MANY), shown="yes")
    assert "it promises 3.5 tokens" in words(at)
    assert "they yield 4.3 tokens each" in words(at)


ENDS = (
    {"guesses": 1, "place": 1, "draw": 1, "acceptance": LEAST, "ahead": 1, "batch": 1},
    {
        "guesses": MOST_GUESSES,
        "place": draft_token.LAST_PLACE,
        "draw": draft_token.MOST_DRAWS,
        "acceptance": MOST,
        "ahead": MOST_GUESSES,
        "batch": draft_server.MOST_BATCH,
    },
)


@pytest.mark.slow
@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("ends", ENDS, ids=["least", "most"])
@pytest.mark.parametrize("question", [QUESTIONS[1], QUESTIONS[-1]])
def test_controls_at_their_ends(open_page: Open, reader: str, ends: dict[str, int], question: str) -> None:
    at = open_page(PATH, reader=reader, shown="yes")
    at.selectbox(key(PATH, "question")).set_value(question).run()
    for name, value in ends.items():
        at.slider(key(PATH, name)).set_value(value).run()
        assert not at.exception
    made = draft(question, ends["guesses"])
    judged = draft_figures.of_the_draft(made)
    assert f"Of the {judged['judged']} guesses that it judged here it kept {judged['kept']}." in words(at)
    assert f"With {ends['batch']} at once, a plain pass takes" in words(at)


def test_the_chosen_way_of_picking_is_measured(open_page: Open) -> None:
    at = open_page(PATH)
    for pick in draft_rate.PICKS:
        at.segmented_control(key(PATH, "pick")).set_value(pick).run()
        assert f"**{numbers.percent(draft_rate.acceptance(pick))}**" in words(at)
        assert f"mini picking {pick}" in words(at)


def test_a_draw_is_told_as_it_was_made(open_page: Open) -> None:
    at = open_page(PATH)
    for number in range(1, 8):
        at.slider(key(PATH, "draw")).set_value(number).run()
        is_kept = draft_token.draw_of(QUESTIONS[0], 1, number).is_kept
        assert ("**kept it**" in words(at)) == is_kept
        assert ("**refused it**" in words(at)) != is_kept


def test_monday_is_told_with_guesses_and_without(open_page: Open) -> None:
    at = open_page(PATH, acceptance="70", ahead="4")
    without, guessing = draft_monday.plain(), draft_monday.rush(4, 70)
    on = (draft_monday.on_target(without), draft_monday.on_target(guessing))
    assert f"On target are {on[0]} of 24 without guesses and **{on[1]} with them**" in words(at)


def test_the_mission_is_acknowledged_where_guessing_is_a_loss_at_sixty_percent(open_page: Open) -> None:
    at = open_page(PATH)
    assert not at.success
    turn = draft_server.turns(MOST_GUESSES, draft_figures.MISSION_PERCENT)
    assert turn is not None
    at.slider(key(PATH, "ahead")).set_value(MOST_GUESSES).run()
    at.slider(key(PATH, "batch")).set_value(turn - 1).run()
    assert not at.success
    at.slider(key(PATH, "batch")).set_value(turn).run()
    assert "Done: 8 guesses a pass" in at.success[0].value
    at.slider(key(PATH, "acceptance")).set_value(draft_figures.MISSION_PERCENT - 1).run()
    assert not at.success, "fewer right guesses would be too easy"
    assert "That is slower, but it does not count: with fewer than 60 % right it is easy" in words(at)
    assert "[the sliders of the simulated server](#server)" in words(at)


def test_guessing_that_never_pays_is_told_without_a_crowd_of_one(open_page: Open) -> None:
    assert draft_server.turns(MOST_GUESSES, LEAST) == 1
    at = open_page(PATH, acceptance=str(LEAST), ahead=str(MOST_GUESSES))
    assert "Even for a customer alone such guessing is a loss" in words(at)
    assert "1 customers" not in words(at)
    assert "Even alone it is slower" in draft_server.pace_alt(MOST_GUESSES, LEAST, 8)


def test_what_further_guesses_bring_is_told_so_that_it_adds_up(open_page: Open) -> None:
    assert "lift the 10 passes only from 33.6 to 43.3 tokens" in words(open_page(PATH, shown="yes"))


def test_the_product_manager_is_told_of_the_question_and_guesses_that_stand_above(open_page: Open) -> None:
    at = open_page(PATH, shown="yes", question=QUESTIONS[3], guesses="2", ahead="3")
    made = draft(QUESTIONS[3], 2)
    said = f"mini's {made.n_tokens} tokens to “Can ship abroad?” came in {made.n_passes} passes, with at most 2 guesses"
    assert said in words(at)
    assert "with 3 guesses a pass, 60 % of them right, a lone customer's text" in words(at)


def test_the_question_and_the_reply_so_far_are_told_apart(open_page: Open) -> None:
    at = open_page(PATH)
    assert r"Asked “My order is late\.”, with nothing of the reply written yet" in words(at)
    at.slider(key(PATH, "place")).set_value(3).run()
    so_far = draft_token.chances(QUESTIONS[0], 3).so_far.strip()
    assert rf"Asked “My order is late\.”, with “{so_far}” of the reply written so far" in words(at)


@pytest.mark.slow
def test_a_link_of_nonsense_is_answered_in_one_box_that_says_what_stands_now(open_page: Open) -> None:
    names = (
        "guesses",
        "place",
        "draw",
        "acceptance",
        "ahead",
        "batch",
        "question",
        "pick",
        "check",
        "reader",
    )
    at = open_page(PATH, **dict.fromkeys(names, "zzz"))
    assert len(at.warning) == 1
    said = at.warning[0].value
    assert said.count("The link asks for") == len(names)
    assert "“batch = zzz”; expected a whole number from 1 to 64. It stays at 8." in said
    assert "one of “My order is late.”, “what's the best" in said
    assert "It stays at “the likeliest token”" in said
    assert "left as it was" not in said
    for name, value in (("batch", 9), ("ahead", 5)):
        at.slider(key(PATH, name)).set_value(value).run()
    assert at.warning[0].value.count("The link asks for") == len(names) - 2, (
        "what was touched is no longer said"
    )


def test_the_guess_is_about_what_the_formula_says() -> None:
    assert yielded(FEW) == pytest.approx(PASSES * 3.36, abs=0.02)
    assert yielded(MANY) == pytest.approx(PASSES * 4.33, abs=0.02)


def test_chapter_7_assumes_what_was_measured_of_a_large_model_and_the_page_says_so(open_page: Open) -> None:
    low, high = draft_quoted.acceptances()
    assert low < Settings().acceptance_rate < high
    assert draft_server.PERCENTS[2] / 100 < Settings().acceptance_rate
    said = words(open_page(PATH))
    assert f"begins at {draft_server.PERCENTS[2]} %" in said
    assert f"Chapter 7 assumes {Settings().acceptance_rate:.0%}".replace("%", " %") in said
    assert "translation (EnDe), likeliest token" in said
