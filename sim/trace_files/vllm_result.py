"""Results of `vllm bench serve --save-result --save-detailed` (vLLM, `vllm/benchmarks/serve.py`)."""

from collections.abc import Mapping
from typing import Any

from sim.trace_files.table import Table

COLUMNS = {"prompt": "input_lens", "output": "output_lens"}


def read_vllm(result: Mapping[str, Any]) -> Table:
    """Return the requests of a benchmark: when each was sent, its prompt, and the tokens that came back.

    Raises ValueError where the lists are not equally long. Older results have no `start_times`.
    """
    timed = "start_times" in result
    columns = ({"arrival": "start_times"} if timed else {}) | COLUMNS
    lists = {name: result.get(name) for name in columns.values()}
    lengths = {name: len(each) if isinstance(each, list) else each for name, each in lists.items()}
    if len(set(map(str, lengths.values()))) != 1 or not isinstance(lists["input_lens"], list):
        raise ValueError(f"expected equally long lists in the benchmark result, got {str(lengths)[:200]}.")
    table = Table("a vLLM benchmark result", columns, "entry", "s" if timed else None)
    _fill(table, lists, result.get("errors"))
    table.remarks += _limits(result)
    return table


def _fill(table: Table, lists: Mapping[str, Any], errors: object) -> None:
    count = len(lists["input_lens"])
    failed = [bool(error) for error in errors] if isinstance(errors, list) else []
    served = [number for number in range(count) if number >= len(failed) or not failed[number]]
    for role, name in table.columns.items():
        table.cells[role] = [lists[name][number] for number in served]
    table.places += [number + 1 for number in served]
    for number in sorted(set(range(count)).difference(served)):
        table.drop("failed in the benchmark", number + 1)


def _limits(result: Mapping[str, Any]) -> list[str]:
    limit = result.get("max_concurrency")
    if limit is None:
        return []
    return [
        f"Sent with at most {limit} requests under way: these arrivals waited for the measured server, and "
        f"would come at other times to another."
    ]
