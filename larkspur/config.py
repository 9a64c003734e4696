"""The shape of a GPT-2 model, as its `config.json` names it (Radford et al. 2019)."""

import json
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Config:
    """Shape of a GPT-2 model: sizes are counts, `layer_norm_epsilon` is added to a variance."""

    n_vocab: int
    n_ctx: int
    n_embd: int
    n_layer: int
    n_head: int
    layer_norm_epsilon: float = 1e-5

    def __post_init__(self) -> None:
        sizes = (self.n_vocab, self.n_ctx, self.n_embd, self.n_layer, self.n_head)
        if min(sizes) < 1:
            raise ValueError(f"expected sizes of at least 1, got {self}; correct config.json")
        if self.n_embd % self.n_head:
            raise ValueError(
                f"expected n_embd to be a multiple of n_head, got {self.n_embd} and {self.n_head}; "
                "correct config.json"
            )

    @property
    def head_dim(self) -> int:
        """Numbers in one head's query, key or value."""
        return self.n_embd // self.n_head

    @property
    def num_params(self) -> int:
        """Numbers in the model: d (V + T) + L (12 d² + 13 d) + 2 d; the tied embedding counts once."""
        d = self.n_embd
        return d * (self.n_vocab + self.n_ctx) + self.n_layer * (12 * d * d + 13 * d) + 2 * d

    @property
    def kv_bytes_per_token(self) -> int:
        """Bytes of KV cache that one token takes: a key and a value of float32 in every layer."""
        return 2 * self.n_layer * self.n_embd * 4


def read_config(path: Path) -> Config:
    """Return the shape in a Hugging Face `config.json`; ValueError if it is another architecture."""
    table = json.loads(path.read_text("utf-8"))
    if (table.get("model_type"), table.get("activation_function")) != ("gpt2", "gelu_new"):
        raise ValueError(f"expected GPT-2 with gelu_new, got {path}; only that architecture runs here")
    return Config(
        n_vocab=table["vocab_size"],
        n_ctx=table["n_positions"],
        n_embd=table["n_embd"],
        n_layer=table["n_layer"],
        n_head=table["n_head"],
        layer_norm_epsilon=table["layer_norm_epsilon"],
    )
