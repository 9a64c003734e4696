"""Sampled speculation has the big model's distribution: every way its draws can fall, followed with its chance."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest

from larkspur import Model, speculate
from larkspur.corpus import Document
from larkspur.speculation import residual
from tests.larkspur.tiny_models import tiny_model

pytestmark = pytest.mark.slow  # left to dev.py test


PROMPT = (1,)
NARROW = 1e-4  # in a narrower interval float32 could decide; such paths are left out and their chance counted


class Script(np.random.Generator):
    """A generator whose numbers in [0, 1) were written down beforehand."""

    def __init__(self, numbers: list[float]) -> None:
        super().__init__(np.random.PCG64(0))
        self.numbers = list(numbers)

    def random(self) -> float:
        return self.numbers.pop(0)


@dataclass(frozen=True)
class Path:
    """One way the draws can fall: an interval for each number drawn, and what the reply then is."""

    bounds: tuple[tuple[float, float], ...] = ()
    written: tuple[int, ...] = ()

    @property
    def chance(self) -> float:
        return float(np.prod([high - low for low, high in self.bounds]))

    @property
    def narrowest(self) -> float:
        return min(high - low for low, high in self.bounds)

    def then(self, low: float, high: float, *token_ids: int) -> "Path":
        return Path((*self.bounds, (low, high)), (*self.written, *token_ids))

    def numbers(self, place: float) -> list[float]:
        return [low + place * (high - low) for low, high in self.bounds]


@dataclass(frozen=True)
class Tree:
    """All paths of speculation, laid out from the paper's words alone (arXiv 2211.17192, algorithm 1)."""

    model: Model
    draft: Model
    n_guesses: int
    temperature: float
    n_new: int

    def odds(self, model: Model, written: tuple[int, ...]) -> np.ndarray:
        scores = model.forward([*PROMPT, *written])[-1].astype(float) / self.temperature
        return np.exp(scores) / np.exp(scores).sum()

    def replies(self, path: Path) -> Iterator[Path]:
        if path.written[-1:] == (0,) or len(path.written) == self.n_new:
            yield path
            return
        count = min(self.n_guesses, self.n_new - len(path.written) - 1)
        for drafting, drafted in self.drafts(path, (), count):
            for judged in self.judge(drafting, drafted, 0):
                yield from self.replies(judged)

    def drafts(
        self, path: Path, drafted: tuple[int, ...], count: int
    ) -> Iterator[tuple[Path, tuple[int, ...]]]:
        if len(drafted) == count or drafted[-1:] == (0,):
            yield path, drafted
            return
        for token, low, high in slices(self.odds(self.draft, path.written + drafted)):
            yield from self.drafts(path.then(low, high), (*drafted, token), count)

    def judge(self, path: Path, drafted: tuple[int, ...], place: int) -> Iterator[Path]:
        p = self.odds(self.model, path.written)
        if place == len(drafted):
            if drafted[-1:] == (0,):
                yield path
            else:
                yield from (path.then(low, high, token) for token, low, high in slices(p))
            return
        q, token = self.odds(self.draft, path.written), drafted[place]
        kept = min(1.0, p[token] / q[token])
        yield from self.judge(path.then(0, kept, token), drafted, place + 1)
        if kept < 1:
            refused, rest = path.then(kept, 1), np.maximum(p - q, 0)
            yield from (refused.then(low, high, own) for own, low, high in slices(rest / rest.sum()))


def slices(odds: np.ndarray) -> list[tuple[int, float, float]]:
    ends = np.concatenate([[0.0], np.cumsum(odds)])
    return [(i, ends[i], ends[i + 1]) for i in range(len(odds)) if odds[i] > 0]


@pytest.mark.parametrize(
    ("n_vocab", "n_guesses", "n_new", "temperature"),
    [(3, 1, 3, 1.0), (3, 2, 4, 0.6), (3, 3, 4, 1.0), (2, 8, 6, 1.5), (5, 4, 3, 1.0), (3, 0, 3, 1.0)],
)
@pytest.mark.parametrize("seed", [1, 2])
def test_every_way_the_draws_can_fall_adds_up_to_the_models_own_distribution(
    n_vocab: int, n_guesses: int, n_new: int, temperature: float, seed: int
) -> None:
    model, draft = tiny_model(seed, n_vocab), tiny_model(seed + 100, n_vocab)
    tree = Tree(model, draft, n_guesses, temperature, n_new)
    chances: dict[tuple[int, ...], float] = defaultdict(float)
    for path in tree.replies(Path()):
        if path.narrowest > NARROW:
            chances[play(tree, path)] += path.chance
    missing = 1 - sum(chances.values())
    assert -1e-9 < missing < 1e-3
    assert len(chances) > n_vocab
    for reply, chance in chances.items():
        assert -1e-6 < own_chance(tree, reply) - chance < missing + 1e-6


def play(tree: Tree, path: Path) -> tuple[int, ...]:
    """Return the reply to draws in the middle of the path's intervals and next to both their ends: the same."""
    replies = set()
    for place in (0.01, 0.5, 0.99):
        script = Script(path.numbers(place))
        result = speculate(
            tree.model, tree.draft, PROMPT, tree.n_guesses, tree.temperature, script, tree.n_new
        )
        assert not script.numbers, "every number is drawn, none twice"
        replies.add(result.token_ids)
    assert replies == {path.written}
    return path.written


def own_chance(tree: Tree, reply: tuple[int, ...]) -> float:
    return float(np.prod([tree.odds(tree.model, reply[:i])[token] for i, token in enumerate(reply)]))


def test_guesses_are_kept_as_often_as_the_two_distributions_overlap(
    mini: Model, student: Model, held_out: list[Document]
) -> None:
    kept, expected, judged = 0, 0.0, 0
    for seed, document in enumerate(held_out[:40]):
        ids, rng = mini.encode(document.prompt), np.random.default_rng(seed)
        for done in speculate(mini, student, ids, 4, 1.0, rng).rounds:
            n_judged = done.n_kept + done.rejected
            overlap = np.minimum(done.model_probs[:n_judged], done.draft_probs[:n_judged]).sum()
            kept, expected, judged = kept + done.n_kept, expected + float(overlap), judged + n_judged
    assert judged > 300
    assert abs(kept - expected) < 4 * 0.5 * judged**0.5  # four standard deviations at the most


def test_the_rest_after_a_refused_guess_sums_to_one_and_holds_only_what_the_draft_gave_too_little() -> None:
    p, q = np.array([0.5, 0.3, 0.2], np.float32), np.array([0.2, 0.7, 0.1], np.float32)
    np.testing.assert_allclose(residual(p, q), [0.75, 0, 0.25], rtol=1e-6)
    np.testing.assert_allclose(residual(p, p), p, rtol=1e-6)


def test_the_same_seed_samples_the_same_reply_and_others_differ(mini: Model, student: Model) -> None:
    ids = mini.encode("Where is my order?")

    def reply(seed: int) -> tuple[int, ...]:
        return speculate(mini, student, ids, 4, 1.5, np.random.default_rng(seed)).token_ids

    assert reply(3) == reply(3)
    assert len({reply(seed) for seed in range(6)}) > 1
