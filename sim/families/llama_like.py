"""Families with RMSNorm and gated feed-forward layers, counted as their published code allocates them.

Llama (arXiv 2302.13971, 2407.21783), Mistral (arXiv 2310.06825), Phi-3 (arXiv 2404.14219), Qwen2 (arXiv
2407.10671), Qwen3 (arXiv 2505.09388), Gemma 2 (arXiv 2408.00118), Gemma 3 (arXiv 2503.19786).
"""

from sim.config import Config
from sim.families.counted import Counted
from sim.families.layers import Attention, embeddings, gated_feed_forward, grouped_attention
from sim.families.windows import window, window_if_used


def llama(config: Config) -> Counted:
    """Return the shape of a Llama model."""
    bias = config.flag("attention_bias")
    attention = grouped_attention(config, input_bias=bias, output_bias=bias)
    return decoder(config, attention, feed_forward_bias=config.flag("mlp_bias"))


def mistral(config: Config) -> Counted:
    """Return the shape of a Mistral model: every layer has the window, if there is one."""
    counted = decoder(config, grouped_attention(config))
    return counted._replace(**window(config, counted.num_layers, counted.num_layers)._asdict())


def phi3(config: Config) -> Counted:
    """Return the shape of a Phi-3 model: no biases whatever `attention_bias` says, windows as Mistral's."""
    return mistral(config)


def qwen2(config: Config) -> Counted:
    """Return the shape of a Qwen2 or Qwen2.5 model: queries, keys and values have biases, the output none."""
    return qwen(config, grouped_attention(config, input_bias=True))


def qwen3(config: Config) -> Counted:
    """Return the shape of a Qwen3 model: a norm for the queries and one for the keys of a head."""
    bias = config.flag("attention_bias")
    return qwen(config, grouped_attention(config, input_bias=bias, output_bias=bias, head_norms=True))


def qwen(config: Config, attention: Attention) -> Counted:
    """Return the shape of a dense Qwen model; layers from `max_window_layers` on have the window, if used."""
    counted = decoder(config, attention)
    below = config.whole("max_window_layers", least=0)
    windowed = window_if_used(config, counted.num_layers, max(0, counted.num_layers - below))
    return counted._replace(**windowed._asdict())


def qwen3_vl_text(config: Config) -> Counted:
    """Return the shape of the language model of Qwen3-VL: Qwen3's, without windows."""
    bias = config.flag("attention_bias")
    attention = grouped_attention(config, input_bias=bias, output_bias=bias, head_norms=True)
    return decoder(config, attention)


def gemma2(config: Config) -> Counted:
    """Return the shape of a Gemma 2 model: four norms a layer; every other layer, from the first, has the window."""
    bias = config.flag("attention_bias")
    counted = decoder(config, grouped_attention(config, input_bias=bias, output_bias=bias), norms=4)
    windowed = window(config, counted.num_layers, (counted.num_layers + 1) // 2)
    return counted._replace(**windowed._asdict())


def gemma3_text(config: Config) -> Counted:
    """Return the shape of a Gemma 3 language model: every `sliding_window_pattern`-th layer sees everything."""
    bias = config.flag("attention_bias")
    attention = grouped_attention(config, input_bias=bias, output_bias=bias, head_norms=True)
    counted = decoder(config, attention, norms=4)
    full_layers = counted.num_layers // config.whole("sliding_window_pattern")
    windowed = window(config, counted.num_layers, counted.num_layers - full_layers)
    return counted._replace(**windowed._asdict())


def decoder(
    config: Config, attention: Attention, *, feed_forward_bias: bool = False, norms: int = 2
) -> Counted:
    """Return the shape of equal layers, each of `attention`, a gated feed-forward layer and `norms` norms."""
    layers, width = config.whole("num_hidden_layers"), config.whole("hidden_size")
    feed_forward = gated_feed_forward(width, config.whole("intermediate_size"), feed_forward_bias)
    layer = attention.params + feed_forward + norms * width
    params = embeddings(config, width) + layers * layer + width
    return Counted(params, layers, width, attention.num_heads, attention.num_kv_heads, attention.head_dim)
