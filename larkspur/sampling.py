"""From logits to the next token: probabilities at a temperature, and the choice."""

import numpy as np
from numpy.typing import NDArray

from larkspur.forward import softmax

LOWEST_TEMPERATURE = 0.01  # what lies between 0 and this is greedy but for overflow


def check_temperature(temperature: float, rng: np.random.Generator | None) -> None:
    """Raise ValueError with a sentence unless one can sample like this."""
    if temperature != 0 and not LOWEST_TEMPERATURE <= temperature < np.inf:
        raise ValueError(
            f"expected temperature 0 or a number from {LOWEST_TEMPERATURE} up, got {temperature}; "
            "0 takes the likeliest token"
        )
    if temperature != 0 and rng is None:
        raise ValueError("expected a random generator, got none; pass rng=np.random.default_rng(seed)")


def probabilities(logits: NDArray[np.float32], temperature: float) -> NDArray[np.float32]:
    """Return each token's chance, [..., n_vocab]; at temperature 0 (greedy) the model's own, as at 1."""
    return softmax(logits if temperature == 0 else logits / np.float32(temperature))


def choose(probs: NDArray[np.float32], temperature: float, rng: np.random.Generator | None) -> int:
    """Return the likeliest token at temperature 0 (ties to the lower id), else a drawn one."""
    if rng is None or temperature == 0:
        return int(np.argmax(probs))
    bounds = probs.cumsum(dtype=np.float64)
    return int(bounds.searchsorted(rng.random() * bounds[-1], side="right"))
