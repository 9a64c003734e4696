"""Exact parameter counts of model families, from the keys of their `config.json`.

Each function counts what the family's published code allocates: `opt` (arXiv 2205.01068), `gpt2`
(Radford et al. 2019), `llama` (arXiv 2302.13971).
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from sim.config import Config


class Counted(NamedTuple):
    """A shape with its parameters counted; sizes in elements."""

    params: int
    num_layers: int
    hidden_size: int
    num_heads: int
    num_kv_heads: int
    head_dim: int


def opt(config: Config) -> Counted:
    """Return the shape of an OPT model; its position table has two rows more than positions."""
    layers, width = config.whole("num_hidden_layers"), config.whole("hidden_size")
    heads, ffn = config.whole("num_attention_heads"), config.whole("ffn_dim")
    vocab, embed = config.whole("vocab_size"), config.whole_or("word_embed_proj_dim", width)
    norm = 2 * width * config.flag("layer_norm_elementwise_affine")
    biases = (5 * width + ffn) * config.flag("enable_bias")
    final_norm = config.flag("do_layer_norm_before") and not config.flag("_remove_final_layer_norm")
    params = (
        vocab * embed * (1 if config.flag("tie_word_embeddings") else 2)
        + (config.whole("max_position_embeddings") + 2) * width
        + (2 * embed * width if embed != width else 0)
        + layers * (4 * width * width + 2 * width * ffn + biases + 2 * norm)
        + norm * final_norm
    )
    return Counted(params, layers, width, heads, heads, even_share(width, heads))


def gpt2(config: Config) -> Counted:
    """Return the shape of a GPT-2 model; `n_inner` null means 4 · `n_embd`."""
    layers, width, heads = config.whole("n_layer"), config.whole("n_embd"), config.whole("n_head")
    vocab, inner = config.whole("vocab_size"), config.whole_or("n_inner", 4 * width)
    attention = 4 * width * width + 4 * width
    feed_forward = 2 * width * inner + inner + width
    norm = 2 * width
    params = (
        vocab * width * (1 if config.flag("tie_word_embeddings") else 2)
        + config.whole("n_positions") * width
        + layers * (attention + feed_forward + 2 * norm)
        + norm
    )
    return Counted(params, layers, width, heads, heads, even_share(width, heads))


def llama(config: Config) -> Counted:
    """Return the shape of a Llama model; an explicit `head_dim` wins over hidden ÷ heads."""
    layers, width = config.whole("num_hidden_layers"), config.whole("hidden_size")
    heads, ffn = config.whole("num_attention_heads"), config.whole("intermediate_size")
    kv_heads = config.whole_or("num_key_value_heads", heads)
    head_dim = config.whole_or("head_dim", 0) or even_share(width, heads)
    queries, keys = heads * head_dim, kv_heads * head_dim
    attention = 2 * width * (queries + keys)
    attention_biases = (queries + 2 * keys + width) * config.flag("attention_bias")
    feed_forward = 3 * width * ffn + (2 * ffn + width) * config.flag("mlp_bias")
    params = (
        config.whole("vocab_size") * width * (1 if config.flag("tie_word_embeddings") else 2)
        + layers * (attention + attention_biases + feed_forward + 2 * width)
        + width
    )
    return Counted(params, layers, width, heads, kv_heads, head_dim)


def even_share(width: int, heads: int) -> int:
    """Return the width of one head, or raise ValueError when the heads do not share evenly."""
    if width % heads:
        raise ValueError(f"expected a hidden size that {heads:,} heads share evenly, got {width:,}.")
    return width // heads


FAMILIES: Mapping[str, Callable[[Config], Counted]] = {"opt": opt, "gpt2": gpt2, "llama": llama}
