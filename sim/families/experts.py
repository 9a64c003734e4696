"""Families whose feed-forward layers are experts, of which each token is sent to a few.

Mixtral (arXiv 2401.04088), Qwen3-MoE (arXiv 2505.09388), gpt-oss (arXiv 2508.10925).
"""

from typing import NamedTuple

from sim.config import Config
from sim.families.counted import Counted
from sim.families.layers import Attention, embeddings, gated_feed_forward, grouped_attention, linear
from sim.families.windows import window, window_if_used

MXFP4_BITS_TIMES_4 = 17  # 4 bits a number and an 8-bit scale for every 32 (OCP Microscaling Formats 1.0)


class FeedForward(NamedTuple):
    """Numbers of the feed-forward part of a layer.

    Of one expert; of what every token meets beside its experts (the router, shared experts); and of the
    `dense_layers` that have no experts.
    """

    expert: int
    shared: int
    dense: int = 0
    dense_layers: int = 0


def mixtral(config: Config) -> Counted:
    """Return the shape of a Mixtral model: `intermediate_size` is the width of each expert."""
    width, experts = config.whole("hidden_size"), config.whole("num_local_experts", "num_experts")
    expert = gated_feed_forward(width, config.whole("intermediate_size"))
    feed_forward = FeedForward(expert, linear(width, experts))
    counted = sparse_decoder(config, grouped_attention(config), feed_forward, experts)
    return counted._replace(**window(config, counted.num_layers, counted.num_layers)._asdict())


def qwen3_moe(config: Config) -> Counted:
    """Return the shape of a Qwen3 model with experts; where a window is used, every layer has it."""
    counted = qwen3_vl_moe_text(config)
    return counted._replace(**window_if_used(config, counted.num_layers, counted.num_layers)._asdict())


def qwen3_vl_moe_text(config: Config) -> Counted:
    """Return the shape of the language model of Qwen3-VL with experts: Qwen3's, without windows."""
    width, experts = config.whole("hidden_size"), config.whole("num_experts", "num_local_experts")
    bias = config.flag("attention_bias")
    attention = grouped_attention(config, input_bias=bias, output_bias=bias, head_norms=True)
    expert = gated_feed_forward(width, config.whole("moe_intermediate_size"))
    dense_layers = qwen3_dense_layers(config)
    dense = gated_feed_forward(width, config.whole("intermediate_size")) if dense_layers else 0
    feed_forward = FeedForward(expert, linear(width, experts), dense, dense_layers)
    return sparse_decoder(config, attention, feed_forward, experts)


def qwen3_dense_layers(config: Config) -> int:
    """Return the layers without experts: all but every `decoder_sparse_step`-th, and `mlp_only_layers`."""
    layers, step = config.whole("num_hidden_layers"), config.whole("decoder_sparse_step")
    made_dense = {layer for layer in config.wholes("mlp_only_layers") if layer < layers}
    return layers - layers // step + sum((layer + 1) % step == 0 for layer in made_dense)


def gpt_oss(config: Config) -> Counted:
    """Return the shape of a gpt-oss model: a sink per head; every other layer, from the first, has the window."""
    width, inner = config.whole("hidden_size"), config.whole("intermediate_size")
    experts, bias = config.whole("num_local_experts", "num_experts"), config.flag("attention_bias")
    attention = grouped_attention(config, input_bias=bias, output_bias=bias)
    with_sinks = attention._replace(params=attention.params + attention.num_heads)
    feed_forward = FeedForward(gated_feed_forward(width, inner, bias=True), linear(width, experts, bias=True))
    counted = sparse_decoder(config, with_sinks, feed_forward, experts)
    layers = counted.num_layers
    return counted._replace(
        **window(config, layers, (layers + 1) // 2)._asdict(),
        checkpoint_bytes=mxfp4_bytes(config, counted, layers * experts * gated_feed_forward(width, inner)),
    )


def mxfp4_bytes(config: Config, counted: Counted, matrices: int) -> int | None:
    """Return the bytes of a checkpoint whose experts' matrices are MXFP4, None where they are not."""
    quantization = config.keys.get("quantization_config")
    if not isinstance(quantization, dict) or quantization.get("quant_method") != "mxfp4":
        return None
    return matrices * MXFP4_BITS_TIMES_4 // 32 + 2 * (counted.params - matrices)


def sparse_decoder(config: Config, attention: Attention, feed_forward: FeedForward, experts: int) -> Counted:
    """Return the shape of layers that send each token to `num_experts_per_tok` of `experts` experts."""
    layers, width = config.whole("num_hidden_layers"), config.whole("hidden_size")
    sparse_layers = layers - feed_forward.dense_layers
    expert_params = sparse_layers * experts * feed_forward.expert
    params = (
        embeddings(config, width)
        + layers * (attention.params + 2 * width)
        + sparse_layers * feed_forward.shared
        + expert_params
        + feed_forward.dense_layers * feed_forward.dense
        + width
    )
    return Counted(
        params,
        layers,
        width,
        attention.num_heads,
        attention.num_kv_heads,
        attention.head_dim,
        num_experts=experts,
        experts_per_token=config.whole("num_experts_per_tok", "experts_per_token", most=experts),
        expert_params=expert_params,
    )
