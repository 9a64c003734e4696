"""Larkspur mini as one block of bytes, for the reader's browser: a small header, then its arrays.

Streamlit takes raw bytes only as the whole of a component's data. The block: the header's length (4 bytes,
little-endian), the header (JSON, padded to a multiple of 4), and the arrays that it lists by name as
(kind, offset behind the header, count); `mini_model.js` reads it.
"""

import json
from collections.abc import Mapping
from functools import cache

import numpy as np
from numpy.typing import NDArray

from larkspur import Model, load
from larkspur.prompts import MAX_PROMPT_TOKENS
from pages.ui.palette import MEANINGS

KINDS = {"float32": "f4", "uint16": "u2", "uint8": "u1"}
ALIGNED = 4
MAX_NEW_TOKENS = 64
LIKELIEST = 5


def packed(example: str, shared: str) -> bytes:
    """Return the block; `example` stands in the box at first, or `shared` if a link brought some text."""
    table, body = model_block()
    return framed(table | {"example": example, "shared": shared}, body)


def framed(header: Mapping[str, object], body: bytes) -> bytes:
    """Return the block of a header and the arrays behind it."""
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % ALIGNED)
    return len(text).to_bytes(4, "little") + text + body


@cache
def model_block() -> tuple[dict[str, object], bytes]:
    """Return what is the same for every reader: the header's table and all arrays behind it."""
    model = load("mini")
    places, body = laid_out(arrays(model))
    table: dict[str, object] = {
        "config": vars(model.config) | {"num_params": model.num_params},
        "arrays": places,
        "max_prompt_tokens": MAX_PROMPT_TOKENS,
        "max_new_tokens": MAX_NEW_TOKENS,
        "n_likeliest": LIKELIEST,
        "accent": MEANINGS.index("Larkspur mini"),
    }
    return table, body


def laid_out(named: Mapping[str, NDArray[np.generic]]) -> tuple[dict[str, tuple[str, int, int]], bytes]:
    """Return where each array stands, as (kind, offset, count), and all of them one behind the other."""
    places, parts, offset = {}, [], 0
    for name, array in named.items():
        data = array.tobytes() + bytes(-array.nbytes % ALIGNED)
        places[name] = (KINDS[array.dtype.name], offset, array.size)
        parts.append(data)
        offset += len(data)
    return places, b"".join(parts)


def arrays(model: Model) -> dict[str, NDArray[np.generic]]:
    """Return weights under GPT-2's names, the bytes of all tokens, and the merges in their order."""
    tokens = [model.tokenizer.token_bytes(token_id) for token_id in range(model.config.n_vocab)]
    merges = np.array(model.tokenizer.merges(), "<u2")  # [n_merges, 3]
    return {name: array.astype("<f4") for name, array in model.params.items()} | {
        "token_lengths": np.array([len(token) for token in tokens], np.uint8),
        "token_bytes": np.frombuffer(b"".join(tokens), np.uint8),
        "merges": merges,
    }
