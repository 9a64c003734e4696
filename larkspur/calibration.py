"""The text that GPTQ looks at, and what each linear layer is given on it."""

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np

from larkspur.cache import Cache
from larkspur.config import Config
from larkspur.forward import Array, Params, attend, gelu_new, layer_norm, linear
from larkspur.generation import generate
from larkspur.model import Model
from larkspur.tokenizer import END_OF_TEXT_ID

LINEAR_LAYERS = ("attn.c_attn", "attn.c_proj", "mlp.c_fc", "mlp.c_proj")
N_TEXTS = 64
N_TOKENS = 64  # of each at most
Visit = Callable[[str, Array], None]


def linear_layers(config: Config) -> list[str]:
    """Return the names of all linear layers, in the order in which a forward pass meets them."""
    return [f"h.{layer}.{name}" for layer in range(config.n_layer) for name in LINEAR_LAYERS]


@lru_cache(maxsize=8)
def own_texts(model: Model, seed: int) -> tuple[tuple[int, ...], ...]:
    """Return token ids of texts that the model writes itself, sampled from the start marker on.

    They are kept: the next width or method is calibrated on the same ones.
    """
    rng = np.random.default_rng(seed)
    n_tokens = min(N_TOKENS, model.config.n_ctx - 1)
    return tuple(
        (END_OF_TEXT_ID, *(step.token_id for step in generate(model, [END_OF_TEXT_ID], n_tokens, 1.0, rng)))
        for _ in range(N_TEXTS)
    )


def visit_inputs(config: Config, params: Params, texts: Sequence[Sequence[int]], visit: Visit) -> Array:
    """Return what leaves the last layer on these texts' tokens, [n_tokens, n_embd], all texts behind each other.

    Before each linear layer runs, `visit` is given its name and its inputs [n_tokens, n_in]. It may change the
    layer's weight in `params`: the layers after it then see what the changed one gives.
    """

    def visited(name: str, inputs: Array) -> Array:
        visit(name, inputs)
        return linear(params, name, inputs)

    x, cache = np.concatenate([embed(params, ids) for ids in texts]), Cache(config)
    ends = np.cumsum([len(ids) for ids in texts])[:-1]
    for layer in range(config.n_layer):
        block = f"h.{layer}."
        qkv = visited(block + "attn.c_attn", layer_norm(config, params, block + "ln_1", x))
        each = [attend(config, part, layer, cache) for part in np.split(qkv, ends)]  # each from place 0 on
        x = x + visited(block + "attn.c_proj", np.concatenate(each))
        hidden = gelu_new(visited(block + "mlp.c_fc", layer_norm(config, params, block + "ln_2", x)))
        x = x + visited(block + "mlp.c_proj", hidden)
    return x


def embed(params: Params, ids: Sequence[int]) -> Array:
    """Return the embeddings of tokens and places of one text, [n_tokens, n_embd]."""
    result: Array = params["wte.weight"][np.asarray(ids)] + params["wpe.weight"][: len(ids)]
    return result
