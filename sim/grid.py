"""All combinations of settings: which are impossible, and which cannot differ from another."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from sim.exchange import Columns
from sim.server import Server
from sim.settings import Settings

MOST_SETTINGS = 5_000_000
FIELDS = tuple(field.name for field in fields(Settings))
Space = Mapping[str, Sequence[Any]]
Chosen = npt.NDArray[np.bool_]


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

    def unlike(self, base: Settings) -> npt.NDArray[np.int64]:
        """Return [n_settings] in how many fields each differs from `base`."""
        differ = [column != getattr(base, name) for name, column in self.columns.items()]
        return np.asarray(np.sum(differ, axis=0), dtype=np.int64)


def grid_of(space: Space, base: Settings, server: Server) -> Grid:
    """Return the settings of `space`, `base` elsewhere, the last field varying fastest.

    Raises ValueError for fields or values that do not exist.
    """
    values = {name: checked_values(name, given, base) for name, given in space.items()}
    sizes = [len(each) for each in values.values()]
    total = int(np.prod(sizes, dtype=np.float64))
    if total > MOST_SETTINGS:
        raise ValueError(f"space: expected at most {MOST_SETTINGS:,} combinations, got {total:,}.")
    places = np.unravel_index(np.arange(total), sizes) if sizes else ()
    columns = {name: np.full(total, getattr(base, name)) for name in FIELDS}
    for (name, each), place in zip(values.items(), places, strict=True):
        columns[name] = np.array(each)[place]
    reasons = impossible(columns, server)
    possible = ~np.any(list(reasons.values()), axis=0)
    left_out = {reason: int(where.sum()) for reason, where in reasons.items() if where.any()}
    columns, same = without_repeats({name: column[possible] for name, column in columns.items()}, base)
    return Grid(columns, left_out, same)


def checked_values(name: str, values: Any, base: Settings) -> list[Any]:
    """Return the values of one field, each allowed there, or raise ValueError."""
    if name not in FIELDS:
        raise ValueError(f"space: expected fields of Settings ({', '.join(FIELDS)}), got {name!r}.")
    if isinstance(values, str) or not isinstance(values, Sequence | np.ndarray) or len(values) == 0:
        raise ValueError(f"space[{name!r}]: expected a list of at least one value, got {values!r}.")
    plain = [value.item() if isinstance(value, np.generic) else value for value in values]
    for value in plain:
        replace(base, **{name: value})
    if len(set(plain)) < len(plain):
        raise ValueError(f"space[{name!r}]: expected different values, got {plain!r}.")
    return plain


def impossible(columns: Columns, server: Server) -> dict[str, Chosen]:
    """Return [n_settings] where each reason against a setting holds; the first of them counts."""
    no_draft = (columns["num_speculative_tokens"] > 0) & (server.draft is None)
    full = full_memory(columns, ~no_draft, server)
    return {
        "guessing without a draft": no_draft,
        "no memory left for requests": full & ~no_draft,
    }


def full_memory(columns: Columns, kept: Chosen, server: Server) -> Chosen:
    """Return [n_settings] where the weights leave no block."""
    names = ("weight_bits", "kv_bits", "block_size", "num_speculative_tokens")
    keys = np.column_stack([np.where(kept, columns[name], 0) for name in names])
    kinds, which = np.unique(keys, axis=0, return_inverse=True)
    blocks = [blocks_of(server, kind) if kind[0] else 1 for kind in kinds.tolist()]
    return np.asarray(np.array(blocks)[which.ravel()] < 1)


def blocks_of(server: Server, kind: Sequence[int]) -> int:
    """Return the blocks of `server` at these bits, block size and guesses."""
    weight_bits, kv_bits, block_size, guesses = kind
    settings = Settings(
        weight_bits=weight_bits, kv_bits=kv_bits, block_size=block_size, num_speculative_tokens=guesses
    )
    return server.num_blocks(settings)


def idle_fields(columns: Columns) -> dict[str, Chosen]:
    """Return for some fields where they change nothing, whatever their value."""
    scheduler, certain = columns["scheduler"], np.isin(columns["acceptance_rate"], (0.0, 1.0))
    no_budget = np.isin(scheduler, ("request-level", "iteration-level"))
    plain = columns["num_speculative_tokens"] == 0
    return {
        "preemption": (columns["kv_layout"] != "paged") | (scheduler == "request-level"),
        "max_num_batched_tokens": no_budget,
        "acceptance_rate": plain,
        "seed": plain | certain,
    }


def without_repeats(columns: Columns, base: Settings) -> tuple[Columns, int]:
    """Return the settings that can differ, of each kind the one most like `base`; and how many repeat."""
    codes = []
    idle = idle_fields(columns)
    unlike = np.zeros(len(columns["seed"]), dtype=np.int64)
    for name, column in columns.items():
        _, code = np.unique(column, return_inverse=True)
        codes.append(np.where(idle[name], -1, code) if name in idle else code)
        unlike += column != getattr(base, name)
    order = np.argsort(unlike, kind="stable")
    _, first = np.unique(np.column_stack(codes)[order], axis=0, return_index=True)
    kept = np.sort(order[first])
    return {name: column[kept] for name, column in columns.items()}, len(unlike) - len(kept)
