"""The words of the field, from `data/glossary.toml`, and the pages in whose texts they are used."""

import logging
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pandas as pd

from pages.ui.chapters import CHAPTERS, OVERVIEW, ROOT, TRUST, Chapter, Page, called
from pages.ui.prose import PLACE, TEXTS, passages

FILE = ROOT / "data" / "glossary.toml"
READ = (
    OVERVIEW,
    *CHAPTERS,
    TRUST,
)  # the pages whose words are explained, in the order in which they are read
OF_A_READER = re.compile(r"(?:shows|reads)\.(?P<reader>[A-Z].*)")  # the key of a passage that one reading has


@dataclass(frozen=True)
class Entry:
    """A word and what it means; `forms` are the ways in which texts write it, from the page `first` on.

    `also` are pages that use it where it is not looked for: in passing before `first`, or in a label.
    """

    name: str
    term: str
    says: str
    forms: tuple[str, ...]
    first: Page
    long: str = ""
    also: tuple[Page, ...] = ()

    def __post_init__(self) -> None:
        texts = (self.term, self.says, *self.forms)
        if not self.forms or not all(isinstance(one, str) and one for one in (*texts, self.name)):
            raise ValueError(f"expected words in term, says and forms, got {texts}; complete the entry")

    @property
    def told(self) -> str:
        """The entry as Markdown."""
        long = f" ({self.long})" if self.long else ""
        return f"**{self.term}**{long}  \n{self.says}"

    def place_in(self, text: str) -> int | None:
        """Return where a text first uses the word in one of its forms, or None."""
        there = _pattern(self.forms).search(text)
        return there.start() if there else None

    def answers(self, asked: str) -> bool:
        """Whether the entry has what a reader asks for, in its word, its other names, or its text."""
        here = " ".join((self.name, self.term, self.long, self.says, *self.forms)).casefold()
        return all(word in here for word in asked.casefold().split())


@cache
def entries() -> Mapping[str, Entry]:
    """Return all entries by name, in the order of the alphabet.

    What is wrong with the file is said in the server's log: a host's slip takes no page away from readers.
    """
    made, problems = read(FILE)
    for problem in problems:
        logging.getLogger(__name__).warning("data/glossary.toml: %s", problem)
    return MappingProxyType({one.name: one for one in sorted(made, key=lambda one: one.term.casefold())})


def read(file: Path) -> tuple[list[Entry], list[str]]:
    """Return the entries of a glossary file, and a sentence for each that is left out and why."""
    try:
        table: dict[str, Any] = tomllib.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as problem:
        return [], [f"it cannot be read, so the glossary is empty: {problem}"]
    made, problems = [], []
    for name, row in table.items():
        try:
            made.append(_entry(name, row))
        except ValueError as problem:
            problems.append(f"{name} is left out: {problem}")
    return made, problems


def _entry(name: str, row: Any) -> Entry:
    known = {"term", "long", "says", "forms", "chapter", "also"}
    places = range(len(READ))
    if not isinstance(row, dict) or not set(row) <= known or row.get("chapter") not in places:
        raise ValueError(
            f"expected a table with {', '.join(sorted(known))}, the chapter from 0 to {len(READ) - 1}, got {row}"
        )
    also = row.get("also", [])
    if not isinstance(also, list) or not all(place in places for place in also):
        raise ValueError(f"expected also to be a list of chapters from 0 to {len(READ) - 1}, got {also}")
    term, forms = row.get("term", ""), row.get("forms", [row.get("term", "")])
    first, on = READ[row["chapter"]], tuple(READ[place] for place in also)
    return Entry(name, term, row.get("says", ""), tuple(forms), first, row.get("long", ""), on)


@lru_cache(maxsize=512)
def _pattern(forms: tuple[str, ...]) -> re.Pattern[str]:
    """Return what finds any of the forms as whole words; a form in small letters is found with a capital too."""
    ways = (f"(?i:{re.escape(form)})" if form.islower() else re.escape(form) for form in forms)
    return re.compile(rf"(?<!\w)(?:{'|'.join(ways)})s?(?!\w)")


@lru_cache(maxsize=64)
def text_of(page: Page, reader: str | None = None) -> str:
    """Return what a page's text says to a reader, or to all of them: Markdown without its numbers."""
    told = [page.title, page.question] if isinstance(page, Chapter) else []
    for key, passage in passages(page.slug, 0).items():
        whose = OF_A_READER.fullmatch(key)
        if reader is None or whose is None or whose["reader"] == reader:
            told.append(PLACE.sub("0", passage))
    return "\n".join(told)


@cache
def written() -> tuple[Page, ...]:
    """Return the pages that are written and have a text, in the order in which they are read."""
    return tuple(page for page in READ if page.is_ready and (TEXTS / f"{page.slug}.md").exists())


def uses(name: str, reader: str | None) -> Iterator[Page]:
    """Give the pages that use a word, for a reader or for any; earlier ones mean something else by it."""
    entry = entries()[name]
    later = READ[READ.index(entry.first) :]
    return (page for page in written() if page in later and entry.place_in(text_of(page, reader)) is not None)


@cache
def used_on(name: str) -> tuple[Page, ...]:
    """Return all pages that use a word, for any reader, in the order in which they are read."""
    return tuple(uses(name, None))


@cache
def first_use(name: str, reader: str) -> Page | None:
    """Return the page on which a reader meets a word first, or None; no page behind it is searched."""
    return next(uses(name, reader), None)


@cache
def first_met(page: Page, reader: str) -> tuple[Entry, ...]:
    """Return the words that a reader who reads all pages in turn meets first on this one, in their order there."""
    new = [one for one in entries().values() if first_use(one.name, reader) == page]
    text = text_of(page, reader) if new else ""
    return tuple(sorted(new, key=lambda one: one.place_in(text) or 0))


@cache
def listed_on(name: str) -> tuple[Page, ...]:
    """Return the pages that use a word, those that use it in passing or in a label too."""
    there = {*used_on(name), *entries()[name].also}
    return tuple(page for page in written() if page in there)


def found(asked: str, page: Page | None = None) -> tuple[Entry, ...]:
    """Return the entries that answer what is asked, of one page or of all."""
    return tuple(
        one
        for one in entries().values()
        if one.answers(asked) and (page is None or page in listed_on(one.name))
    )


def table() -> pd.DataFrame:
    """Return a row an entry: `term, also_called, meaning, pages`."""
    rows = [
        (one.term, one.long, one.says, ", ".join(called(page) for page in listed_on(one.name)))
        for one in entries().values()
    ]
    return pd.DataFrame(rows, columns=["term", "also_called", "meaning", "pages"])
