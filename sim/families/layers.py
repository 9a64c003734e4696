"""Parts of a transformer, counted: how many numbers each holds."""

from typing import NamedTuple

from sim.config import Config


class Attention(NamedTuple):
    """The attention of one layer: its parameters, and its heads."""

    params: int
    num_heads: int
    num_kv_heads: int
    head_dim: int


def linear(inputs: int, outputs: int, bias: bool = False) -> int:
    """Return the numbers of a matrix, and of its bias."""
    return outputs * (inputs + bias)


def layer_norm(width: int) -> int:
    """Return the gains and biases of a LayerNorm; an RMSNorm has gains only."""
    return 2 * width


def gated_feed_forward(width: int, inner: int, bias: bool = False) -> int:
    """Return the numbers of the gate, up and down matrices (SwiGLU and its kin, arXiv 2002.05202)."""
    return 2 * linear(width, inner, bias) + linear(inner, width, bias)


def plain_feed_forward(width: int, inner: int, bias: bool = True) -> int:
    """Return the numbers of the two matrices of GPT's feed-forward layer."""
    return linear(width, inner, bias) + linear(inner, width, bias)


def embeddings(config: Config, width: int) -> int:
    """Return the numbers of the token table; an output layer that is tied to it adds none."""
    return config.whole("vocab_size") * width * (1 if config.flag("tie_word_embeddings") else 2)


def grouped_attention(
    config: Config, *, input_bias: bool = False, output_bias: bool = False, head_norms: bool = False
) -> Attention:
    """Return attention whose heads share keys and values in groups (arXiv 2305.13245).

    An explicit `head_dim` wins over hidden ÷ heads.
    """
    width, heads = config.whole("hidden_size"), config.whole("num_attention_heads")
    kv_heads = shared_heads(config, "num_key_value_heads", heads)
    head_dim = config.whole_or("head_dim", 0) or even_share(width, heads)
    queries, keys = heads * head_dim, kv_heads * head_dim
    params = (
        linear(width, queries + 2 * keys, input_bias)
        + linear(queries, width, output_bias)
        + 2 * head_dim * head_norms
    )
    return Attention(params, heads, kv_heads, head_dim)


def shared_heads(config: Config, key: str, heads: int) -> int:
    """Return the key-value heads, all `heads` where the key is null; ValueError where they do not share evenly."""
    kv_heads = config.whole_or(key, heads)
    if heads % kv_heads:
        raise ValueError(f"{config.place}{key}: expected a divisor of {heads:,} heads, got {kv_heads:,}.")
    return kv_heads


def even_share(width: int, heads: int) -> int:
    """Return the width of one head, or raise ValueError when the heads do not share evenly."""
    if width % heads:
        raise ValueError(f"expected a hidden size that {heads:,} heads share evenly, got {width:,}.")
    return width // heads
