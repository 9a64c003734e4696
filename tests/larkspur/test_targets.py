"""Both models reach their table on documents that training never saw."""

import pytest

from larkspur import Model
from larkspur.targets import Figure, measure, on_topic, print_table, reply


@pytest.mark.slow
def test_both_models_reach_their_table(mini: Model, student: Model) -> None:
    missed = [figure for figure in measure(mini, student) if not figure.reached]
    assert missed == []


def test_the_student_is_measured_by_the_same_yardstick_and_is_worse(
    mini: Model, student: Model, held_out: list
) -> None:
    questions = [document for document in held_out if document.prompt][:150]
    assert on_topic(student, questions) < on_topic(mini, questions)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Where is my order?", "tracking link"),
        ("When are you open?", "Monday to Saturday"),
        ("Can I return the chair?", "thirty days"),
        ("my roses have yellow leaves", "soil"),
    ],
)
def test_mini_answers_what_it_is_asked(mini: Model, question: str, answer: str) -> None:
    assert answer in reply(mini, question)


def test_a_missed_figure_is_shown_and_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert print_table([Figure("fine", 1.2, high=1.5)])
    assert not print_table([Figure("fine", 1.2, high=1.5), Figure("poor", 0.5, low=0.9)])
    assert capsys.readouterr().out.count("MISSED") == 1
