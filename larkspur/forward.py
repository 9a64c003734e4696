"""GPT-2's forward pass in plain NumPy, as published (Radford et al. 2019; LayerNorm before each block)."""

from collections.abc import Mapping
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from larkspur.cache import Cache
from larkspur.config import Config

Array = NDArray[np.float32]
Params = Mapping[str, Array]

GELU_SLOPE, GELU_CUBE = 0.7978845608028654, 0.044715  # sqrt(2 / π); Hendrycks & Gimpel 2016, arXiv 1606.08415


def forward_tokens(config: Config, params: Params, ids: NDArray[np.int64], cache: Cache) -> Array:
    """Return logits [n_new, n_vocab] of the tokens after each of `ids`; the cache grows by them."""
    start, stop = cache.length, cache.length + len(ids)
    x = params["wte.weight"][ids] + params["wpe.weight"][start:stop]  # [n_new, n_embd]
    for layer in range(config.n_layer):
        block = f"h.{layer}."
        qkv = linear(params, block + "attn.c_attn", layer_norm(config, params, block + "ln_1", x))
        x = x + linear(params, block + "attn.c_proj", attend(config, qkv, layer, cache))
        hidden = gelu_new(linear(params, block + "mlp.c_fc", layer_norm(config, params, block + "ln_2", x)))
        x = x + linear(params, block + "mlp.c_proj", hidden)
    cache.length = stop
    logits: Array = layer_norm(config, params, "ln_f", x) @ params["wte.weight"].T  # [n_new, n_vocab]
    return logits


def attend(config: Config, qkv: Array, layer: int, cache: Cache) -> Array:
    """Return what each new token gathers from those up to itself, [n_new, n_embd]; fills the cache."""
    n_new, start = len(qkv), cache.length
    stop = start + n_new
    heads = qkv.reshape(n_new, 3, config.n_head, config.head_dim)
    cache.keys[layer, :, :, start:stop] = heads[:, 1].transpose(1, 2, 0)  # [n_head, head_dim, n_new]
    cache.values[layer, :, start:stop] = heads[:, 2].transpose(1, 0, 2)  # [n_head, n_new, head_dim]
    queries: Array = heads[:, 0].transpose(1, 0, 2) * np.float32(config.head_dim**-0.5)
    scores: Array = queries @ cache.keys[layer, :, :, :stop]  # [n_head, n_new, stop]
    scores += not_later(config.n_ctx)[start:stop, :stop]
    gathered = softmax(scores) @ cache.values[layer, :, :stop]  # [n_head, n_new, head_dim]
    return gathered.transpose(1, 0, 2).reshape(n_new, config.n_embd)


@lru_cache(maxsize=8)
def not_later(n_ctx: int) -> Array:
    """Return what is added to the scores [n_ctx, n_ctx] so that no token looks at a later one: 0, or minus infinity."""
    result: Array = np.triu(np.full((n_ctx, n_ctx), -np.inf, np.float32), 1)
    result.flags.writeable = False
    return result


def linear(params: Params, name: str, x: Array) -> Array:
    """Return x @ weight + bias, [n_new, n_out]; GPT-2 stores its weights as [n_in, n_out]."""
    result: Array = x @ params[name + ".weight"] + params[name + ".bias"]
    return result


def layer_norm(config: Config, params: Params, name: str, x: Array) -> Array:
    """Return each row at mean 0 and variance 1, times gain, plus bias (arXiv 1607.06450)."""
    centered = x - mean(x)
    variance = mean(np.square(centered))
    normal = centered / np.sqrt(variance + np.float32(config.layer_norm_epsilon))
    result: Array = normal * params[name + ".weight"] + params[name + ".bias"]
    return result


def mean(x: Array) -> Array:
    """Return the mean of each row, [n_new, 1]; on few tokens `x.mean` takes twice as long."""
    sums: Array = np.add.reduce(x, axis=-1, keepdims=True)
    return sums / np.float32(x.shape[-1])


def gelu_new(x: Array) -> Array:
    """Return GPT-2's activation, the tanh approximation of GELU."""
    result: Array = 0.5 * x * (1 + np.tanh(GELU_SLOPE * (x + GELU_CUBE * x * x * x)))
    return result


def softmax(scores: Array) -> Array:
    """Return weights that sum to 1 along the last axis."""
    powers: Array = np.exp(scores - np.maximum.reduce(scores, axis=-1, keepdims=True))
    sums: Array = np.add.reduce(powers, axis=-1, keepdims=True)
    return powers / sums
