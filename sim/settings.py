"""What one can set on a server, in vLLM's words where vLLM has them, and what its customers expect."""

from dataclasses import dataclass

from sim import expect
from sim.shape import KV_BITS, WEIGHT_BITS

SCHEDULERS = ("chunked", "request-level", "prefill-first", "iteration-level")
KV_LAYOUTS = ("paged", "reserve-max", "reserve-pow2", "reserve-exact")
PREEMPTIONS = ("recompute", "swap", "none")


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
        expect.one_of("scheduler", self.scheduler, SCHEDULERS)
        expect.one_of("kv_layout", self.kv_layout, KV_LAYOUTS)
        expect.one_of("preemption", self.preemption, PREEMPTIONS)
        for name in ("max_num_seqs", "max_num_batched_tokens", "block_size", "max_model_len"):
            expect.whole(name, getattr(self, name))
        expect.one_of("weight_bits", self.weight_bits, WEIGHT_BITS)
        expect.one_of("kv_bits", self.kv_bits, KV_BITS)
        expect.whole("num_speculative_tokens", self.num_speculative_tokens, least=0)
        expect.share("acceptance_rate", self.acceptance_rate)
        expect.whole("seed", self.seed, least=0, most=2**32 - 1)
