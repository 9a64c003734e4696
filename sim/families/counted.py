"""What a family's count finds out about a model."""

from typing import NamedTuple


class Counted(NamedTuple):
    """A shape with its parameters counted; sizes in elements. The fields are those of ModelShape."""

    params: int
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

    @property
    def active_params(self) -> int:
        """Return the parameters that one token meets: of the experts only those it is sent to."""
        if not self.num_experts:
            return self.params
        idle_experts = self.num_experts - self.experts_per_token
        return self.params - self.expert_params // self.num_experts * idle_experts
