"""Larkspur mini in fewer bits as one block of bytes: 16-bit weights, and packed integers for every width.

The browser turns the integers back into numbers itself; `bits.js` reads the block, whose form is that of
`mini_bytes`.
"""

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from larkspur.packing import PackedMatrix
from larkspur.prompts import MAX_PROMPT_TOKENS
from pages.ui.bits_models import FEWER, METHODS, QUESTIONS, SCALES, full, quantized
from pages.ui.mini_bytes import MAX_NEW_TOKENS, arrays, framed, laid_out
from pages.ui.palette import MEANINGS


@lru_cache(maxsize=len(SCALES))
def packed_widths(scales: str) -> bytes:
    """Return the block with mini at 16 bits and, by both methods, at every width, with these scales."""
    named = arrays(full())
    for key, matrix in packed_matrices(scales):
        named |= parts_of(key, matrix)
    places, body = laid_out(named)
    some = quantized(FEWER[0], next(iter(METHODS)), scales).packed
    header = {
        "config": vars(full().config) | {"num_params": full().num_params},
        "arrays": places,
        "max_prompt_tokens": MAX_PROMPT_TOKENS,
        "max_new_tokens": MAX_NEW_TOKENS,
        "accent": MEANINGS.index("Larkspur mini"),
        "widths": FEWER,
        "methods": tuple(METHODS),
        "scales": scales,
        "matrices": {name: (*matrix.shape, matrix.group_size) for name, matrix in some.items()},
        "questions": QUESTIONS,
    }
    return framed(header, body)


def packed_matrices(scales: str) -> Iterator[tuple[str, PackedMatrix]]:
    """Yield every quantized matrix, under its method, its bits and its name."""
    for method in METHODS:
        for bits in FEWER:
            for name, matrix in quantized(bits, method, scales).packed.items():
                yield f"{method} {bits} {name}", matrix


def parts_of(key: str, matrix: PackedMatrix) -> dict[str, NDArray[np.generic]]:
    """Return what a packed matrix consists of: integers, zero points, and scales [n_groups, n_out]."""
    return {
        f"{key} integers": matrix.packed,
        f"{key} zeros": matrix.packed_zeros,
        f"{key} scales": matrix.scales.astype("<f4"),
    }
