"""Larkspur mini and its student: weights, tokenizer and forward pass behind one small interface."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from types import MappingProxyType

import numpy as np
from safetensors.numpy import load_file

from larkspur.cache import Cache
from larkspur.config import Config, read_config
from larkspur.forward import Array, Params, forward_tokens
from larkspur.fused import Folded, fold, forward_token, read_only
from larkspur.tokenizer import Tokenizer

DATA = Path(__file__).resolve().parents[1] / "data"
NAMES = ("mini", "student")


@dataclass(frozen=True, eq=False)
class Model:
    """A GPT-2 model that runs here; it never changes, so all visitors share it."""

    config: Config
    params: Params = field(repr=False)  # GPT-2's names, read-only
    tokenizer: Tokenizer = field(repr=False)

    def __post_init__(self) -> None:
        if self.num_params != self.config.num_params:
            raise ValueError(
                f"expected {self.config.num_params:,} numbers for {self.config}, got {self.num_params:,}; "
                "take weights and config.json from the same folder"
            )

    @property
    def num_params(self) -> int:
        """Numbers in the weights."""
        return sum(array.size for array in self.params.values())

    @property
    def nbytes(self) -> int:
        """Bytes that the weights take, as stored."""
        return sum(array.nbytes for array in self.params.values())

    @cached_property
    def folded(self) -> Folded:
        """The weights as the pass of one cached token wants them."""
        return fold(self.config, self.params)

    def encode(self, text: str) -> list[int]:
        """Return the start marker and the text's token ids; any text is allowed."""
        return self.tokenizer.encode(text)

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of the ids, markers dropped."""
        return self.tokenizer.decode(ids)

    def token_text(self, token_id: int) -> str:
        """Return one token as a chip shows it."""
        return self.tokenizer.token_text(token_id)

    def new_cache(self) -> Cache:
        """Return an empty KV cache with room for the whole context, for one visitor alone."""
        return Cache(self.config)

    def forward(self, ids: Sequence[int], cache: Cache | None = None) -> Array:
        """Return logits [n_new, n_vocab] of the tokens after each of `ids`; a cache given grows by them.

        ValueError if there are no ids, unknown ones, or more than the context holds.
        """
        cache = self.new_cache() if cache is None else cache
        self._check(ids, cache)
        if len(ids) == 1:
            return forward_token(self.folded, ids[0], cache)[None]
        return forward_tokens(self.config, self.params, np.asarray(ids), cache)

    def _check(self, ids: Sequence[int], cache: Cache) -> None:
        """Raise ValueError with a sentence unless these ids can be read now."""
        room = self.config.n_ctx - cache.length
        if not 1 <= len(ids) <= room:
            raise ValueError(
                f"expected 1 to {room} token ids, got {len(ids)}; the context holds {self.config.n_ctx}"
            )
        if min(ids) < 0 or max(ids) >= self.config.n_vocab:
            raise ValueError(
                f"expected token ids from 0 to {self.config.n_vocab - 1}, got {min(ids)} to {max(ids)}; "
                "take them from encode"
            )


def read_model(folder: Path) -> Model:
    """Return the model in a folder laid out as Hugging Face does (config, safetensors, tokenizer)."""
    weights = {name: read_only(array) for name, array in load_file(folder / "model.safetensors").items()}
    return Model(
        read_config(folder / "config.json"), MappingProxyType(weights), Tokenizer(folder / "tokenizer.json")
    )


@lru_cache(maxsize=len(NAMES))
def load(name: str) -> Model:
    """Return "mini" or "student", read once and shared by everyone; ValueError for another name."""
    if name not in NAMES:
        raise ValueError(f"expected one of {', '.join(NAMES)}, got {name!r}; the models are in data/")
    model = read_model(DATA / f"larkspur-{name}")
    _ = model.folded
    return model
