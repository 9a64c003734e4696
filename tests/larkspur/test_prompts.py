"""What a reader types, and what the model reads of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from larkspur import Model, generate, load, prompt


def test_an_ordinary_text_is_read_whole_and_without_notes(mini: Model) -> None:
    made = prompt(mini, "Where is my order?")
    assert list(made.ids) == mini.encode("Where is my order?")
    assert made.notes == ()


@pytest.mark.parametrize("text", ["", " ", "\n\t "])
def test_an_empty_prompt_is_refused_with_a_sentence(mini: Model, text: str) -> None:
    with pytest.raises(ValueError, match="expected some text, got an empty prompt; type a question"):
        prompt(mini, text)


def test_a_long_text_keeps_the_marker_and_its_last_191_tokens_with_a_note(mini: Model) -> None:
    text = "Where is my order? " * 600
    made, everything = prompt(mini, text), mini.encode(text)
    assert len(made.ids) == 192
    assert made.ids == (0, *everything[-191:])
    assert len(made.notes) == 1
    assert f"The text has {len(everything):,} tokens" in made.notes[0]


def test_192_tokens_are_kept_without_a_note(mini: Model) -> None:
    text = "a" * 1000
    while len(mini.encode(text)) > 192:
        text = text[1:]
    assert len(mini.encode(text)) == 192
    assert prompt(mini, text).notes == ()


def test_half_characters_are_noted(mini: Model) -> None:
    made = prompt(mini, "box \ud83d and \udc4d")
    assert mini.decode(made.ids) == "box \ufffd and \ufffd"
    assert "2 in all" in made.notes[0]


@given(text=st.text(st.characters(), min_size=1).filter(str.strip))
def test_any_text_gets_a_reply(text: str) -> None:
    model = load("mini")
    reply = list(generate(model, prompt(model, text).ids))
    assert 1 <= len(reply) <= 64
