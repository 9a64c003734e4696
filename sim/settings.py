"""What one can set on a server, in vLLM's words where vLLM has them, and what its customers expect."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any

from sim import expect
from sim.shape import KV_BITS, WEIGHT_BITS

SCHEDULERS = ("chunked", "request-level", "prefill-first", "iteration-level")
KV_LAYOUTS = ("paged", "reserve-max", "reserve-pow2", "reserve-exact")
PREEMPTIONS = ("recompute", "swap", "none")
# by field: what returns a value that is allowed there, from its name and the value, or raises ValueError
CHECKS: Mapping[str, Callable[[str, Any], Any]] = MappingProxyType(
    {
        "scheduler": partial(expect.one_of, choices=SCHEDULERS),
        "max_num_seqs": expect.whole,
        "max_num_batched_tokens": expect.whole,
        "kv_layout": partial(expect.one_of, choices=KV_LAYOUTS),
        "block_size": expect.whole,
        "max_model_len": expect.whole,
        "preemption": partial(expect.one_of, choices=PREEMPTIONS),
        "weight_bits": partial(expect.one_of, choices=WEIGHT_BITS),
        "kv_bits": partial(expect.one_of, choices=KV_BITS),
        "num_speculative_tokens": partial(expect.whole, least=0),
        "acceptance_rate": expect.share,
        "seed": partial(expect.whole, least=0, most=2**32 - 1),
    }
)


@dataclass(frozen=True)
class Settings:
    """Scheduler, limits of a batch, memory layout, bits and guessing; `block_size` is tokens per KV block."""

    scheduler: str = "chunked"
    max_num_seqs: int = 256
    max_num_batched_tokens: int = 2048
    kv_layout: str = "paged"
    block_size: int = 16
    max_model_len: int = 2048
    preemption: str = "recompute"
    weight_bits: int = 16
    kv_bits: int = 16
    num_speculative_tokens: int = 0
    acceptance_rate: float = 0.7
    seed: int = 0

    def __post_init__(self) -> None:
        for name, check in CHECKS.items():
            expect.settle(self, name, check)
