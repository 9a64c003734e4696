"""Integers packed bit behind bit: nothing lost, no bit wasted."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from larkspur.packing import PackedMatrix, pack, pack_matrix, unpack


@given(bits=st.integers(2, 8), n_in=st.integers(1, 40), n_out=st.integers(1, 9), seed=st.integers(0, 99))
def test_unpacking_gives_back_what_was_packed_in_the_fewest_bytes(
    bits: int, n_in: int, n_out: int, seed: int
) -> None:
    integers = np.random.default_rng(seed).integers(0, 2**bits, (n_in, n_out), np.uint8)
    packed = pack(integers, bits)
    assert packed.dtype == np.uint8
    assert packed.nbytes == -(-n_in * n_out * bits // 8)
    np.testing.assert_array_equal(unpack(packed, bits, (n_in, n_out)), integers)


def test_two_bits_lie_in_a_byte_from_its_low_end_up() -> None:
    assert pack(np.array([[1, 2], [3, 0]], np.uint8), 2).tolist() == [0b00_11_10_01]


@given(bits=st.integers(2, 8), group_size=st.integers(1, 12), seed=st.integers(0, 99))
def test_a_number_is_its_groups_scale_times_the_integer_less_the_zero_point(
    bits: int, group_size: int, seed: int
) -> None:
    rng, n_groups = np.random.default_rng(seed), -(-10 // group_size)
    integers, zeros = (rng.integers(0, 2**bits, (n, 3), np.uint8) for n in (10, n_groups))
    scales = rng.random((n_groups, 3)).astype(np.float16)
    matrix = pack_matrix(integers, zeros, scales, bits, group_size)
    numbers = matrix.dequantize()
    assert numbers.dtype == np.float32
    for i in range(10):
        for j in range(3):
            group = i // group_size
            number = float(scales[group, j]) * (int(integers[i, j]) - int(zeros[group, j]))
            assert numbers[i, j] == pytest.approx(number, rel=1e-6)
    assert matrix.nbytes == -(-30 * bits // 8) + -(-3 * n_groups * bits // 8) + 6 * n_groups


@pytest.mark.parametrize("bits", [0, 1, 9, 16, 2.5])
def test_other_bits_are_refused_with_a_sentence(bits: float) -> None:
    none = np.zeros((1, 1), np.uint8)
    with pytest.raises(ValueError, match=f"expected 2 to 8 bits, got {bits}; try 8, 6, 4, 3 or 2"):
        PackedMatrix((1, 1), bits, 1, none, none, np.ones((1, 1), np.float16))


def test_scales_that_do_not_fit_are_refused_with_a_sentence() -> None:
    integers = np.zeros((10, 3), np.uint8)
    with pytest.raises(ValueError, match="expected scales for each 4 of 10 rows and 3 channels, got 2 x 3"):
        pack_matrix(integers, integers[:2], np.ones((2, 3), np.float16), 4, 4)
