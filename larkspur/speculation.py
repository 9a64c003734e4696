"""Guessing ahead: a small model drafts, the big one keeps what it would have written (arXiv 2211.17192, 2302.01318).

The reply is the big model's own: the same tokens at temperature 0, the same odds when sampling. As in every
such system that holds up to rounding: a pass over several tokens adds in another order than one over a single
token, so that two tokens equally likely to the seventh digit could change places.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from larkspur.cache import Cache
from larkspur.forward import Array
from larkspur.generation import check_room
from larkspur.model import Model
from larkspur.sampling import check_temperature, choose, probabilities
from larkspur.tokenizer import END_OF_TEXT_ID


@dataclass(frozen=True, eq=False)
class Round:
    """One pass of the big model: what was drafted for it, how much it kept, and the token it wrote itself.

    `token_id` is None only where a kept guess has ended the text.
    """

    drafted: tuple[int, ...]
    n_kept: int
    token_id: int | None
    draft_probs: Array = field(repr=False)  # [n_drafted, n_vocab]
    model_probs: Array = field(repr=False)  # [n_drafted + 1, n_vocab]; at temperature 0 each model's own
    draft_s: float
    pass_s: float
    tokens_in_pass: int

    @property
    def written(self) -> tuple[int, ...]:
        """The tokens that this round adds to the reply: one at least."""
        own = () if self.token_id is None else (self.token_id,)
        return self.drafted[: self.n_kept] + own

    @property
    def rejected(self) -> bool:
        """Whether the big model refused a guess (the one at place `n_kept`)."""
        return self.n_kept < len(self.drafted)


@dataclass(frozen=True, eq=False)
class Speculation:
    """A reply, its end of text included, and the rounds that wrote it."""

    token_ids: tuple[int, ...]
    rounds: tuple[Round, ...]

    @property
    def tokens_per_pass(self) -> float:
        """Tokens that a pass of the big model yields; plain decoding yields 1."""
        return len(self.token_ids) / len(self.rounds)

    @property
    def acceptance(self) -> float | None:
        """Share of the guesses judged that were kept; None if none was made. Those behind a refused one are not."""
        kept = sum(done.n_kept for done in self.rounds)
        judged = kept + sum(done.rejected for done in self.rounds)
        return kept / judged if judged else None


@dataclass(frozen=True, eq=False)
class Reader:
    """One of the two models, with the cache of this reply and the way it picks tokens."""

    model: Model
    cache: Cache
    temperature: float
    rng: np.random.Generator | None

    def next_probs(self, text: Sequence[int], count: int = 1) -> tuple[Array, int]:
        """Return the chances after each of the last `count` tokens, [count, n_vocab], and how many were read."""
        unread = text[self.cache.length :]
        logits = self.model.forward(unread, self.cache)[-count:]
        return probabilities(logits, self.temperature), len(unread)

    def forget(self, length: int) -> None:
        """Drop what was read after the first `length` tokens."""
        self.cache.truncate(min(length, self.cache.length))


def speculate(
    model: Model,
    draft: Model,
    ids: Sequence[int],
    num_speculative_tokens: int = 4,
    temperature: float = 0.0,
    rng: np.random.Generator | None = None,
    max_new_tokens: int = 64,
) -> Speculation:
    """Return the model's reply to `ids`, written with `draft` guessing up to so many tokens a round.

    At temperature 0 it is token for token what `generate` writes, otherwise it has the same distribution.
    ValueError if the two models do not fit together, prompt and reply do not fit a context, the number of
    guesses or the temperature is negative, or sampling has no `rng`. Source: arXiv 2211.17192, algorithm 1.
    """
    check_temperature(temperature, rng)
    check_models(model, draft, num_speculative_tokens)
    check_room(min(model.config.n_ctx, draft.config.n_ctx), len(ids), max_new_tokens)
    judge, guesser = (Reader(each, each.new_cache(), temperature, rng) for each in (model, draft))
    text, rounds, longest = list(ids), list[Round](), len(ids) + max_new_tokens
    while len(text) < longest:
        # The pass writes a token of its own, so a guess for the last place would be for nothing.
        n_guesses = min(num_speculative_tokens, longest - len(text) - 1)
        rounds.append(play_round(judge, guesser, text, n_guesses))
        text += rounds[-1].written
        if text[-1] == END_OF_TEXT_ID:
            break
    return Speculation(tuple(text[len(ids) :]), tuple(rounds))


def play_round(judge: Reader, guesser: Reader, text: list[int], n_guesses: int) -> Round:
    """Return one round: guess, check all guesses in one pass, keep the first ones, write one token more."""
    start_s = time.perf_counter()
    drafted, draft_probs = guess(guesser, text, n_guesses)
    drafted_s = time.perf_counter()
    model_probs, tokens_in_pass = judge.next_probs([*text, *drafted], len(drafted) + 1)
    checked_s = time.perf_counter()
    n_kept = count_kept(judge, drafted, draft_probs, model_probs)
    for reader in (judge, guesser):
        reader.forget(len(text) + n_kept)
    return Round(
        tuple(drafted),
        n_kept,
        own_token(judge, drafted, n_kept, draft_probs, model_probs),
        draft_probs,
        model_probs,
        draft_s=drafted_s - start_s,
        pass_s=checked_s - drafted_s,
        tokens_in_pass=tokens_in_pass,
    )


def guess(guesser: Reader, text: list[int], n_guesses: int) -> tuple[list[int], Array]:
    """Return guesses for what follows the text, none after an end of text, and their chances [n_drafted, n_vocab]."""
    drafted, rows = list[int](), [np.empty((0, guesser.model.config.n_vocab), np.float32)]
    while len(drafted) < n_guesses and END_OF_TEXT_ID not in drafted:
        probs, _ = guesser.next_probs([*text, *drafted])
        drafted.append(choose(probs[0], guesser.temperature, guesser.rng))
        rows.append(probs)
    return drafted, np.concatenate(rows)


def count_kept(judge: Reader, drafted: list[int], draft_probs: Array, model_probs: Array) -> int:
    """Return how many guesses are kept: all before the first that is refused."""
    for place, token_id in enumerate(drafted):
        if not keeps(token_id, model_probs[place], draft_probs[place], judge.temperature, judge.rng):
            return place
    return len(drafted)


def keeps(
    token_id: int, model_probs: Array, draft_probs: Array, temperature: float, rng: np.random.Generator | None
) -> bool:
    """Return whether a guess is kept: with chance min(1, p / q); at temperature 0 if the model says the same."""
    if rng is None or temperature == 0:
        return token_id == choose(model_probs, temperature, rng)
    return rng.random() * float(draft_probs[token_id]) < float(model_probs[token_id])


def own_token(
    judge: Reader, drafted: list[int], n_kept: int, draft_probs: Array, model_probs: Array
) -> int | None:
    """Return the token that the big model writes after the kept guesses; None if they have ended the text."""
    if drafted[n_kept - 1 : n_kept] == [END_OF_TEXT_ID]:
        return None
    probs: NDArray[np.floating] = model_probs[n_kept]
    if n_kept < len(drafted) and judge.temperature != 0:
        probs = residual(probs, draft_probs[n_kept])
    return choose(probs, judge.temperature, judge.rng)


def residual(model_probs: Array, draft_probs: Array) -> NDArray[np.float64]:
    """Return the distribution to draw from after a refused guess, [n_vocab]: max(0, p - q), made to sum to 1.

    Kept guesses and this together have exactly the model's distribution (arXiv 2211.17192, appendix A.1).
    """
    p, q = model_probs.astype(np.float64), draft_probs.astype(np.float64)
    rest = np.maximum(p - q, 0)
    if not rest.any():  # both are the same up to rounding
        rest = p
    result: NDArray[np.float64] = rest / rest.sum()
    return result


def check_models(model: Model, draft: Model, num_speculative_tokens: int) -> None:
    """Raise ValueError with a sentence unless one model can guess for the other."""
    if model.config.n_vocab != draft.config.n_vocab:
        raise ValueError(
            f"expected two models with one vocabulary, got {model.config.n_vocab} and "
            f"{draft.config.n_vocab} tokens; take a draft that was made for this model"
        )
    if num_speculative_tokens < 0:
        raise ValueError(
            f"expected 0 guesses a round or more, got {num_speculative_tokens}; 0 is plain decoding"
        )
