"""Where a quantized model's error sits: how far each layer's numbers moved, and how far its outputs."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from larkspur.calibration import visit_inputs
from larkspur.forward import Array
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

    def visit(layer: str, inputs: Array) -> None:
        before, after = (each.params[layer + ".weight"] for each in (model, changed))
        moved = inputs @ (after - before)  # [n_tokens, n_out]
        rows.append(LayerError(layer, share(after - before, before), share(moved, inputs @ before)))

    visit_inputs(model.config, model.params, [model.encode(text) for text in texts], visit)
    return rows


def share(change: Array, before: Array) -> float:
    """Return the sum of squares of a change as a share of that of what was there before."""
    return float(np.square(change).sum() / np.square(before).sum())
