"""The vectors that the browser's Larkspur mini is held to were made from the weights and tokenizer shipped."""

import json

import numpy as np
import pytest

from larkspur import Model
from larkspur.vectors import COUNTS, FILE, checksums, vectors

RECORDED = json.loads(FILE.read_text("ascii"))


def test_the_vectors_were_made_from_the_shipped_files() -> None:
    assert RECORDED["made_from"] == checksums(), (
        "weights or tokenizer changed: run python -m larkspur.vectors"
    )


def test_there_are_as_many_cases_as_promised_and_none_twice() -> None:
    assert COUNTS == {"texts": 100, "logits": 20, "replies": 200}
    for name, count in COUNTS.items():
        assert len({case["text"] for case in RECORDED[name]}) == count


@pytest.mark.parametrize("signs", ["😀", "שלום"[0], "\u202e", "\x00", "\x7f", "\x85", "\ud800"])
def test_the_texts_hold_emoji_right_to_left_and_control_characters(signs: str) -> None:
    assert any(signs in case["text"] for case in RECORDED["texts"])


def test_the_vectors_come_out_again(mini: Model) -> None:
    again = json.loads(json.dumps(vectors(mini)))
    assert again["texts"] == RECORDED["texts"]
    assert again["replies"] == RECORDED["replies"]
    for now, then in zip(again["logits"], RECORDED["logits"], strict=True):
        np.testing.assert_allclose(now["logits"], then["logits"], rtol=0, atol=1e-4)
        assert now["draws"] == then["draws"]
