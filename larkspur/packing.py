"""Weights as small integers, packed bit behind bit, with the scales and zero points that turn them back."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from larkspur.forward import Array

Integers = NDArray[np.uint8]
BITS = range(2, 9)


@dataclass(frozen=True, eq=False)
class PackedMatrix:
    """A matrix of `bits`-bit integers; each output channel has a scale and a zero point for every group of rows.

    A number is scale x (integer - zero point). Scales are float16, zero points `bits`-bit integers as well.
    """

    shape: tuple[int, int]  # n_in, n_out
    bits: int
    group_size: int  # rows that share a scale; the last group may be shorter
    packed: Integers = field(repr=False)
    packed_zeros: Integers = field(repr=False)
    scales: NDArray[np.float16] = field(repr=False)  # [n_groups, n_out]

    def __post_init__(self) -> None:
        check_bits(self.bits)
        (n_in, n_out), (n_groups, n_scaled) = self.shape, self.scales.shape
        if (n_groups, n_scaled) != (-(-n_in // self.group_size), n_out):
            raise ValueError(
                f"expected scales for each {self.group_size} of {n_in} rows and {n_out} channels, "
                f"got {n_groups} x {n_scaled}; make packed matrices with pack_matrix"
            )

    @property
    def integers(self) -> Integers:
        """The integers, unpacked, [n_in, n_out]."""
        return unpack(self.packed, self.bits, self.shape)

    @property
    def zeros(self) -> Integers:
        """The zero points, unpacked, [n_groups, n_out]."""
        return unpack(self.packed_zeros, self.bits, self.scales.shape)

    @property
    def nbytes(self) -> int:
        """Bytes that integers, zero points and scales take, as stored."""
        return self.packed.nbytes + self.packed_zeros.nbytes + self.scales.nbytes

    def dequantize(self) -> Array:
        """Return the numbers that the integers stand for, [n_in, n_out]."""
        rows = np.arange(self.shape[0]) // self.group_size  # [n_in]
        steps = self.integers.astype(np.float32) - self.zeros[rows]
        result: Array = self.scales.astype(np.float32)[rows] * steps
        return result


def pack_matrix(
    integers: Integers, zeros: Integers, scales: NDArray[np.float16], bits: int, group_size: int
) -> PackedMatrix:
    """Return the matrix [n_in, n_out] packed; zero points and scales are [n_groups, n_out]."""
    n_in, n_out = integers.shape
    return PackedMatrix((n_in, n_out), bits, group_size, pack(integers, bits), pack(zeros, bits), scales)


def pack(integers: Integers, bits: int) -> Integers:
    """Return the integers as bytes, `bits` bits each and no gap but in the last byte."""
    digits = integers.reshape(-1, 1) >> np.arange(bits, dtype=np.uint8) & 1  # [n, bits]
    return np.packbits(digits, bitorder="little")


def unpack(packed: Integers, bits: int, shape: tuple[int, ...]) -> Integers:
    """Return the integers behind the bytes, in this shape."""
    count = int(np.prod(shape))
    digits = np.unpackbits(packed, count=count * bits, bitorder="little").reshape(count, bits)
    values = digits @ (1 << np.arange(bits))  # [n]
    return values.astype(np.uint8).reshape(shape)


def check_bits(bits: int) -> None:
    """Raise ValueError with a sentence unless weights can be stored in so many bits."""
    if bits not in BITS:
        raise ValueError(f"expected {BITS.start} to {BITS.stop - 1} bits, got {bits}; try 8, 6, 4, 3 or 2")
