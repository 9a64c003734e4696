"""Text to ids and back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from larkspur import Model, load
from larkspur.tokenizer import END_OF_TEXT

ENCODABLE = st.text(st.characters(exclude_categories=["Cs"]))


@given(text=ENCODABLE)
def test_decode_gives_back_what_encode_was_given(text: str) -> None:
    model = load("mini")
    ids = model.encode(text)
    assert ids[0] == 0
    assert 0 not in ids[1:]
    assert model.decode(ids) == text


@pytest.mark.parametrize("text", [END_OF_TEXT, f"Hello {END_OF_TEXT}{END_OF_TEXT} you", "<|endoftext"])
def test_a_marker_in_a_text_is_text(mini: Model, text: str) -> None:
    ids = mini.encode(text)
    assert 0 not in ids[1:]
    assert mini.decode(ids) == text


@pytest.mark.parametrize("text", ["\ud800", "a\udfffb", "\udc00\ud800"])
def test_lone_surrogates_are_read_as_the_replacement_character(mini: Model, text: str) -> None:
    assert mini.decode(mini.encode(text)) == "".join(
        "\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text
    )


def test_both_models_share_one_tokenizer(mini: Model, student: Model) -> None:
    text = "Where is my order? 📦 שלום"
    assert mini.encode(text) == student.encode(text)


def test_a_chip_shows_a_token_and_bytes_of_a_cut_character_as_bytes(mini: Model) -> None:
    assert [mini.token_text(i) for i in mini.encode("We")] == [END_OF_TEXT, "We"]
    assert [mini.token_text(i) for i in mini.encode("é")][1:] == [r"\xc3", r"\xa9"]


def test_pieces_of_all_tokens_are_the_bytes_of_the_text(mini: Model) -> None:
    text = "Straße 😀 \n\tمرحبا"
    pieces = [mini.tokenizer.token_bytes(i) for i in mini.encode(text)]
    assert b"".join(pieces).decode() == text


@pytest.mark.parametrize("token_id", [-1, 544])
def test_an_unknown_id_is_refused_with_a_sentence(mini: Model, token_id: int) -> None:
    with pytest.raises(ValueError, match=f"expected a token id from 0 to 543, got {token_id}"):
        mini.token_text(token_id)
    with pytest.raises(ValueError, match=f"got {token_id}"):
        mini.decode([token_id])


def test_a_cut_character_is_decoded_as_the_replacement_character(mini: Model) -> None:
    assert mini.decode(mini.encode("😀")[:-1]) == "\ufffd"
