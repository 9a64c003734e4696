"""Where a quantized model's error sits: how far each layer's numbers moved, and how far its outputs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

import numpy as np

from larkspur.calibration import visit_inputs
from larkspur.forward import Array
from larkspur.gptq import Numbers, hessian_of
from larkspur.model import Model


@dataclass(frozen=True)
class LayerError:
    """Squared change of one linear layer as a share of what it was before: of its weights and of its outputs."""

    layer: str
    weights: float
    outputs: float


def layer_errors(model: Model, changed: Model, texts: Sequence[str]) -> list[LayerError]:
    """Return one row a linear layer: `changed` beside `model`, both given the model's own inputs on the texts.

    GPTQ moves the weights further than rounding does and the outputs less. ValueError if there is no text.
    """
    if not texts:
        raise ValueError("expected at least one text, got none; pass some")
    rows = list[LayerError]()
    for layer, hessian in hessians(model, tuple(texts)).items():
        before, after = (each.params[layer + ".weight"] for each in (model, changed))
        moved = after - before  # [n_in, n_out]
        weights = float(np.square(moved).sum() / np.square(before).sum())
        rows.append(
            LayerError(layer, weights, outputs_square(moved, hessian) / outputs_square(before, hessian))
        )
    return rows


@lru_cache(maxsize=2)
def hessians(model: Model, texts: tuple[str, ...]) -> Mapping[str, Numbers]:
    """Return, by linear layer, `hessian_of` what the model gives it on these texts, [n_in, n_in].

    They are kept, for the next changed model meets the same; they say all that squares of outputs need.
    """
    found = dict[str, Numbers]()

    def visit(layer: str, inputs: Array) -> None:
        found[layer] = hessian_of(inputs)

    visit_inputs(model.config, model.params, [model.encode(text) for text in texts], visit)
    return MappingProxyType(found)


def outputs_square(weight: Array, hessian: Numbers) -> float:
    """Return the squares of a token's outputs, summed, in the mean: the trace of wᵀ H w for `weight` [n_in, n_out]."""
    wide = weight.astype(np.float64)
    return float((wide * (hessian @ wide)).sum())
