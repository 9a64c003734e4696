"""Multi-head latent attention: all heads share one compressed key-value (DeepSeek-V2, arXiv 2405.04434, §2.1)."""

from sim.config import Config
from sim.families.counted import Counted
from sim.families.experts import FeedForward, sparse_decoder
from sim.families.layers import Attention, gated_feed_forward, linear


def deepseek_v2(config: Config) -> Counted:
    """Return the shape of a DeepSeek-V2 model: a token caches one latent and one rotary key a layer.

    The heads' keys and values are both computed from the latent, so that there is no factor 2.
    """
    width, experts = config.whole("hidden_size"), config.whole("n_routed_experts")
    expert = gated_feed_forward(width, config.whole("moe_intermediate_size"))
    feed_forward = FeedForward(
        expert,
        linear(width, experts) + config.whole("n_shared_experts", least=0) * expert,
        gated_feed_forward(width, config.whole("intermediate_size")),
        deepseek_dense_layers(config),
    )
    counted = sparse_decoder(config, latent_attention(config), feed_forward, experts)
    latent_dim = config.whole("kv_lora_rank") + config.whole("qk_rope_head_dim")
    return counted._replace(latent_dim=latent_dim, value_head_dim=config.whole("v_head_dim"))


def deepseek_dense_layers(config: Config) -> int:
    """Return the layers without experts: the first ones, and later ones that `moe_layer_freq` does not divide."""
    config.refuse("mlp_bias", unless=False)
    layers, step = config.whole("num_hidden_layers"), config.whole("moe_layer_freq")
    first = min(config.whole("first_k_dense_replace", least=0), layers)
    sparse_layers = -(-layers // step) - -(-first // step)
    return layers - sparse_layers


def latent_attention(config: Config) -> Attention:
    """Return attention over a latent; `q_lora_rank` null means that queries are not compressed."""
    width, heads = config.whole("hidden_size"), config.whole("num_attention_heads")
    latent, rotary = config.whole("kv_lora_rank"), config.whole("qk_rope_head_dim")
    plain, value = config.whole("qk_nope_head_dim"), config.whole("v_head_dim")
    bias = config.flag("attention_bias")
    params = (
        latent_queries(config, width, heads * (plain + rotary))
        + linear(width, latent + rotary, bias)
        + latent  # its norm
        + linear(latent, heads * (plain + value))
        + linear(heads * value, width, bias)
    )
    return Attention(params, heads, num_kv_heads=1, head_dim=plain + rotary)


def latent_queries(config: Config, width: int, queries: int) -> int:
    """Return the numbers of the queries' matrix, or of the two around a compressed query and its norm."""
    rank = config.whole_or("q_lora_rank", 0)
    if not rank:
        return linear(width, queries)
    return linear(width, rank, config.flag("attention_bias")) + rank + linear(rank, queries)
