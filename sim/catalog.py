"""Models and accelerators by name, from `data/*.toml`: a source and a day stand beside every number."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import date
from types import MappingProxyType
from typing import Any

from sim.accelerator import Accelerator
from sim.config import DATA
from sim.shape import ModelShape


@dataclass(frozen=True)
class Origin:
    """Where a number comes from, and the day it was checked there; an `assumption` has no such place."""

    source: str
    checked: date
    assumption: bool = False


@dataclass(frozen=True)
class ModelEntry:
    """A model of the catalog: its name for readers, its shape, and where its config.json is published."""

    name: str
    shape: ModelShape
    origin: Origin


@dataclass(frozen=True)
class AcceleratorEntry:
    """An accelerator of the catalog: its name for readers, and the origin of each of its numbers."""

    name: str
    accelerator: Accelerator
    origins: Mapping[str, Origin]


def _table(file_name: str) -> dict[str, Any]:
    return tomllib.loads((DATA / file_name).read_text(encoding="utf-8"))


def _origin(row: Mapping[str, Any]) -> Origin:
    return Origin(row["source"], row["checked"], row.get("assumption", False))


def _model_entry(row: Mapping[str, Any]) -> ModelEntry:
    config = row["config"] | dict.fromkeys(row.get("null_keys", ()))
    return ModelEntry(row["name"], ModelShape.from_config(config), _origin(row))


def _accelerator_entry(row: Mapping[str, Any]) -> AcceleratorEntry:
    numbers = {field.name: row[field.name] for field in fields(Accelerator)}
    accelerator = Accelerator(**{name: number["value"] for name, number in numbers.items()})
    origins = {name: _origin(number) for name, number in numbers.items()}
    return AcceleratorEntry(row["name"], accelerator, MappingProxyType(origins))


MODEL_ENTRIES: Mapping[str, ModelEntry] = MappingProxyType(
    {key: _model_entry(row) for key, row in _table("models.toml").items()}
)
ACCELERATOR_ENTRIES: Mapping[str, AcceleratorEntry] = MappingProxyType(
    {key: _accelerator_entry(row) for key, row in _table("accelerators.toml").items()}
)
MODELS: Mapping[str, ModelShape] = MappingProxyType(
    {key: entry.shape for key, entry in MODEL_ENTRIES.items()}
)
ACCELERATORS: Mapping[str, Accelerator] = MappingProxyType(
    {key: entry.accelerator for key, entry in ACCELERATOR_ENTRIES.items()}
)
