"""The glossary: no word without an entry, no entry without a page, and every entry where its word first stands."""

import re
from pathlib import Path

import pytest

from pages.ui import glossary
from pages.ui.chapters import CHAPTERS, OVERVIEW, TRUST, Page, chapter
from pages.ui.frame import READERS
from pages.ui.glossary import entries, first_met, text_of, used_on, written

ABBREVIATION = re.compile(r"(?<![\w*`{-])[A-Z]{2,}[A-Z0-9]*(?:/s)?(?![\w-])")
ITALICS = re.compile(r"(?<![*\w])\*(?!\*)([^*\n]+)\*(?!\*)")
LAST_LINES = ("Ask your team", "Look at column", "The flag is")
# Names of things and people, which are no words of the field.
NAMES = {"NVIDIA", "XXL", "KAIST", "MIT"}
# Where italics stress a word, or name a title, a setting or one of the two sides of a contrast.
STRESSED = {
    *("Transformers", "reply", "first", "will", "changed", "bad", "further", "less", "which", "outputs"),
    *("negligible", "its", "rest", "draw", "guess", "the", "doubled", "Larkspur mini", "Orca", "how"),
    *("Simulated, not measured:", "reads.reader", "On target", "coming", "waiting", "Break it", "target"),
}


def test_the_file_is_read_whole() -> None:
    made, problems = glossary.read(glossary.FILE)
    assert problems == []
    assert len(made) == len(entries()) > 60


@pytest.mark.parametrize("name", entries())
def test_no_entry_is_orphaned_and_its_first_page_uses_it(name: str) -> None:
    entry = entries()[name]
    if not entry.first.is_ready:
        pytest.skip(f"{entry.first.title} is not written yet")
    assert used_on(name)[:1] == (entry.first,), (
        f"give {name} another chapter, or its forms as pages write them"
    )


@pytest.mark.parametrize("page", written(), ids=lambda page: page.slug)
@pytest.mark.parametrize("reader", READERS)
def test_every_word_in_a_pages_fold_stands_in_the_texts_of_that_page(page: Page, reader: str) -> None:
    text = text_of(page, reader).casefold()
    for entry in first_met(page, reader):
        assert any(form.casefold() in text for form in entry.forms), entry.term


@pytest.mark.parametrize("reader", READERS)
def test_every_word_opens_once_on_the_way_through_all_pages(reader: str) -> None:
    opened = [entry.name for page in written() for entry in first_met(page, reader)]
    assert len(opened) == len(set(opened))
    for name, entry in entries().items():
        later = written()[written().index(entry.first) :]
        is_used = any(entry.place_in(text_of(page, reader)) is not None for page in later)
        assert (name in opened) == is_used, name


@pytest.mark.parametrize("page", written(), ids=lambda page: page.slug)
def test_abbreviations_have_an_entry(page: Page) -> None:
    bare = re.sub(r"`[^`]*`", "", text_of(page))
    missing = {word for word in ABBREVIATION.findall(bare) if word not in NAMES and not has_entry(word)}
    assert not missing, f"{page.title} uses {missing}: add them to data/glossary.toml"


@pytest.mark.parametrize("page", written(), ids=lambda page: page.slug)
def test_words_that_a_page_introduces_in_italics_have_an_entry(page: Page) -> None:
    said = {word.strip(" .:,") for word in ITALICS.findall(text_of(page))}
    said = {word for word in said if re.search("[a-z]", word, re.IGNORECASE)}  # not a place for a number
    new = {word for word in said if not word.startswith(LAST_LINES) and word not in STRESSED | titles()}
    missing = {word for word in new if not has_entry(word)}
    assert not missing, f"{page.title} introduces {missing}: add them to data/glossary.toml"


def has_entry(word: str) -> bool:
    return any(entry.place_in(word) is not None for entry in entries().values())


def titles() -> set[str]:
    return {page.title for page in (OVERVIEW, *CHAPTERS, TRUST)}


def test_forms_are_found_as_whole_words_with_plural_and_capital() -> None:
    entry = entries()["batch"]
    assert entry.place_in("two Batches wait") == 4
    assert entry.place_in("a hatchback, batchwise") is None
    assert entries()["key-value"].place_in("the keyboard") is None
    assert entries()["memory-units"].place_in("12 gb") is None


def test_a_word_is_found_by_its_other_names_and_by_page() -> None:
    assert entries()["ttft"] in glossary.found("TTFT")
    assert entries()["decided-anew"] in glossary.found("continuous  BATCHING")
    assert glossary.found("no such word") == ()
    assert entries()["knee"] in glossary.found("", chapter(6))
    assert entries()["knee"] not in glossary.found("", chapter(1))


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("[a]\nterm = 'A'\nsays = 'B.'\nchapter = 1\n[b]\nterm = 'B'\n", ["a"]),
        ("[a]\nterm = 3\nsays = 'B.'\nchapter = 1\n", []),
        ("[a]\nterm = 'A'\nsays = 'B.'\nchapter = 99\n", []),
        ("a = 1\n", []),
        ("[a\n", []),
    ],
)
def test_a_slip_in_the_file_costs_that_entry_and_is_told(tmp_path: Path, text: str, left: list[str]) -> None:
    file = tmp_path / "glossary.toml"
    file.write_text(text)
    made, problems = glossary.read(file)
    assert [entry.name for entry in made] == left
    assert len(problems) == 1
    assert glossary.read(tmp_path / "missing.toml")[0] == []
