"""The corpus and the tokenizer come out byte for byte again, and read as they should."""

import hashlib
import re
from pathlib import Path

import numpy as np
import pytest

from larkspur import held_out_texts
from larkspur.corpus import (
    Document,
    generate_documents,
    held_out_documents,
    held_out_sample,
    read_intents,
    training_texts,
)
from larkspur.corpus.intents import wordings
from larkspur.corpus.phrasing import contracted, hurried, skewed
from larkspur.corpus.tokenizer_training import train_tokenizer
from larkspur.model import DATA

pytestmark = pytest.mark.slow  # left to dev.py test


README = Path(__file__).resolve().parents[2] / "data" / "README.md"


@pytest.fixture(scope="module")
def texts() -> list[str]:
    return training_texts()


def test_the_corpus_comes_out_byte_for_byte_again(texts: list[str]) -> None:
    stated = re.search(
        r"training texts\D*([0-9,]+) documents.*?`([0-9a-f]{64})`", README.read_text("utf-8"), re.S
    )
    assert stated
    assert len(texts) == int(stated[1].replace(",", ""))
    assert hashlib.sha256("\0".join(texts).encode()).hexdigest() == stated[2]


@pytest.mark.parametrize("name", ["mini", "student"])
def test_the_tokenizer_comes_out_byte_for_byte_again(name: str, texts: list[str], tmp_path: Path) -> None:
    train_tokenizer(texts).save(str(tmp_path / "tokenizer.json"))
    shipped = DATA / f"larkspur-{name}" / "tokenizer.json"
    assert (tmp_path / "tokenizer.json").read_bytes() == shipped.read_bytes()


def test_held_out_documents_are_absent_from_training(texts: list[str], held_out: list[Document]) -> None:
    assert len(held_out) > 1_000
    assert {document.text for document in held_out}.isdisjoint(texts)


def test_the_shipped_sample_is_every_third_held_out_text_and_has_the_stated_checksum() -> None:
    shipped = (DATA / "held_out_sample.jsonl").read_bytes()
    assert list(held_out_texts()) == held_out_sample()
    assert f"`held_out_sample.jsonl` | `{hashlib.sha256(shipped).hexdigest()}`" in README.read_text("utf-8")


def test_held_out_documents_are_mixed_like_all(held_out: list[Document]) -> None:
    def shares(documents: list[Document]) -> list[float]:
        emails = np.mean([document.text.startswith("Dear customer") for document in documents])
        return [emails, np.mean([bool(document.prompt) for document in documents])]

    assert shares(held_out) == pytest.approx(shares(generate_documents()), abs=0.02)


def test_another_seed_gives_other_documents() -> None:
    assert generate_documents(50, seed=1) != generate_documents(50, seed=2)
    assert generate_documents(50, seed=1) == generate_documents(100, seed=1)[:50]
    assert held_out_documents(500, seed=1) != held_out_documents(500, seed=2)


def test_every_topic_is_asked_and_answered_with_no_number_copied() -> None:
    documents = generate_documents(20_000)
    intents = {intent.topic: intent for intent in read_intents()}
    assert {document.topic for document in documents if document.prompt} == set(intents)
    for document in documents:
        assert not re.search(r"[{}|\d]", document.text)
        assert any(answer in document.text for answer in intents[document.topic].answers)


def test_about_two_in_five_questions_are_typed_in_a_hurry() -> None:
    prompts = [document.prompt for document in generate_documents(20_000) if document.prompt]
    lower = np.mean([prompt == prompt.lower() for prompt in prompts])
    assert 0.2 < lower < 0.4
    unmarked = np.mean([prompt[-1] not in "?!." for prompt in prompts])
    assert 0.2 < unmarked < 0.4


def test_skewed_choice_has_the_odds_it_says() -> None:
    rng = np.random.default_rng(1)
    drawn = [skewed(rng, "abc", 0.5) for _ in range(14_000)]
    assert [drawn.count(option) / 14_000 for option in "abc"] == pytest.approx(
        [4 / 7, 2 / 7, 1 / 7], abs=0.02
    )


def test_wordings_are_every_sentence_that_a_pattern_allows() -> None:
    assert wordings(["{A|B} c{| d}.", "e"]) == ("A c.", "A c d.", "B c.", "B c d.", "e")


def test_what_is_typed_in_a_hurry_keeps_the_words_that_matter() -> None:
    rng = np.random.default_rng(1)
    typed = [hurried(rng, "Where can I pick up my order?") for _ in range(1_000)]
    assert all(word in text.lower() for text in typed for word in ("pick", "up", "order"))
    assert len(set(typed)) == 2 * 2 * 2  # "can", capitals and the mark may be missing


def test_contractions_are_the_usual_ones() -> None:
    assert (
        contracted("What is this and I am not, I cannot, I do not")
        == "What's this and I'm not, I can't, I don't"
    )


def test_a_document_starts_with_its_prompt() -> None:
    with pytest.raises(ValueError, match="expected a text that starts with its prompt"):
        Document("An answer.", "A question?", "topic")
