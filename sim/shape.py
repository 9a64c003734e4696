"""The shape of a language model: how many numbers it holds, computes with, and caches per token."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sim import expect
from sim.families.count import count

WEIGHT_BITS = (16, 8, 4, 3)
KV_BITS = (16, 8)
GROUP_WEIGHTS, GROUP_EXTRA_BITS = 128, 32  # a 16-bit scale and a 16-bit zero for every 128 weights


@dataclass(frozen=True)
class ModelShape:
    """Parameters and widths of a language model.

    - `params` are in memory, `active_params` compute for one token: of `num_experts` experts, `expert_params`
      in all, a token is sent to `experts_per_token`. Embeddings count in both.
    - `vision_params` of an image tower are in memory too, and idle while text is served.
    - `value_head_dim` is a value's width where it is not `head_dim`. With `latent_dim` a layer caches that many
      numbers a token in place of keys and values, one latent for all heads (`num_kv_heads` 1).
    - `window_layers` layers keep only the last `window_tokens` tokens of a sequence, in an engine that honors
      it. The simulator does not: it keeps every token in every layer.
    - `quant_method` and `checkpoint_bytes` say how the published checkpoint is stored, where that is not
      16 bits and where its size is counted; `weight_bytes` knows nothing of it.
    - `from_defaults` names config keys that published defaults filled.
    """

    params: int
    active_params: int
    num_layers: int
    hidden_size: int
    num_heads: int
    num_kv_heads: int
    head_dim: int
    value_head_dim: int | None = None
    latent_dim: int = 0
    window_tokens: int | None = None
    window_layers: int = 0
    num_experts: int = 0
    experts_per_token: int = 0
    expert_params: int = 0
    vision_params: int = 0
    quant_method: str | None = None
    checkpoint_bytes: int | None = None
    from_defaults: tuple[str, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        for name in ("params", "num_layers", "hidden_size", "num_heads", "num_kv_heads", "head_dim"):
            expect.settle(self, name, expect.whole, most=10**15)
        expect.settle(self, "active_params", expect.whole, most=self.params)
        if self.num_heads % self.num_kv_heads:
            raise ValueError(
                f"num_kv_heads: expected a divisor of {self.num_heads} heads, got {self.num_kv_heads}."
            )
        for name in ("value_head_dim", "window_tokens", "checkpoint_bytes"):
            if getattr(self, name) is not None:
                expect.settle(self, name, expect.whole, most=10**15)
        expect.settle(self, "latent_dim", expect.whole, least=0)
        expect.settle(self, "vision_params", expect.whole, least=0, most=10**15)
        expect.settle(self, "num_experts", expect.whole, least=0)
        expect.settle(self, "experts_per_token", expect.whole, least=0, most=self.num_experts)
        expect.settle(self, "expert_params", expect.whole, least=0, most=self.params)
        windowed = self.window_tokens is not None
        expect.settle(self, "window_layers", expect.whole, int(windowed), self.num_layers * windowed)

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> "ModelShape":
        """Return the shape that a Hugging Face `config.json` describes.

        Missing keys come only from the published defaults of that model_type (`data/config_defaults.toml`).
        Raises ValueError naming an unknown model_type, or the key that is missing or makes no sense.
        """
        counted, from_defaults = count(config)
        return cls(**counted._asdict(), active_params=counted.active_params, from_defaults=from_defaults)

    @property
    def attention(self) -> str:
        """Return how heads share what is cached: `multi-head`, `grouped`, `multi-query`, or `latent`."""
        if self.latent_dim:
            return "latent"
        if self.num_kv_heads == self.num_heads:
            return "multi-head"
        return "multi-query" if self.num_kv_heads == 1 else "grouped"

    @property
    def value_dim(self) -> int:
        """Return the width of a head's value."""
        return self.head_dim if self.value_head_dim is None else self.value_head_dim

    @property
    def expert_share(self) -> float:
        """Return the share of the experts that one token is sent to; 0 without experts."""
        return self.experts_per_token / self.num_experts if self.num_experts else 0.0

    def kv_bytes_per_token(self, kv_bits: int = 16) -> int:
        """Return the bytes that one token's keys and values take in all layers (PagedAttention, §3)."""
        return self.num_layers * self._layer_kv_bytes(kv_bits)

    def kv_bytes_per_token_past_window(self, kv_bits: int = 16) -> int:
        """Return the bytes that one more token takes once windowed layers are full and give up an old one."""
        return (self.num_layers - self.window_layers) * self._layer_kv_bytes(kv_bits)

    def kv_bytes(self, tokens: int, kv_bits: int = 16) -> int:
        """Return the bytes of a sequence of `tokens` tokens in an engine that honors the window."""
        tokens = expect.whole("tokens", tokens, least=0)
        windowed_tokens = tokens if self.window_tokens is None else min(tokens, self.window_tokens)
        full_layers = self.num_layers - self.window_layers
        return (full_layers * tokens + self.window_layers * windowed_tokens) * self._layer_kv_bytes(kv_bits)

    def weight_bytes(self, weight_bits: int = 16) -> int:
        """Return the bytes of all weights in memory, at `weight_bits`; an image tower stays at 16 bits."""
        return stored_bytes(self.params, weight_bits) + stored_bytes(self.vision_params)

    def _layer_kv_bytes(self, kv_bits: int) -> int:
        kv_bits = expect.one_of("kv_bits", kv_bits, KV_BITS)
        numbers = self.latent_dim or self.num_kv_heads * (self.head_dim + self.value_dim)
        return numbers * kv_bits // 8


def stored_bytes(params: int, weight_bits: int = 16) -> int:
    """Return the bytes of `params` weights; below 16 bits with a scale and a zero per 128 weights."""
    weight_bits = expect.one_of("weight_bits", weight_bits, WEIGHT_BITS)
    bits_of_group = weight_bits * GROUP_WEIGHTS + (GROUP_EXTRA_BITS if weight_bits < 16 else 0)
    return -(-params * bits_of_group // (8 * GROUP_WEIGHTS))
