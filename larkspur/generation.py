"""Writing a reply: one pass reads the prompt, then one pass a token."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from larkspur.model import Model
from larkspur.sampling import check_temperature, choose, probabilities
from larkspur.tokenizer import END_OF_TEXT_ID


@dataclass(frozen=True, eq=False)
class Step:
    """One pass: the token it wrote, the chances of all tokens, its time, and how many tokens it read."""

    token_id: int
    probs: NDArray[np.float32] = field(repr=False)  # [n_vocab]; at temperature 0 the model's own
    pass_s: float
    tokens_in_pass: int


def generate(
    model: Model,
    ids: Sequence[int],
    max_new_tokens: int = 64,
    temperature: float = 0.0,
    rng: np.random.Generator | None = None,
    use_cache: bool = True,
) -> Iterator[Step]:
    """Return an iterator over the passes that write the reply, the end of text included.

    Temperature 0 takes the likeliest token, ties to the lower id; otherwise `rng` draws. ValueError if the
    prompt is empty or does not leave room, the temperature is negative, or sampling has no `rng`.
    """
    check_temperature(temperature, rng)
    check_room(model.config.n_ctx, len(ids), max_new_tokens)
    return passes(model, list(ids), max_new_tokens, temperature, rng, use_cache)


def passes(
    model: Model,
    ids: list[int],
    max_new_tokens: int,
    temperature: float,
    rng: np.random.Generator | None,
    use_cache: bool,
) -> Iterator[Step]:
    """Yield one step a pass; without a cache every pass reads everything again."""
    cache = model.new_cache()
    for _ in range(max_new_tokens):
        if not use_cache:
            cache.truncate(0)
        unread = ids[cache.length :]
        start_s = time.perf_counter()
        logits = model.forward(unread, cache)
        pass_s = time.perf_counter() - start_s
        probs = probabilities(logits[-1], temperature)
        token_id = choose(probs, temperature, rng)
        yield Step(token_id, probs, pass_s, len(unread))
        if token_id == END_OF_TEXT_ID:
            return
        ids.append(token_id)


def check_room(n_ctx: int, n_ids: int, max_new_tokens: int) -> None:
    """Raise ValueError with a sentence unless prompt and reply fit a context of `n_ctx` tokens."""
    if max_new_tokens < 1 or not 1 <= n_ids <= n_ctx - max_new_tokens:
        raise ValueError(
            f"expected a prompt and a reply of at least one token and {n_ctx} together, "
            f"got {n_ids} and {max_new_tokens}; shorten one of them"
        )
