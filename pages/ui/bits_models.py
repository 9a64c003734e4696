"""Larkspur mini in fewer bits: quantized, asked and measured on the server while the reader waits, then kept."""

from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Literal

import numpy as np

from larkspur import (
    LayerError,
    Model,
    QuantizedModel,
    evaluate,
    generate,
    held_out_texts,
    layer_errors,
    load,
    prompt,
    quantize,
)
from larkspur.calibration import linear_layers
from larkspur.fused import read_only

FULL = 16
FEWER = (8, 6, 4, 3, 2)
WIDTHS = (FULL, *FEWER)
Method = Literal["GPTQ", "rounded"]
METHODS: dict[str, str] = {"GPTQ": "gptq", "rounded": "round"}
SCALES: dict[str, int | None] = {"a whole row": None, "every 16 weights": 16}
WHOLE_ROW = "a whole row"
QUESTION = "Where is my order?"
QUESTIONS = (QUESTION, "The box contains the wrong item.", "Are you open today?", "Is the desk in stock?")
LINEAR_WEIGHTS = 24_576  # of mini's numbers: those of its linear layers, which are stored in fewer bits
KEPT = 32  # quantized models, 0.5 MB each with their folded weights


@dataclass(frozen=True)
class Measured:
    """What one way of storing mini costs: perplexity, share of agreement with 16 bits, bytes of the weights."""

    perplexity: float
    agreement: float
    weight_bytes: int


@dataclass(frozen=True)
class Replies:
    """Mini's greedy replies to one question as token ids, at 16 bits and at each of the fewer."""

    full: tuple[int, ...]
    fewer: tuple[tuple[int, ...], ...]  # in the order of FEWER

    def __post_init__(self) -> None:
        if len(self.fewer) != len(FEWER):
            raise ValueError(
                f"expected a reply for each of {FEWER} bits, got {len(self.fewer)}; give them all"
            )

    @property
    def first_change(self) -> int | None:
        """The largest number of bits below 16 at which the reply is another; None if it never is."""
        changed = (bits for bits, ids in zip(FEWER, self.fewer, strict=True) if ids != self.full)
        return next(changed, None)

    def text(self, bits: int) -> str:
        """Return the reply at so many bits."""
        return load("mini").decode(self.at(bits)).strip()

    def at(self, bits: int) -> tuple[int, ...]:
        """Return the reply's token ids at so many bits."""
        return self.full if bits == FULL else self.fewer[FEWER.index(bits)]


@lru_cache(maxsize=1)
def full() -> Model:
    """Return mini with the weights of its linear layers in 16-bit floating point, as servers have them."""
    mini = load("mini")
    names = [f"{layer}.weight" for layer in linear_layers(mini.config)]
    half = {name: read_only(mini.params[name].astype(np.float16).astype(np.float32)) for name in names}
    return Model(mini.config, MappingProxyType({**mini.params, **half}), mini.tokenizer)


@lru_cache(maxsize=KEPT)
def quantized(bits: int, method: str, scales: str) -> QuantizedModel:
    """Return mini in so many bits; `method` and `scales` as the page words them."""
    return quantize(full(), bits, METHODS[method], SCALES[scales])


def model_at(bits: int, method: str, scales: str) -> Model:
    """Return mini at any of the widths."""
    return full() if bits == FULL else quantized(bits, method, scales)


@lru_cache(maxsize=4 * KEPT)
def measured(bits: int, method: str, scales: str) -> Measured:
    """Return what mini in so many bits makes of texts that it has never seen."""
    if bits == FULL:
        names = [f"{layer}.weight" for layer in linear_layers(full().config)]
        found = evaluate(full(), held_out_texts())
        return Measured(found.perplexity, 1.0, sum(2 * full().params[name].size for name in names))
    small = quantized(bits, method, scales)
    found = evaluate(small, held_out_texts(), full())
    return Measured(found.perplexity, found.agreement or 0.0, small.packed_nbytes)


@lru_cache(maxsize=4 * KEPT)
def replies(question: str, method: str, scales: str) -> Replies:
    """Return mini's replies to one of the questions at every width, written here on the server."""
    models = [model_at(bits, method, scales) for bits in WIDTHS]
    first, *rest = (reply(model, question) for model in models)
    return Replies(first, tuple(rest))


def reply(model: Model, question: str) -> tuple[int, ...]:
    """Return the token ids of a model's greedy reply."""
    return tuple(step.token_id for step in generate(model, prompt(model, question).ids))


@lru_cache(maxsize=4 * KEPT)
def errors(bits: int, method: str, scales: str) -> tuple[LayerError, ...]:
    """Return where the error of mini in so many bits sits, layer by layer, on the held-out texts."""
    return tuple(layer_errors(full(), quantized(bits, method, scales), held_out_texts()))


def num_tokens() -> int:
    """Return how many tokens of held-out text mini is measured on."""
    return sum(len(full().encode(text)) for text in held_out_texts())
