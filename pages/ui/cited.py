"""What the pages quote, where they use it, where it comes from: from the data files, for the page *Sources*."""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any

import pandas as pd

from pages.ui.chapters import CHAPTERS, OVERVIEW, ROOT, TRUST, Chapter, Page
from pages.ui.sources import cite, day
from sim import MEASURED_PASSES, QUOTED, SOURCES, Quoted, Source
from sim.recorded import RECORDED_RUNS

DATA = ROOT / "data"
PAGES: Mapping[str, Page] = MappingProxyType(
    {"0": OVERVIEW} | {str(page.number): page for page in CHAPTERS} | {"trust": TRUST}
)


@dataclass(frozen=True)
class Figure:
    """A quoted figure: its value with its unit, what it says, where in its source it stands, and who uses it."""

    key: str
    value: str
    what: str
    where: str
    source: Source
    pages: tuple[Page, ...]


@dataclass(frozen=True)
class Work:
    """A work that pages name for what it did or says."""

    source: Source
    what: str
    pages: tuple[Page, ...]


def table_of(name: str) -> dict[str, dict[str, Any]]:
    """Return the tables of a file of `data` by their names."""
    table: dict[str, dict[str, Any]] = tomllib.loads((DATA / name).read_text("utf-8"))
    return table


@cache
def used() -> Mapping[str, tuple[Page, ...]]:
    """Return the pages that use each quoted result, by its key; KeyError where a page has no such name."""
    return MappingProxyType({key: _pages(row) for key, row in table_of("used.toml")["results"].items()})


@cache
def works() -> Mapping[str, Work]:
    """Return the works that pages name, by key."""
    made = {}
    for key, row in table_of("used.toml")["works"].items():
        named = {name: row[name] for name in ("title", "authors", "venue", "url", "checked")}
        made[key] = Work(Source(**named), row["what"], _pages(row["pages"]))
    return MappingProxyType(made)


@cache
def flags_named() -> Mapping[str, tuple[Page, ...]]:
    """Return the pages that name each flag of vLLM, by its key (`serve.block-size`)."""
    return MappingProxyType({key: _pages(row) for key, row in table_of("used.toml")["flags"].items()})


@cache
def pages_of(key: str) -> tuple[Page, ...]:
    """Return the pages that use a figure of a source of `data/quoted.toml`, or only name it."""
    named_on = _pages(table_of("used.toml")["named"].get(key, ()))
    figures_on = {page for one in figures() if one.source == SOURCES[key] for page in one.pages}
    return tuple(page for page in PAGES.values() if page in figures_on or page in named_on)


def _pages(names: Iterable[str]) -> tuple[Page, ...]:
    return tuple(PAGES[name] for name in names)


@cache
def figures() -> tuple[Figure, ...]:
    """Return all quoted figures, single ones and tables, in the order of the data."""
    made = [
        Figure(key, in_words(one), one.what, one.where, one.source, used().get(key, ()))
        for key, one in QUOTED.items()
    ]
    for key, row in table_of("quoted.toml").get("tables", {}).items():
        value = f"a table of {len(row['rows'])} rows"
        made.append(
            Figure(key, value, row["what"], row["where"], SOURCES[row["source"]], used().get(key, ()))
        )
    return tuple(made)


def in_words(quoted: Quoted) -> str:
    """Return a quoted value with its unit: 36.9 ×, 2 to 3 ×."""
    upper = "" if quoted.upper is None else f" to {quoted.upper:,g}"
    number = f"{quoted.value:,.0f}" if quoted.value >= 1000 else f"{quoted.value:g}"
    return f"{number}{upper} {quoted.unit}"


def named(pages: Iterable[Page]) -> str:
    """Return the names of pages; those that are not written yet are marked."""
    told = [short_name(page) if page.is_ready else f"{short_name(page)} (coming)" for page in pages]
    return ", ".join(told) or "no page yet"


def short_name(page: Page) -> str:
    """Return a page's name in a list: chapter 3, or its title."""
    return f"chapter {page.number}" if isinstance(page, Chapter) else page.title


def of_source(source: Source) -> str:
    """Return a source's quoted figures as a list in Markdown."""
    lines = [
        f"- **{one.value}**: {one.what} ({one.where}). Used in: {named(one.pages)}."
        for one in figures()
        if one.source == source
    ]
    return "\n".join((cite(source), "", *lines))


def cite_work(key: str) -> str:
    """Return a work that pages name, and for what, as a line of Markdown."""
    work = works()[key]
    return f"{cite(work.source)} For {work.what}."


def of_works() -> str:
    """Return the works that pages name, and where, as a list in Markdown."""
    return "\n".join(f"- {cite_work(key)} Used in: {named(work.pages)}." for key, work in works().items())


def real_servers() -> list[str]:
    """Return the published pass times and the recorded runs, a line of Markdown each."""
    passes = [f"{one.name}: {one.source}. Checked {day(one.checked)}." for one in MEASURED_PASSES.values()]
    runs = [
        f"{run.name}: {run.source}. Checked {day(run.checked)}. Compared by `{run.command}` on {day(run.day)}."
        for run in RECORDED_RUNS.values()
    ]
    return [*passes, *runs]


def figures_table() -> pd.DataFrame:
    """Return a row a quoted figure: what it says, its pages, its source and the day it was checked."""
    rows = [
        (
            one.value,
            one.what,
            named(one.pages),
            one.where,
            one.source.title,
            one.source.url,
            str(one.source.checked),
        )
        for one in figures()
    ]
    columns = ["quoted", "what", "pages", "place", "source", "address", "checked"]
    return pd.DataFrame(rows, columns=columns)
