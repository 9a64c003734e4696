"""Families with two-matrix feed-forward layers, counted as their published code allocates them.

GPT-2 (Radford et al. 2019), OPT (arXiv 2205.01068), GPT-NeoX (arXiv 2204.06745), BLOOM (arXiv 2211.05100),
Falcon (arXiv 2311.16867).
"""

from sim.config import Config
from sim.families.counted import Counted
from sim.families.layers import embeddings, even_share, layer_norm, linear, plain_feed_forward, shared_heads

LAYERS = ("num_hidden_layers", "n_layer")
HEADS = ("num_attention_heads", "n_head")


def opt(config: Config) -> Counted:
    """Return the shape of an OPT model; its position table has two rows more than positions."""
    layers, width = config.whole("num_hidden_layers"), config.whole("hidden_size")
    heads, inner = config.whole("num_attention_heads"), config.whole("ffn_dim")
    embed, bias = config.whole_or("word_embed_proj_dim", width), config.flag("enable_bias")
    norm = layer_norm(width) * config.flag("layer_norm_elementwise_affine")
    final_norm = config.flag("do_layer_norm_before") and not config.flag("_remove_final_layer_norm")
    layer = 4 * linear(width, width, bias) + plain_feed_forward(width, inner, bias) + 2 * norm
    params = (
        embeddings(config, embed)
        + (config.whole("max_position_embeddings") + 2) * width
        + (2 * linear(embed, width) if embed != width else 0)
        + layers * layer
        + norm * final_norm
    )
    return Counted(params, layers, width, heads, heads, even_share(width, heads))


def gpt2(config: Config) -> Counted:
    """Return the shape of a GPT-2 model; `n_inner` null means 4 · `n_embd`."""
    layers, width = config.whole("n_layer", "num_hidden_layers"), config.whole("n_embd", "hidden_size")
    heads, inner = config.whole("n_head", "num_attention_heads"), config.whole_or("n_inner", 4 * width)
    positions = config.whole("n_positions", "max_position_embeddings")
    layer = 4 * linear(width, width, True) + plain_feed_forward(width, inner) + 2 * layer_norm(width)
    params = embeddings(config, width) + positions * width + layers * layer + layer_norm(width)
    return Counted(params, layers, width, heads, heads, even_share(width, heads))


def gpt_neox(config: Config) -> Counted:
    """Return the shape of a GPT-NeoX or Pythia model: rotary positions, no table."""
    layers, width = config.whole("num_hidden_layers"), config.whole("hidden_size")
    heads, inner = config.whole("num_attention_heads"), config.whole("intermediate_size")
    attention = 4 * linear(width, width, config.flag("attention_bias"))
    layer = attention + plain_feed_forward(width, inner) + 2 * layer_norm(width)
    params = embeddings(config, width) + layers * layer + layer_norm(width)
    return Counted(params, layers, width, heads, heads, even_share(width, heads))


def bloom(config: Config) -> Counted:
    """Return the shape of a BLOOM model: ALiBi, no position table, and a norm after the embeddings."""
    layers, width = config.whole("n_layer", "num_hidden_layers"), config.whole("hidden_size", "n_embed")
    heads = config.whole("n_head", "num_attention_heads")
    layer = 4 * linear(width, width, True) + plain_feed_forward(width, 4 * width) + 2 * layer_norm(width)
    params = embeddings(config, width) + layers * layer + 2 * layer_norm(width)
    return Counted(params, layers, width, heads, heads, even_share(width, heads))


def falcon(config: Config) -> Counted:
    """Return the shape of a Falcon model; without the new architecture all heads share one key and value."""
    layers, width = config.whole(*LAYERS), config.whole("hidden_size", "n_embed")
    heads, bias = config.whole(*HEADS), config.flag("bias")
    kv_heads, head_dim = falcon_kv_heads(config, heads), even_share(width, heads)
    attention = linear(width, width + 2 * kv_heads * head_dim, bias) + linear(width, width, bias)
    inner = config.whole_or("ffn_hidden_size", 4 * width)
    layer = attention + plain_feed_forward(width, inner, bias) + falcon_norms(config) * layer_norm(width)
    params = embeddings(config, width) + layers * layer + layer_norm(width)
    return Counted(params, layers, width, heads, kv_heads, head_dim)


def falcon_kv_heads(config: Config, heads: int) -> int:
    """Return the key-value heads: those given in the new architecture, else one or all."""
    if config.flag("new_decoder_architecture"):
        return shared_heads(config, "num_kv_heads", heads)
    return 1 if config.flag("multi_query") else heads


def falcon_norms(config: Config) -> int:
    """Return the norms of a layer: one where attention and feed-forward run side by side on the same input."""
    if not config.flag("parallel_attn"):
        return 2
    return config.whole_or("num_ln_in_parallel_attn", 2 if config.flag("new_decoder_architecture") else 1)
