"""What Monday is served with and judged by: where the reader starts, what can be set, what is on target."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from sim.settings import Settings
from sim.targets import Targets

# the first word within a second, and a 200-token answer in six
MONDAY_TARGETS = Targets(ttft_s=1.0, tpot_s=0.030)
MONDAY_START = Settings(scheduler="request-level", kv_layout="reserve-max", max_num_seqs=8)
# 3 bits are left out: OPT-13B's perplexity rises by 15 % there (GPTQ, arXiv 2210.17323, table 2)
MONDAY_SPACE: Mapping[str, tuple[Any, ...]] = MappingProxyType(
    {
        "scheduler": ("chunked", "prefill-first", "iteration-level", "request-level"),
        "kv_layout": ("paged", "reserve-exact", "reserve-pow2", "reserve-max"),
        "preemption": ("recompute", "none"),
        "max_num_seqs": (4, 6, 8, 12, 16, 20, 24, 32, 64, 128, 256),
        "max_num_batched_tokens": (128, 256, 512, 1024, 2048, 4096, 8192),
        "weight_bits": (16, 8, 4),
        "num_speculative_tokens": (0, 1, 2, 3, 4, 5, 6, 8),
    }
)
# the knob that each chapter adds
MONDAY_KNOBS: Mapping[int, str] = MappingProxyType(
    {
        2: "kv_layout",
        3: "scheduler",
        4: "weight_bits",
        5: "num_speculative_tokens",
        6: "max_num_seqs",
    }
)
