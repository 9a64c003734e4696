"""The flags of vLLM that commands are written with, from `data/vllm_flags.toml`: a source beside each."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType
from typing import Any

from sim.config import DATA


@dataclass(frozen=True)
class Flag:
    """A flag: its name, what it carries, what it may take (`values` where they are few), and where that is said."""

    flag: str
    sets: str
    takes: str
    source: str
    checked: date
    values: tuple[str, ...] = ()


@dataclass(frozen=True)
class Checkpoints:
    """The widths at which a checkpoint can be made that vLLM reads, and where that is said."""

    bits: tuple[int, ...]
    source: str
    checked: date


@dataclass(frozen=True)
class Release:
    """The newest release of vLLM on the day on which its pages were read, and where it is named."""

    version: str
    source: str
    checked: date


def _flags(tables: Mapping[str, Any]) -> Mapping[str, Flag]:
    return MappingProxyType({key: Flag(**(row | _tuple(row))) for key, row in tables.items()})


def _tuple(row: Mapping[str, Any]) -> dict[str, Any]:
    return {"values": tuple(row.get("values", ()))}


_TABLES: dict[str, Any] = tomllib.loads((DATA / "vllm_flags.toml").read_text(encoding="utf-8"))
SERVE_FLAGS, BENCH_FLAGS = _flags(_TABLES["serve"]), _flags(_TABLES["bench"])
CHECKPOINTS = Checkpoints(**(_TABLES["checkpoints"] | {"bits": tuple(_TABLES["checkpoints"]["bits"])}))
RELEASE = Release(**_TABLES["release"])
REPOSITORIES: Mapping[str, str] = MappingProxyType(_TABLES["models"])
