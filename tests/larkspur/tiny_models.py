"""Models of a few numbers, drawn at random: small enough to follow every chance, and not used to any text."""

from types import MappingProxyType

import numpy as np

from larkspur import Config, Model, load


def tiny_model(seed: int, n_vocab: int = 5, n_ctx: int = 16, n_layer: int = 1, n_head: int = 2) -> Model:
    config = Config(n_vocab=n_vocab, n_ctx=n_ctx, n_embd=4, n_layer=n_layer, n_head=n_head)
    rng = np.random.default_rng(seed)
    params = {name: rng.normal(0, 1, shape).astype(np.float32) for name, shape in shapes(config).items()}
    return Model(config, MappingProxyType(params), load("mini").tokenizer)


def shapes(config: Config) -> dict[str, tuple[int, ...]]:
    d = config.n_embd
    named = {"wte.weight": (config.n_vocab, d), "wpe.weight": (config.n_ctx, d)}
    linear = {
        "attn.c_attn": (d, 3 * d),
        "attn.c_proj": (d, d),
        "mlp.c_fc": (d, 4 * d),
        "mlp.c_proj": (4 * d, d),
    }
    for layer in range(config.n_layer):
        for name, shape in linear.items():
            named |= {f"h.{layer}.{name}.weight": shape, f"h.{layer}.{name}.bias": shape[1:]}
        for name in ("ln_1", "ln_2"):
            named |= {f"h.{layer}.{name}.weight": (d,), f"h.{layer}.{name}.bias": (d,)}
    return named | {"ln_f.weight": (d,), "ln_f.bias": (d,)}
