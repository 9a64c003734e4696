"""All combinations of settings: which are impossible, and which cannot differ from another."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from sim import expect
from sim.arrays import Chosen, Counts
from sim.exchange import Columns
from sim.server import Server
from sim.settings import CHECKS, Settings

MOST_SETTINGS = 1_000_000
FIELDS = tuple(field.name for field in fields(Settings))
MEMORY_FIELDS = ("weight_bits", "kv_bits", "num_speculative_tokens")
Space = Mapping[str, Sequence[Any]]


@dataclass(frozen=True, eq=False)
class Grid:
    """Settings that are worth a run: a column a field [n_settings], and what was left out, counted."""

    columns: Columns
    left_out: dict[str, int]  # impossible combinations, by reason
    same: int  # combinations that cannot differ from one that is kept

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def setting(self, place: int) -> Settings:
        """Return one of the settings."""
        return Settings(**{name: column[place].item() for name, column in self.columns.items()})

    def unlike(self, base: Settings) -> Counts:
        """Return [n_settings] in how many fields each differs from `base`."""
        differ = [column != getattr(base, name) for name, column in self.columns.items()]
        return np.asarray(np.sum(differ, axis=0), dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Combinations:
    """Combinations [n]: for each field its different values, and which of them each combination has."""

    values: dict[str, npt.NDArray[Any]]
    places: dict[str, Counts]

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        return self.values[name][self.places[name]]

    def has(self, name: str, *values: Any) -> Chosen:
        """Return which combinations have one of these values in a field."""
        return np.asarray(np.isin(self.values[name], values)[self.places[name]])

    def only(self, chosen: Chosen | Counts) -> "Combinations":
        """Return some of the combinations."""
        return Combinations(self.values, {name: place[chosen] for name, place in self.places.items()})

    def kinds(self, names: Sequence[str], idle: Mapping[str, Chosen]) -> Counts:
        """Return a number for each combination, the same where these fields are, or where they are idle."""
        number = np.zeros(len(self.places[names[0]]), dtype=np.int64)
        for name in names:
            place = self.places[name] + 1
            place = np.where(idle[name], 0, place) if name in idle else place
            number = number * (len(self.values[name]) + 1) + place
        return number

    def unlike(self, base: Settings) -> Counts:
        """Return in how many fields each combination differs from `base`."""
        differ = [~self.has(name, getattr(base, name)) for name in FIELDS]
        return np.asarray(np.sum(differ, axis=0, dtype=np.int64))


def grid_of(space: Space, base: Settings, server: Server) -> Grid:
    """Return the settings of `space`, `base` elsewhere, the last field varying fastest.

    Raises ValueError for fields or values that do not exist.
    """
    combinations = all_combinations(space, base)
    reasons = impossible(combinations, server)
    possible = ~np.any(list(reasons.values()), axis=0)
    left_out = {reason: int(where.sum()) for reason, where in reasons.items() if where.any()}
    combinations, same = without_repeats(combinations.only(possible), base)
    return Grid({name: combinations[name] for name in FIELDS}, left_out, same)


def all_combinations(space: Space, base: Settings) -> Combinations:
    """Return every combination of the values in `space`; their number is checked before the values are."""
    expect.instance("space", space, Mapping)
    sizes = {name: checked_size(name, given) for name, given in space.items()}
    total = prod(sizes.values())
    if total > MOST_SETTINGS:
        raise ValueError(f"space: expected at most {MOST_SETTINGS:,} combinations, got {total:,}.")
    values = {name: np.array([getattr(base, name)]) for name in FIELDS}
    values |= {name: np.array(checked_values(name, given)) for name, given in space.items()}
    places = {name: np.zeros(total, dtype=np.int64) for name in FIELDS}
    if sizes:
        places |= dict(zip(sizes, np.unravel_index(np.arange(total), tuple(sizes.values())), strict=True))
    return Combinations(values, places)


def checked_size(name: str, values: Any) -> int:
    """Return how many values one field has, or raise ValueError."""
    if name not in CHECKS:
        raise ValueError(
            f"space: expected fields of Settings ({', '.join(FIELDS)}), got {expect.shown(name)}."
        )
    a_list = isinstance(values, Sequence) and not isinstance(values, str | bytes)
    an_array = isinstance(values, np.ndarray) and values.ndim == 1
    if not (a_list or an_array) or len(values) == 0:
        raise ValueError(
            f"space[{name!r}]: expected a list of at least one value, got {expect.shown(values)}."
        )
    return len(values)


def checked_values(name: str, values: Sequence[Any]) -> list[Any]:
    """Return the values of one field, each allowed there, or raise ValueError."""
    check = CHECKS[name]
    plain = [check(name, value) for value in values]
    if len(set(plain)) < len(plain):
        raise ValueError(f"space[{name!r}]: expected different values, got {expect.shown(plain)}.")
    return plain


def impossible(combinations: Combinations, server: Server) -> dict[str, Chosen]:
    """Return [n_settings] where each reason against a setting holds; the first of them counts."""
    no_draft = ~combinations.has("num_speculative_tokens", 0) & (server.draft is None)
    return {
        "guessing without a draft": no_draft,
        "no memory left for requests": full_memory(combinations, server) & ~no_draft,
    }


def full_memory(combinations: Combinations, server: Server) -> Chosen:
    """Return [n_settings] where the weights leave no block."""
    kinds = combinations.kinds(MEMORY_FIELDS, {})
    _, first, which = np.unique(kinds, return_index=True, return_inverse=True)
    columns = [combinations.only(first)[name].tolist() for name in MEMORY_FIELDS]
    largest = [largest_block(server, *kind) for kind in zip(*columns, strict=True)]
    return np.asarray(combinations["block_size"] > np.array(largest)[which])


def largest_block(server: Server, weight_bits: int, kv_bits: int, guesses: int) -> int:
    """Return the tokens of the largest block of which `server` has room for one, 0 where it has no draft."""
    if guesses and server.draft is None:
        return 0
    blocks = server.num_blocks(
        Settings(weight_bits=weight_bits, kv_bits=kv_bits, num_speculative_tokens=guesses, block_size=1)
    )
    return blocks if server.num_gpu_blocks is None or blocks < 1 else expect.LARGEST_COUNT


def idle_fields(combinations: Combinations) -> dict[str, Chosen]:
    """Return for some fields where they change nothing, whatever their value."""
    has, plain = combinations.has, combinations.has("num_speculative_tokens", 0)
    return {
        "preemption": ~has("kv_layout", "paged") | has("scheduler", "request-level"),
        "max_num_batched_tokens": has("scheduler", "request-level", "iteration-level"),
        "acceptance_rate": plain,
        "seed": plain | has("acceptance_rate", 0.0, 1.0),
    }


def without_repeats(combinations: Combinations, base: Settings) -> tuple[Combinations, int]:
    """Return the settings that can differ, of each kind the one most like `base`; and how many repeat."""
    kinds = combinations.kinds(FIELDS, idle_fields(combinations))
    order = np.argsort(combinations.unlike(base), kind="stable")
    _, first = np.unique(kinds[order], return_index=True)
    kept = np.sort(order[first])
    return combinations.only(kept), len(kinds) - len(kept)
