"""Tables of text, with commas, semicolons or tabs between cells (RFC 4180).

Azure LLM inference traces: arXiv 2311.18677 (Splitwise) and 2408.00741 (DynamoLLM). BurstGPT: arXiv 2401.17644.
"""

import csv
import io
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Protocol

from sim.trace_files.table import Table, known_columns, plain, unused_columns

LONGEST_HEADER = 10_000  # characters
WITHOUT_HEADER = ("arrival", "prompt", "output")
AZURE = {"timestamp", "contexttokens", "generatedtokens"}
BURSTGPT = {"timestamp", "request_tokens", "response_tokens"}


class Reader(Protocol):
    """What `csv.reader` returns: rows, and the line it has come to."""

    line_num: int

    def __iter__(self) -> "Reader": ...
    def __next__(self) -> list[str]: ...


def read_csv(text: str) -> Table:
    """Return the cells of a table, with or without a header.

    Raises ValueError where it is no table, or has columns that are not known.
    """
    header_line = text.lstrip()[: LONGEST_HEADER + 1].splitlines()[0]
    if len(header_line) > LONGEST_HEADER:
        raise ValueError(
            f"expected a table with one request a line, got a line of more than {LONGEST_HEADER:,} characters."
        )
    delimiter = max(",;\t", key=header_line.count)
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True, strict=True
    )
    try:
        return _read(reader)
    except csv.Error as error:
        raise ValueError(f"expected a CSV table, got in line {reader.line_num:,}: {error}.") from error


def _read(reader: Reader) -> Table:
    first = next((row for row in reader if not _blank(row)), [])
    headless = len(first) in (2, 3) and all(cell.strip()[:1].isdigit() for cell in first)
    names = WITHOUT_HEADER[-len(first) :] if headless else first
    columns = known_columns(names)
    table = Table(_format(names, columns), columns, unit="s" if _is(BURSTGPT, names) else None)
    if headless:
        table.remarks.append(f"No header: the columns were taken as {', '.join(names)}.")
    table.remarks += unused_columns(names, columns)
    _fill(table, reader, first, names, headless)
    return table


def _fill(table: Table, reader: Reader, first: list[str], names: Sequence[str], headless: bool) -> None:
    header, width = None if headless else first, len(names)
    take = [(table.cells[role].append, names.index(name)) for role, name in table.columns.items()]
    taken = take[0][1]
    for row in chain([first] if headless else [], reader):
        cells = row[:width] if len(row) > width and _blank(row[width:]) else row
        if len(cells) == width and cells != header and (cells[taken] or not _blank(cells)):
            for append, place in take:
                append(cells[place])
            table.places.append(reader.line_num)
        else:
            table.drop(_why_not(cells, header, width), reader.line_num)


def _why_not(cells: list[str], header: list[str] | None, width: int) -> str:
    if _blank(cells):
        return "blank"
    return "the header again" if cells == header else f"not {width} cells"


def _blank(cells: Sequence[str]) -> bool:
    return not any(cell.strip() for cell in cells)


def _is(format_columns: set[str], names: Sequence[str]) -> bool:
    return format_columns <= {plain(name) for name in names}


def _format(names: Sequence[str], columns: Mapping[str, str]) -> str:
    if _is(AZURE, names):
        return "an Azure LLM inference trace"
    if _is(BURSTGPT, names):
        return "a BurstGPT trace"
    return "a CSV table" if "arrival" in columns else "a CSV table of lengths"
