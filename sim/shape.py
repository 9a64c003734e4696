"""The shape of a language model: how many numbers it holds, computes with, and caches per token."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sim import expect
from sim.config import DEFAULTS, Config
from sim.families import FAMILIES

WEIGHT_BITS = (16, 8, 4, 3)
KV_BITS = (16, 8)
GROUP_WEIGHTS, GROUP_EXTRA_BITS = 128, 32  # a 16-bit scale and a 16-bit zero for every 128 weights


@dataclass(frozen=True)
class ModelShape:
    """Parameters and widths of a model; `from_defaults` names config keys that published defaults filled."""

    params: int
    active_params: int
    num_layers: int
    hidden_size: int
    num_heads: int
    num_kv_heads: int
    head_dim: int
    from_defaults: tuple[str, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        for name in ("params", "num_layers", "hidden_size", "num_heads", "num_kv_heads", "head_dim"):
            expect.whole(name, getattr(self, name), most=10**15)
        expect.whole("active_params", self.active_params, most=self.params)
        if self.num_heads % self.num_kv_heads:
            raise ValueError(
                f"num_kv_heads: expected a divisor of {self.num_heads} heads, got {self.num_kv_heads}."
            )

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> "ModelShape":
        """Return the shape that a Hugging Face `config.json` describes.

        Missing keys come only from the published defaults of that model_type (`data/config_defaults.toml`).
        Raises ValueError naming an unknown model_type, or the key that is missing or makes no sense.
        """
        if not isinstance(config, Mapping):
            raise ValueError(f"expected the keys of a config.json as a dictionary, got {config!r}.")
        model_type = config.get("model_type")
        if not isinstance(model_type, str) or model_type not in FAMILIES:
            known = ", ".join(sorted(FAMILIES))
            raise ValueError(f"model_type: expected one of those known ({known}), got {model_type!r}.")
        reader = Config(config, DEFAULTS[model_type]["keys"])
        counted = FAMILIES[model_type](reader)
        return cls(
            **counted._asdict(), active_params=counted.params, from_defaults=tuple(reader.from_defaults)
        )

    def kv_bytes_per_token(self, kv_bits: int = 16) -> int:
        """Return the bytes that one token's keys and values take in all layers (PagedAttention, §3)."""
        expect.one_of("kv_bits", kv_bits, KV_BITS)
        return 2 * self.num_layers * self.num_kv_heads * self.head_dim * kv_bits // 8

    def weight_bytes(self, weight_bits: int = 16) -> int:
        """Return the bytes of all weights; below 16 bits with a scale and a zero per 128 weights."""
        expect.one_of("weight_bits", weight_bits, WEIGHT_BITS)
        bits_of_group = weight_bits * GROUP_WEIGHTS + (GROUP_EXTRA_BITS if weight_bits < 16 else 0)
        return -(-self.params * bits_of_group // (8 * GROUP_WEIGHTS))
