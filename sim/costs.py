"""What one pass costs, in seconds per unit of counted work.

Counting bytes and operations of a transformer: arXiv 2211.05102 (Pope et al.), §2.
"""

from dataclasses import dataclass, fields, replace

from sim import expect
from sim.accelerator import Accelerator, Assumptions
from sim.shape import ModelShape, stored_bytes


@dataclass(frozen=True)
class UnitCosts:
    """Seconds per pass, token computed, KV token read, query-key pair, and reading of all weights.

    With experts, `expert_s` more are read, less the share that no token asks for: each token asks for
    `expert_share` of them.
    """

    pass_s: float
    token_s: float
    kv_token_s: float
    pair_s: float
    weight_s: float = 0.0
    overlap: float = 0.0
    expert_s: float = 0.0
    expert_share: float = 0.0

    def __post_init__(self) -> None:
        for field in fields(self):
            if field.name in ("overlap", "expert_share"):
                expect.settle(self, field.name, expect.share)
            else:
                expect.settle(self, field.name, expect.not_negative, most=expect.LONGEST_S)


def counted_costs(
    model: ModelShape,
    accelerator: Accelerator,
    assumptions: Assumptions,
    weight_bits: int = 16,
    kv_bits: int = 16,
) -> UnitCosts:
    """Return the unit costs that follow from counted bytes and operations; arithmetic stays 16-bit.

    Routing is assumed uniform: each expert gets an equal share of the tokens. An image tower is not read.
    """
    bytes_per_s = accelerator.bandwidth_bytes_per_s * assumptions.bandwidth_share
    flops_per_s = accelerator.flops_per_s * assumptions.flops_share
    pair_flops = 2 * model.num_layers * model.num_heads * (model.head_dim + model.value_dim)
    expert_bytes = stored_bytes(model.expert_params, weight_bits)
    return UnitCosts(
        pass_s=assumptions.overhead_s,
        token_s=2 * model.active_params / flops_per_s,
        kv_token_s=model.kv_bytes_per_token(kv_bits) / bytes_per_s,
        pair_s=pair_flops / flops_per_s,
        weight_s=(stored_bytes(model.params, weight_bits) - expert_bytes) / bytes_per_s,
        overlap=assumptions.overlap,
        expert_s=expert_bytes / bytes_per_s,
        expert_share=model.expert_share,
    )


def rescaled_costs(given: UnitCosts, counted_16: UnitCosts, counted: UnitCosts) -> UnitCosts:
    """Return measured 16-bit costs as they would be at fewer bits: an estimate.

    Only the share that counting explains shrinks. Costs fitted without `weight_s` hold the reading of the
    weights in `pass_s`, so that is where it shrinks then; those without `expert_s` read all experts there.
    """
    kv_token_s = shrink(given.kv_token_s, counted_16.kv_token_s, counted.kv_token_s)
    place = "weight_s" if given.weight_s > 0 else "pass_s"
    read_16_s, read_s = counted_16.weight_s, counted.weight_s
    if given.expert_s == 0:
        read_16_s, read_s = read_16_s + counted_16.expert_s, read_s + counted.expert_s
    weights_in = shrink(getattr(given, place), read_16_s, read_s)
    expert_s = shrink(given.expert_s, counted_16.expert_s, counted.expert_s)
    return replace(given, kv_token_s=kv_token_s, expert_s=expert_s, **{place: weights_in})


def shrink(given_s: float, counted_16_s: float, counted_s: float) -> float:
    """Return `given_s` with the part that counting explains at 16 bits scaled to fewer bits."""
    explained_s = min(given_s, counted_16_s)
    return given_s - (explained_s * (1 - counted_s / counted_16_s) if explained_s > 0 else 0.0)
