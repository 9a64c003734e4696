"""Two ways to turn a matrix into small integers: plain rounding, and GPTQ (Frantar et al. 2022, arXiv 2210.17323).

Both use the grid of that paper (section 4): for every output channel and every group of rows, 2**bits evenly
spaced numbers from the smallest weight to the largest, 0 always among them.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from larkspur.forward import Array
from larkspur.packing import Integers, PackedMatrix, pack_matrix

Numbers = NDArray[np.float64]

DAMPING = 0.01  # of the mean of the Hessian's diagonal (section 3.3, step 3)
SMALLEST_SCALE = 2.0**-14  # float16 holds smaller ones, but not to three digits


@dataclass(frozen=True, eq=False)
class Grid:
    """The numbers that one group of rows can take: for each output channel scale x (0 … 2**bits - 1, less zero)."""

    bits: int
    scales: NDArray[np.float16]  # [n_out]
    zeros: Integers  # [n_out]

    @cached_property
    def steps(self) -> Numbers:
        """The scales as wide as what is reckoned with them, [n_out]."""
        return self.scales.astype(np.float64)

    def nearest(self, row: Numbers) -> Integers:
        """Return the integers that stand for the numbers nearest to these, [..., n_out]."""
        steps: Numbers = np.rint(row / self.steps) + self.zeros
        return steps.clip(0, 2**self.bits - 1).astype(np.uint8)

    def numbers(self, integers: Integers) -> Numbers:
        """Return the numbers that these integers stand for, [..., n_out]."""
        result: Numbers = self.steps * (integers.astype(np.float64) - self.zeros)
        return result


def grid_of(rows: Numbers, bits: int) -> Grid:
    """Return the grid that spans these weights, [n_rows, n_out], and 0."""
    low, high = np.minimum(rows.min(axis=0), 0), np.maximum(rows.max(axis=0), 0)  # [n_out]
    scales = np.maximum((high - low) / (2**bits - 1), SMALLEST_SCALE).astype(np.float16)
    zeros = np.clip(np.round(-low / scales.astype(np.float64)), 0, 2**bits - 1).astype(np.uint8)
    return Grid(bits, scales, zeros)


def grids_of(weight: Numbers, bits: int, group_size: int) -> list[Grid]:
    """Return the grid of each group of rows of a matrix [n_in, n_out]."""
    return [grid_of(weight[start : start + group_size], bits) for start in range(0, len(weight), group_size)]


def round_to_nearest(weight: Array, bits: int, group_size: int) -> PackedMatrix:
    """Return the matrix [n_in, n_out] with every number rounded to the nearest of its grid."""
    numbers = weight.astype(np.float64)
    grids = grids_of(numbers, bits, group_size)
    integers = [grids[i // group_size].nearest(row) for i, row in enumerate(numbers)]
    return packed(np.stack(integers), grids, group_size)


def gptq(
    weight: Array, hessian: Numbers, bits: int, group_size: int, damping: float = DAMPING
) -> PackedMatrix:
    """Return the matrix [n_in, n_out] in integers chosen so that its outputs stay near, not each number.

    One input's weights after another are rounded, those of the largest inputs first, and what that does to the
    outputs is made up for by those not yet rounded. `hessian` is `hessian_of` the inputs, [n_in, n_in].
    Source: arXiv 2210.17323, algorithm 1, without its blocks of 128 columns (no matrix here has more) and with
    the order that its authors' program calls act-order; the grids are those of the matrix as it was.
    """
    grids, integers = grids_of(weight.astype(np.float64), bits, group_size), np.empty(weight.shape, np.uint8)
    order = np.argsort(-np.diagonal(hessian), kind="stable")
    push = inverse_factor(hessian[np.ix_(order, order)], damping)
    rows = weight[order].astype(np.float64)
    for place, (i, row) in enumerate(zip(order, rows, strict=True)):
        grid = grids[i // group_size]
        integers[i] = grid.nearest(row)
        error = (row - grid.numbers(integers[i])) / push[place, place]  # [n_out]
        rows[place + 1 :] -= push[place, place + 1 :, None] * error
    return packed(integers, grids, group_size)


def hessian_of(inputs: Array) -> Numbers:
    """Return the mean of x xᵀ over the inputs [n_tokens, n_in], [n_in, n_in].

    Half the second derivative of the squared change of an output; a common factor changes nothing in GPTQ.
    """
    wide = inputs.astype(np.float64)
    result: Numbers = wide.T @ wide / len(wide)
    return result


def inverse_factor(hessian: Numbers, damping: float) -> Numbers:
    """Return the upper Cholesky factor of the damped Hessian's inverse, [n_in, n_in].

    Its row i says how the weights after i make up for an error in i, those before being fixed (section 3.3).
    """
    mean = float(np.diagonal(hessian).mean()) or 1.0  # inputs that are all 0 ask for nothing
    damped = hessian + np.eye(len(hessian)) * damping * mean
    result: Numbers = np.linalg.cholesky(np.linalg.inv(damped)).T
    return result


def packed(integers: Integers, grids: list[Grid], group_size: int) -> PackedMatrix:
    """Return integers [n_in, n_out] and the grids of their groups as one packed matrix."""
    zeros, scales = np.stack([grid.zeros for grid in grids]), np.stack([grid.scales for grid in grids])
    return pack_matrix(integers, zeros, scales, grids[0].bits, group_size)
