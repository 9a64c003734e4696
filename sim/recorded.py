"""How far simulated runs are from recorded ones, from `data/recorded.toml`: results of `benchmarks.recorded`."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType
from typing import Any

from sim.config import DATA
from sim.costs import UnitCosts


@dataclass(frozen=True)
class Tried:
    """One simulation of a recorded run: its unit costs, the requests compared, and the errors of its means.

    Errors are simulated ÷ measured − 1, in percent; `preemptions` are the simulation's.
    """

    costs: str
    of: str
    ttft_percent: float
    tpot_percent: float
    e2e_percent: float
    preemptions: int

    @property
    def errors_percent(self) -> tuple[float, float, float]:
        """The errors of the three means: time to first token, time per output token, whole reply."""
        return self.ttft_percent, self.tpot_percent, self.e2e_percent


@dataclass(frozen=True)
class RecordedRun:
    """A recorded run of a real server, its measured means in seconds, costs fitted to it, and its simulations."""

    name: str
    source: str
    checked: date
    requests: int
    ttft_s: float
    tpot_s: float
    e2e_s: float
    fitted: UnitCosts
    command: str
    day: date
    tries: tuple[Tried, ...]

    def __post_init__(self) -> None:
        if not self.tries:
            raise ValueError(f"{self.name}: expected at least one simulation; run {self.command}")


def _load() -> Mapping[str, RecordedRun]:
    table = tomllib.loads((DATA / "recorded.toml").read_text(encoding="utf-8"))
    rows: dict[str, dict[str, Any]] = table["runs"]
    return MappingProxyType({key: _run(row) for key, row in rows.items()})


def _run(row: dict[str, Any]) -> RecordedRun:
    tries = tuple(Tried(**tried) for tried in row["tries"])
    return RecordedRun(**(row | {"tries": tries, "fitted": UnitCosts(**row["fitted"])}))


RECORDED_RUNS = _load()
