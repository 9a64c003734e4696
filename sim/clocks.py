"""The two clocks of a pass: reading from memory, and arithmetic; the shorter partly hides (a roofline)."""

from dataclasses import dataclass
from math import floor
from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt

from sim import expect
from sim.costs import UnitCosts
from sim.kernel.records import Costs

Amount = TypeVar("Amount", float, npt.NDArray[np.float64])
AnyCosts = UnitCosts | Costs


@dataclass(frozen=True)
class PassTime(Generic[Amount]):
    """Where the seconds of a pass go: total = fixed + weights + KV + arithmetic − hidden."""

    fixed_s: Amount
    weight_read_s: Amount
    kv_read_s: Amount
    arithmetic_s: Amount
    hidden_s: Amount
    total_s: Amount


def weight_read_s(costs: AnyCosts, tokens: Amount) -> Amount:
    """Return the seconds to read the weights once, experts as far as some of `tokens` asks for them."""
    if costs.expert_s == 0:
        return costs.weight_s + 0 * tokens
    asleep: Amount = (1 - costs.expert_share) ** tokens
    return costs.weight_s + costs.expert_s * (1 - asleep)


def pass_time(costs: UnitCosts, tokens: Amount, kv_tokens: Amount, pairs: Amount) -> PassTime[Amount]:
    """Return the seconds of a pass (or of many: arrays [n_passes]) from the work counted in it.

    `tokens` are computed, `kv_tokens` read from the cache; `pairs` are query–key pairs of prompt pieces.
    """
    expect.instance("costs", costs, UnitCosts)
    fixed_s = costs.pass_s + 0 * tokens
    weights_s = weight_read_s(costs, tokens)
    kv_read_s = costs.kv_token_s * kv_tokens
    arithmetic_s = costs.token_s * tokens + costs.pair_s * pairs
    hidden_s = costs.overlap * np.minimum(weights_s + kv_read_s, arithmetic_s)
    total_s = fixed_s + weights_s + kv_read_s + arithmetic_s - hidden_s
    return PassTime(fixed_s, weights_s, kv_read_s, arithmetic_s, hidden_s, total_s)


def prompt_pairs(computed: Amount, tokens: Amount) -> Amount:
    """Return the query–key pairs of a piece of `tokens` after `computed` ones; a single token has none."""
    return (tokens > 1) * tokens * (computed + tokens / 2)


def stretch_s(
    costs: AnyCosts,
    passes: int,
    tokens: float,
    kv_tokens: float,
    pairs: float,
    more_kv_tokens: float,
    more_pairs: float,
) -> float:
    """Return the seconds of `passes` passes of equal `tokens` in closed form.

    The first reads `kv_tokens` and has `pairs`; each later one `more_kv_tokens` and `more_pairs` more than
    the one before, so that both clocks grow in equal steps.
    """
    read_s = weight_read_s(costs, tokens) + costs.kv_token_s * kv_tokens
    compute_s = costs.token_s * tokens + costs.pair_s * pairs
    more_read_s, more_compute_s = costs.kv_token_s * more_kv_tokens, costs.pair_s * more_pairs
    hidden_s = costs.overlap * sum_of_shorter(passes, read_s, more_read_s, compute_s, more_compute_s)
    both_s = series(passes, read_s, more_read_s) + series(passes, compute_s, more_compute_s)
    return passes * costs.pass_s + both_s - hidden_s


def sum_of_shorter(terms: int, first: float, step: float, other_first: float, other_step: float) -> float:
    """Return Σ min(first + j · step, other_first + j · other_step) over j < `terms`.

    Two straight lines cross at most once: the sum is cut there.
    """
    lead, slope = first - other_first, step - other_step
    if lead > 0 or (lead == 0 and slope > 0):  # the other line starts lower
        first, step, other_first, other_step = other_first, other_step, first, step
        lead, slope = -lead, -slope
    if slope <= 0:
        return series(terms, first, step)
    cut = min(terms, floor(min(float(terms), -lead / slope)) + 1)
    rest_first = other_first + cut * other_step
    return series(cut, first, step) + series(terms - cut, rest_first, other_step)


def series(terms: int, first: float, step: float) -> float:
    """Return Σ (first + j · step) over j < `terms`."""
    return terms * first + step * (float(terms) * (terms - 1) / 2)
