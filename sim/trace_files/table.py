"""What every format is read into: the raw cells of the columns a trace needs, and where they stood."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

ROLES: Mapping[str, Sequence[str]] = {
    "arrival": (
        *("arrival_s", "arrival_ms", "arrival", "arrival_time", "arrived_at", "timestamp", "timestamp_s"),
        *("timestamp_ms", "time", "time_s", "time_ms", "start_time", "request_time", "queued_ts"),
    ),
    "prompt": (
        *("prompt_tokens", "prompt_len", "prompt_length", "prompt", "contexttokens", "context_tokens"),
        *("input_tokens", "input_len", "input_length", "input_toks", "input", "request_tokens"),
        "num_prefill_tokens",
    ),
    "output": (
        *("output_tokens", "output_len", "output_length", "output", "output_toks", "generatedtokens"),
        *("generated_tokens", "completion_tokens", "reply_tokens", "reply", "response_tokens"),
        "num_decode_tokens",
    ),
}


@dataclass
class Table:
    """Cells of the columns of a trace, by role, one a row.

    `places` says where each row stood, `place` what that counts: lines or entries. `dropped` has the places
    of rows that were left out, by reason. `unit` is that of the arrivals where the format fixes it. `remarks`
    are what a reader must know beside it.
    """

    format: str
    columns: Mapping[str, str]
    place: str = "line"
    unit: str | None = None
    cells: dict[str, list[Any]] = field(init=False)
    places: list[int] = field(default_factory=list)
    dropped: dict[str, list[int]] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.cells = {role: [] for role in self.columns}

    def drop(self, reason: str, place: int) -> None:
        """Note that the row at `place` is left out."""
        self.dropped.setdefault(reason, []).append(place)


def plain(name: str) -> str:
    """Return a column's name in small letters, with underscores between its words."""
    return "_".join(name.lower().replace("-", " ").replace("_", " ").split())


def roles_of(names: Sequence[str]) -> dict[str, str]:
    """Return which of `names` has which role: the first that the role knows; none where it knows none."""
    known = {plain(name): name for name in reversed(names)}
    found = {
        role: next((known[name] for name in some if name in known), None) for role, some in ROLES.items()
    }
    return {role: name for role, name in found.items() if name is not None}


def known_columns(names: Sequence[str]) -> dict[str, str]:
    """Return `roles_of(names)`, or raise ValueError where prompt or output is missing."""
    roles = roles_of(names)
    if "prompt" not in roles or "output" not in roles:
        shown = ", ".join(repr(name[:40]) for name in names[:12]) or "none"
        raise ValueError(
            f"expected columns for the arrival, the prompt's tokens and the reply's tokens (such as arrival_s, "
            f"prompt_tokens, output_tokens), got {shown}; rename them."
        )
    return roles


def unused_columns(names: Sequence[str], roles: Mapping[str, str]) -> list[str]:
    """Return remarks on the columns that a trace does not need, and on names that stand for several columns."""
    unused = [name.strip()[:40] for name in names if name not in roles.values() and name.strip()]
    remarks = [f"Not used: {', '.join(unused[:8])}{' …' if len(unused) > 8 else ''}."] if unused else []
    return remarks + [
        f"{names.count(name)} columns are named {name[:40]!r}: the first was taken."
        for name in roles.values()
        if names.count(name) > 1
    ]
