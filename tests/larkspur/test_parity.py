"""Hugging Face's GPT-2, as recorded by `python3 dev.py parity`, says the same as ours."""

import json

import numpy as np
import pytest

from larkspur import generate, load
from larkspur.model import DATA, NAMES
from larkspur.parity import LARGEST_DIFFERENCE, TEXTS, VECTORS, checkpoint_sha256

RECORDED = json.loads(VECTORS.read_text("utf-8"))


@pytest.mark.parametrize("name", NAMES)
def test_the_vectors_were_made_from_the_shipped_weights(name: str) -> None:
    assert RECORDED[name]["checkpoint_sha256"] == checkpoint_sha256(DATA / f"larkspur-{name}"), (
        "the weights changed: run python3 dev.py parity"
    )
    assert [case["text"] for case in RECORDED[name]["cases"]] == list(TEXTS)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("place", range(len(TEXTS)))
def test_ids_logits_and_replies_equal_hugging_faces(name: str, place: int) -> None:
    model, case = load(name), RECORDED[name]["cases"][place]
    assert model.encode(case["text"]) == case["ids"]
    np.testing.assert_allclose(
        model.forward(case["ids"])[-1], case["logits"], rtol=0, atol=LARGEST_DIFFERENCE[name]
    )
    assert [step.token_id for step in generate(model, case["ids"])] == case["reply"]
    cache = model.new_cache()
    for token_id in case["ids"]:
        logits = model.forward([token_id], cache)[-1]
    np.testing.assert_allclose(logits, case["logits"], rtol=0, atol=LARGEST_DIFFERENCE[name])
