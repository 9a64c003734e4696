"""JSON and JSON Lines: Mooncake traces (arXiv 2407.00079), benchmark results, rows with known keys."""

import json
from collections.abc import Iterator
from itertools import chain, islice
from typing import Any

from sim.trace_files.prefixes import PrefixHits
from sim.trace_files.table import Table, known_columns, plain, unused_columns
from sim.trace_files.vllm_result import read_vllm

MOONCAKE = {"timestamp", "input_length", "output_length"}
HASH_IDS = "hash_ids"
NO_OBJECT = "no JSON object"
FIRST_LINES = 5
Rows = Iterator[tuple[int, Any]]  # each after its place


def read_json(text: str) -> Table:
    """Return the cells of a JSON or JSON Lines file.

    Raises ValueError where it is neither, or has keys that are not known.
    """
    try:
        document = json.loads(text)
    except ValueError as error:  # one object a line is no JSON document
        return _read_rows(_lines(text, error), "line")
    except RecursionError as error:
        raise ValueError("expected a trace in JSON, got brackets nested too deep for one.") from error
    if isinstance(document, list):
        return _read_rows(iter(enumerate(document, 1)), "entry")
    if "input_lens" in document:
        return read_vllm(document)
    if "total_input_tokens" in document:
        raise ValueError(
            "expected the requests of a vLLM benchmark, got its summary alone; run `vllm bench serve` with "
            "--save-result --save-detailed."
        )
    return _read_rows(iter([(1, document)]), "entry")


def _lines(text: str, error: ValueError) -> Rows:
    """Return what each line that is not blank says, or raise ValueError where the first ones say nothing."""
    lines = text.split("\n")
    first_lines = islice((line for line in lines if line.strip()), FIRST_LINES)
    if not any(isinstance(_value(line), dict) for line in first_lines):
        raise ValueError(f"expected JSON, or one JSON object a line, got: {error}.") from error
    return ((number, _value(line)) for number, line in enumerate(lines, 1) if line.strip())


def _value(line: str) -> Any:
    """Return what a line says, None where it is no JSON."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _read_rows(rows: Rows, place: str) -> Table:
    """Return the cells of objects; the keys of the first say what is in all."""
    strays: list[int] = []  # what stands before the first object
    for number, row in rows:
        if isinstance(row, dict):
            table = _table_of(row, place)
            _fill(table, chain([(number, row)], rows), strays)
            return table
        strays.append(number)
    raise ValueError("expected JSON objects, one a request, got none.")


def _table_of(first: dict[str, Any], place: str) -> Table:
    if "conversations" in first:
        raise ValueError(
            "expected token counts, got ShareGPT's conversations, which are texts; count their tokens first and "
            "give a table with input_len and output_len."
        )
    if "input_lens" in first:
        raise ValueError("expected one benchmark result, got several in one file; give one of them.")
    columns = known_columns(list(first))
    mooncake = {plain(name) for name in first} >= MOONCAKE
    table = Table("a Mooncake trace" if mooncake else "JSON rows", columns, place, "ms" if mooncake else None)
    table.remarks += unused_columns([name for name in first if name != HASH_IDS], columns)
    return table


def _fill(table: Table, rows: Rows, strays: list[int]) -> None:
    take = [(table.cells[role].append, name) for role, name in table.columns.items()]
    prefixes = PrefixHits()
    for number in strays:
        table.drop(NO_OBJECT, number)
    for number, row in rows:
        if not isinstance(row, dict):
            table.drop(NO_OBJECT, number)
            continue
        for append, name in take:
            append(row.get(name))
        table.places.append(number)
        prefixes.add(row.get(HASH_IDS))
    table.remarks += prefixes.remarks()
