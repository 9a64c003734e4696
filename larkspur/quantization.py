"""A model whose linear layers are stored in fewer bits, usable wherever a model is (GPTQ: arXiv 2210.17323)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from larkspur.calibration import linear_layers, own_texts, visit_inputs
from larkspur.forward import Array
from larkspur.fused import read_only
from larkspur.gptq import gptq, hessian_of, round_to_nearest
from larkspur.model import Model
from larkspur.packing import PackedMatrix, check_bits

METHODS = ("gptq", "round")


@dataclass(frozen=True, eq=False)
class QuantizedModel(Model):
    """A model with the weights of its linear layers stored as packed integers.

    `params` holds for these layers what the integers stand for, expanded once: NumPy multiplies float32 only,
    so that here fewer bits save storage, not time. On a GPU they are expanded while they are read.
    """

    packed: Mapping[str, PackedMatrix] = field(repr=False)  # of the names in `params` that are quantized
    bits: int
    method: str
    group_size: int | None

    @property
    def nbytes(self) -> int:
        """Bytes as stored: integers, zero points and scales of the linear layers, float32 for all else."""
        return self.packed_nbytes + sum(
            array.nbytes for name, array in self.params.items() if name not in self.packed
        )

    @property
    def packed_nbytes(self) -> int:
        """Bytes of the quantized weights alone: integers, zero points and scales."""
        return sum(matrix.nbytes for matrix in self.packed.values())


def quantize(
    model: Model,
    bits: int,
    method: str = "gptq",
    group_size: int | None = None,
    calibration: Sequence[str] | None = None,
    seed: int = 0,
) -> QuantizedModel:
    """Return the model with its linear layers' weights in integers of `bits` bits (2 to 8).

    Quantized are the weights of c_attn, c_proj, c_fc and c_proj in every layer, 12 n_embd² numbers each: of
    mini's 51,072 numbers 24,576, which take 98,304 bytes in float32, and in 4 bits 12,288 bytes and 1,440 of
    scales and zero points. Embeddings, biases and LayerNorms stay as they are (26,496 numbers of mini, 105,984
    bytes; they are a small part of a large model).

    Every output channel has a scale of its own, and one for each `group_size` inputs if that is given. Method
    "round" takes the nearest integers. "gptq" chooses them on `calibration` texts; without any, on texts that
    the model writes itself, sampled with `seed`. ValueError for other bits, methods, sizes, or empty texts.
    """
    check_choice(bits, method, group_size)
    params, packed = dict(model.params), dict[str, PackedMatrix]()

    def store(layer: str, matrix: PackedMatrix) -> None:
        packed[layer + ".weight"] = matrix
        params[layer + ".weight"] = read_only(matrix.dequantize())

    def visit(layer: str, inputs: Array) -> None:
        weight = params[layer + ".weight"]
        store(layer, gptq(weight, hessian_of(inputs), bits, group_size or len(weight)))

    if method == "gptq":
        visit_inputs(model.config, params, calibration_ids(model, calibration, seed), visit)
    else:
        for layer in linear_layers(model.config):
            weight = params[layer + ".weight"]
            store(layer, round_to_nearest(weight, bits, group_size or len(weight)))
    return QuantizedModel(
        model.config,
        MappingProxyType(params),
        model.tokenizer,
        MappingProxyType(packed),
        bits,
        method,
        group_size,
    )


def calibration_ids(model: Model, texts: Sequence[str] | None, seed: int) -> Sequence[Sequence[int]]:
    """Return the token ids of the texts, or of the model's own; ValueError if the texts say nothing."""
    if texts is None:
        return own_texts(model, seed)
    ids = [model.encode(text)[: model.config.n_ctx] for text in texts if text]
    if not ids:
        raise ValueError("expected calibration texts, got none with text in it; pass some, or None")
    return ids


def check_choice(bits: int, method: str, group_size: int | None) -> None:
    """Raise ValueError with a sentence unless a model can be quantized like this."""
    check_bits(bits)
    if method not in METHODS:
        raise ValueError(f"expected one of {', '.join(METHODS)}, got {method!r}; GPTQ loses less")
    if group_size is not None and group_size < 1:
        raise ValueError(f"expected groups of at least 1 input, got {group_size}; None is one a channel")
