"""Steady traffic: Poisson arrivals, with lengths that go together."""

import numpy as np
import pytest

from sim import Trace, monday


def test_arrivals_are_poisson_at_the_rate_asked_for():
    trace = Trace.steady(rate_per_s=3.0, num_requests=20_000, like=monday(), seed=5)
    gaps_s = np.diff(trace.arrival_s)
    assert trace.arrival_s[0] == 0
    assert gaps_s.mean() == pytest.approx(1 / 3, rel=0.03)
    assert gaps_s.std() == pytest.approx(1 / 3, rel=0.05)


def test_lengths_are_mondays_own_and_stay_together():
    like = Trace([0, 1, 2], [10, 20, 30], [1, 2, 3], [5, 6, 7])
    trace = Trace.steady(rate_per_s=1.0, num_requests=500, like=like, seed=1)
    triples = set(zip(trace.prompt_tokens, trace.output_tokens, trace.cached_tokens, strict=True))
    assert triples == {(10, 1, 5), (20, 2, 6), (30, 3, 7)}


def test_the_rate_changes_only_the_clock_and_the_seed_everything():
    slow, fast = (Trace.steady(rate_per_s=r, num_requests=50, like=monday(), seed=2) for r in (1.0, 2.0))
    np.testing.assert_allclose(slow.arrival_s, 2 * fast.arrival_s)
    np.testing.assert_array_equal(slow.prompt_tokens, fast.prompt_tokens)
    other = Trace.steady(rate_per_s=1.0, num_requests=50, like=monday(), seed=3)
    assert not np.array_equal(slow.prompt_tokens, other.prompt_tokens)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"rate_per_s": 0}, "rate_per_s"),
        ({"rate_per_s": float("nan")}, "rate_per_s"),
        ({"num_requests": -1}, "num_requests"),
        ({"like": None}, "like: expected an instance of Trace"),
        ({"like": Trace([], [], [])}, "like: expected a trace with at least one request"),
        ({"seed": -1}, "seed"),
    ],
)
def test_steady_traffic_refuses_what_makes_no_sense(wrong, sentence):
    with pytest.raises(ValueError, match=sentence):
        Trace.steady(**({"rate_per_s": 1.0, "num_requests": 3, "like": monday()} | wrong))


def test_nobody_comes_when_nobody_is_asked_for():
    assert len(Trace.steady(rate_per_s=1.0, num_requests=0, like=Trace([], [], []))) == 0
