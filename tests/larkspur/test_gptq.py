"""GPTQ and rounding on small matrices, beside a dense reference that solves for the best repair at every step."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from larkspur.gptq import DAMPING, gptq, hessian_of, round_to_nearest

SEEDS = st.integers(0, 10_000)
BITS = st.sampled_from([8, 6, 4, 3, 2])


def drawn(seed: int, n_in: int = 7, n_out: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Return a weight and inputs that hang together, as a model's do."""
    rng = np.random.default_rng(seed)
    inputs = rng.normal(size=(60, n_in)) @ rng.normal(size=(n_in, n_in))
    return rng.normal(size=(n_in, n_out)).astype(np.float32), inputs.astype(np.float32)


def spanned(rows: np.ndarray, bits: int) -> tuple[np.ndarray, np.ndarray]:
    low, high = np.minimum(rows.min(axis=0), 0), np.maximum(rows.max(axis=0), 0)
    smallest = 2.0**-14  # float16's smallest number of full precision
    scale = np.maximum((high - low) / (2**bits - 1), smallest).astype(np.float16).astype(float)
    return scale, np.round(-low / scale).clip(0, 2**bits - 1)


def reference(weight: np.ndarray, inputs: np.ndarray, bits: int, group_size: int) -> np.ndarray:
    """Return the numbers that GPTQ ends at, with no Cholesky factor: normal equations solved anew at each step.

    With some rows fixed, the others' best values for the damped squared error of the outputs are
    w - H[rest, rest]⁻¹ H[rest, fixed] (fixed' - fixed).
    """
    weight = weight.astype(float)
    hessian = inputs.T.astype(float) @ inputs.astype(float) / len(inputs)
    order = sorted(range(len(weight)), key=lambda i: -hessian[i, i])
    hessian += np.eye(len(weight)) * DAMPING * np.trace(hessian) / len(weight)
    result = np.zeros_like(weight)
    for place, i in enumerate(order):
        fixed, rest = order[:place], order[place:]
        moved = result[fixed] - weight[fixed]
        best = weight[rest] - np.linalg.solve(
            hessian[np.ix_(rest, rest)], hessian[np.ix_(rest, fixed)] @ moved
        )
        start = i // group_size * group_size
        scale, zero = spanned(weight[start : start + group_size], bits)
        result[i] = scale * (np.clip(np.round(best[0] / scale) + zero, 0, 2**bits - 1) - zero)
    return result


@given(seed=SEEDS, bits=BITS, group_size=st.sampled_from([1, 2, 3, 4, 7, 9]))
def test_gptq_is_the_dense_reference(seed: int, bits: int, group_size: int) -> None:
    weight, inputs = drawn(seed)
    found = gptq(weight, hessian_of(inputs), bits, group_size).dequantize()
    np.testing.assert_allclose(found, reference(weight, inputs, bits, group_size), rtol=1e-5, atol=1e-6)


@given(seed=SEEDS, bits=BITS, group_size=st.sampled_from([1, 3, 7]))
def test_rounding_takes_the_nearest_number_of_the_grid(seed: int, bits: int, group_size: int) -> None:
    weight, _ = drawn(seed)
    matrix = round_to_nearest(weight, bits, group_size)
    scales = matrix.scales.astype(float)
    levels = np.arange(2**bits)[:, None, None] - matrix.zeros.astype(float)  # [2**bits, n_groups, n_out]
    numbers = (scales * levels)[:, np.arange(7) // group_size]  # [2**bits, n_in, n_out]
    least = np.abs(numbers - weight).min(axis=0)
    np.testing.assert_allclose(np.abs(matrix.dequantize() - weight), least, atol=1e-6)


@given(seed=SEEDS, bits=BITS)
def test_where_inputs_do_not_hang_together_gptq_is_rounding(seed: int, bits: int) -> None:
    weight, inputs = drawn(seed)
    alone = np.diag(np.diagonal(hessian_of(inputs)))
    np.testing.assert_array_equal(
        gptq(weight, alone, bits, 7).integers, round_to_nearest(weight, bits, 7).integers
    )


@pytest.mark.parametrize("bits", [4, 3, 2])
def test_gptq_moves_outputs_less_and_weights_more_than_rounding(bits: int) -> None:
    outputs, weights = np.zeros(2), np.zeros(2)
    for seed in range(20):
        weight, inputs = drawn(seed, 32, 16)
        for place, matrix in enumerate(
            (round_to_nearest(weight, bits, 32), gptq(weight, hessian_of(inputs), bits, 32))
        ):
            change = matrix.dequantize() - weight
            outputs[place] += np.square(inputs @ change).sum()
            weights[place] += np.square(change).sum()
    assert outputs[1] < 0.7 * outputs[0]
    assert weights[1] > weights[0]


def test_the_hessian_is_the_mean_of_the_products_of_two_inputs() -> None:
    inputs = np.array([[1, 2], [3, -4]], np.float32)
    np.testing.assert_allclose(hessian_of(inputs), [[5, -5], [-5, 10]], rtol=1e-12)


@pytest.mark.parametrize("dead", [[2], range(7)])
def test_inputs_that_are_always_zero_do_no_harm(dead: list[int]) -> None:
    weight, inputs = drawn(5)
    inputs[:, list(dead)] = 0
    found = gptq(weight, hessian_of(inputs), 8, 7).dequantize()
    np.testing.assert_allclose(found[list(dead)], weight[list(dead)], atol=0.02)


@pytest.mark.parametrize("value", [0.0, 0.25, -3.0, 1e-7])
def test_a_channel_of_equal_weights_is_stored_as_well_as_float16_can(value: float) -> None:
    weight = np.full((4, 2), value, np.float32)
    for matrix in (round_to_nearest(weight, 4, 4), gptq(weight, np.eye(4), 4, 2)):
        np.testing.assert_allclose(matrix.dequantize(), weight, rtol=1e-3, atol=1e-6)
