"""Pass times of real servers as others have published them, from `data/measured.toml`."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType
from typing import Any

from sim import expect
from sim.config import DATA

Fit = tuple[float, float, float]  # a fixed time, and two slopes: see MeasuredPasses


@dataclass(frozen=True)
class MeasuredPasses:
    """Linear fits, in milliseconds, of one engine's pass times on a catalog model and accelerator.

    `prefill_ms`: fixed, per prompt token, per square of prompt tokens. `decode_ms`, and from `many` requests
    on `decode_many_ms`: fixed, per KV token read, per request.
    `scaled` says what other versions of the source show about the numbers.
    """

    name: str
    model: str
    accelerator: str
    source: str
    checked: date
    scaled: str
    prefill_ms: Fit
    decode_ms: Fit
    decode_many_ms: Fit
    many: int

    def prefill_s(self, prompt_tokens: int) -> float:
        """Return the seconds to read one prompt of so many tokens by itself."""
        prompt_tokens = expect.whole("prompt_tokens", prompt_tokens)
        fixed_ms, per_token_ms, per_square_ms = self.prefill_ms
        return (fixed_ms + per_token_ms * prompt_tokens + per_square_ms * prompt_tokens**2) / 1e3

    def decode_s(self, num_seqs: int, kv_tokens: int) -> float:
        """Return the seconds of a pass in which `num_seqs` requests decode and read `kv_tokens` in all."""
        num_seqs = expect.whole("num_seqs", num_seqs)
        kv_tokens = expect.whole("kv_tokens", kv_tokens, least=0)
        fit = self.decode_many_ms if num_seqs >= self.many else self.decode_ms
        fixed_ms, per_kv_token_ms, per_seq_ms = fit
        return (fixed_ms + per_kv_token_ms * kv_tokens + per_seq_ms * num_seqs) / 1e3


def _load() -> Mapping[str, MeasuredPasses]:
    table = tomllib.loads((DATA / "measured.toml").read_text(encoding="utf-8"))
    rows: dict[str, dict[str, Any]] = table["passes"]
    for row in rows.values():
        row |= {name: tuple(value) for name, value in row.items() if isinstance(value, list)}
    return MappingProxyType({key: MeasuredPasses(**row) for key, row in rows.items()})


MEASURED_PASSES = _load()
