"""The KV cache of one visitor: keys and values of the tokens read so far, and buffers for the next pass."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from larkspur.config import Config


class Workspace:
    """Buffers that one pass after the other writes into; one visitor's alone, like its cache."""

    def __init__(self, config: Config) -> None:
        d, heads, head_dim = config.n_embd, config.n_head, config.head_dim
        self.x = np.zeros(d, np.float32)
        self.update = np.zeros(d, np.float32)
        self.normal = np.ones(d + 1, np.float32)  # ends in the 1 that meets the bias
        self.normal_head = self.normal[:d]
        self.qkv = np.zeros(3 * d, np.float32)
        self.query, self.key, self.value = self.qkv.reshape(3, heads, head_dim)
        self.query_row = self.query[:, None, :]  # [n_head, 1, head_dim]
        self.gathered = np.ones(d + 1, np.float32)
        self.gathered_heads = self.gathered[:d].reshape(heads, 1, head_dim)
        self.hidden = np.zeros(4 * d, np.float32)
        self.active = np.ones(4 * d + 1, np.float32)
        self.active_head = self.active[: 4 * d]
        self.sums = np.zeros((heads, 1, 1), np.float32)


@dataclass(eq=False)
class Cache:
    """Keys and values of `length` tokens, with room for the whole context; one visitor's alone."""

    config: Config
    length: int = 0
    keys: NDArray[np.float32] = field(init=False, repr=False)
    values: NDArray[np.float32] = field(init=False, repr=False)
    work: Workspace = field(init=False, repr=False)

    def __post_init__(self) -> None:
        c = self.config
        # Keys are stored transposed, so that a query meets them as a plain matrix product.
        self.keys = np.zeros((c.n_layer, c.n_head, c.head_dim, c.n_ctx), np.float32)
        self.values = np.zeros((c.n_layer, c.n_head, c.n_ctx, c.head_dim), np.float32)
        self.work = Workspace(c)

    @property
    def nbytes(self) -> int:
        """Bytes that the keys and values of the tokens held take (room kept for later tokens not counted)."""
        return self.length * self.config.kv_bytes_per_token

    def truncate(self, length: int) -> None:
        """Forget all tokens after the first `length`; ValueError if there are fewer."""
        if not 0 <= length <= self.length:
            raise ValueError(f"expected a length from 0 to {self.length}, got {length}; a cache only shrinks")
        self.length = length
