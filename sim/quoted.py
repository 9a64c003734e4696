"""Results of papers that pages quote, from `data/quoted.toml`."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType
from typing import Any

from sim.config import DATA


@dataclass(frozen=True)
class Source:
    """A published work, and the day on which what is quoted of it was checked."""

    title: str
    authors: str
    venue: str
    url: str
    checked: date


@dataclass(frozen=True)
class Quoted:
    """One quoted result: its value (`upper` closes a range), unit, what it says, and where it stands."""

    value: float
    unit: str
    what: str
    where: str
    source: Source
    upper: float | None = None


@dataclass(frozen=True)
class QuotedTable:
    """A quoted table: its columns and rows, what it says, and where it stands."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    what: str
    where: str
    source: Source


def _load() -> tuple[Mapping[str, Source], Mapping[str, Quoted], Mapping[str, QuotedTable]]:
    tables: dict[str, dict[str, Any]] = tomllib.loads((DATA / "quoted.toml").read_text(encoding="utf-8"))
    sources = {key: Source(**row) for key, row in tables["sources"].items()}
    results = {
        key: Quoted(**(row | {"source": sources[row["source"]]})) for key, row in tables["results"].items()
    }
    quoted_tables = {key: _table(row, sources) for key, row in tables["tables"].items()}
    return MappingProxyType(sources), MappingProxyType(results), MappingProxyType(quoted_tables)


def _table(row: dict[str, Any], sources: Mapping[str, Source]) -> QuotedTable:
    rows = tuple(map(tuple, row["rows"]))
    return QuotedTable(tuple(row["columns"]), rows, row["what"], row["where"], sources[row["source"]])


SOURCES, QUOTED, QUOTED_TABLES = _load()
