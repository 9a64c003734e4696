"""Larkspur mini's own KV cache, measured while it writes the example's reply."""

from functools import cache

import pandas as pd

from larkspur import load, prompt
from pages.ui import mini, numbers
from pages.ui.sums import Sum


@cache
def measured() -> pd.DataFrame:
    """Return a row a pass of the example: tokens in the cache after it, and the bytes that they take."""
    model = load("mini")
    own = model.new_cache()
    rows: list[dict[str, int]] = []
    written = [[token_id] for token_id in mini.example().ids[:-1]]  # the last is written and never read
    for unread in (list(prompt(model, mini.EXAMPLE).ids), *written):
        model.forward(unread, own)
        rows.append({"pass": len(rows) + 1, "cached_tokens": own.length, "cache_bytes": own.nbytes})
    return pd.DataFrame(rows)


@cache
def room_bytes() -> int:
    """Return the bytes of the arrays that hold mini's cache: room for its whole context, used or not."""
    own = load("mini").new_cache()
    return sum(int(array.nbytes) for array in (own.keys, vars(own)["values"]))


def cache_sum() -> Sum:
    """Return the sum behind mini's cache."""
    config, last = load("mini").config, measured().iloc[-1]
    return Sum(
        "run for real here",
        "Larkspur mini's own cache",
        "2 (key and value) × layers × width × 4 bytes (mini's numbers have 32 bits), times the tokens held.",
        (
            ("layers", numbers.count(config.n_layer)),
            ("width", numbers.count(config.n_embd)),
            ("one token", f"{numbers.count(config.kv_bytes_per_token)} bytes"),
            ("tokens held after the last pass", numbers.count(last["cached_tokens"])),
            (f"room kept, {numbers.tokens(config.n_ctx)}", f"{numbers.count(room_bytes())} bytes"),
        ),
        f"{numbers.count(last['cache_bytes'])} bytes held",
        "larkspur, run by NumPy on the server that hosts this page",
    )
