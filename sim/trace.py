"""A trace: when requests arrive, and how many tokens each brings and gets."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sim import expect
from sim.arrays import Chosen, Counts, Seconds
from sim.expect import LARGEST_COUNT, LONGEST_S

LATEST_S = 10 * LONGEST_S  # 317 years: seconds since 1970 are fine, milliseconds are not
Column = Sequence[float] | npt.NDArray[Any] | Any  # anything equally long: a list, an array, a pandas column


@dataclass(frozen=True, eq=False)
class Trace:
    """Requests in the order of arrival (ties keep the given order), columns [n_requests].

    Columns are copied once to contiguous, writable float64 (seconds) and int64 (tokens). `cached_tokens`
    of a prompt need no computing; at least one token of each prompt does. `notes` says what was repaired.
    Raises ValueError for columns that are unequally long, not numbers, or out of range: arrivals more than
    10⁹ s apart would cost the times of requests their exactness.
    """

    arrival_s: Seconds
    prompt_tokens: Counts
    output_tokens: Counts
    cached_tokens: Counts
    notes: tuple[str, ...]

    def __init__(
        self,
        arrival_s: Column,
        prompt_tokens: Column,
        output_tokens: Column,
        cached_tokens: Column | None = None,
        notes: Sequence[str] = (),
    ) -> None:
        _check_notes(notes)
        arrivals = _seconds("arrival_s", arrival_s)
        if cached_tokens is None:
            cached_tokens = np.zeros(len(arrivals), dtype=np.int64)
        columns = {
            "prompt_tokens": _counts("prompt_tokens", prompt_tokens, least=1),
            "output_tokens": _counts("output_tokens", output_tokens, least=1),
            "cached_tokens": _counts("cached_tokens", cached_tokens, least=0),
        }
        _check_lengths({"arrival_s": arrivals} | columns)
        _check_cached(columns["prompt_tokens"], columns["cached_tokens"])
        order = np.argsort(arrivals, kind="stable")
        for name, column in ({"arrival_s": arrivals} | columns).items():
            object.__setattr__(self, name, np.ascontiguousarray(column[order]))
        object.__setattr__(self, "notes", tuple(notes))

    def __len__(self) -> int:
        return len(self.arrival_s)

    @classmethod
    def steady(cls, *, rate_per_s: float, num_requests: int, like: "Trace", seed: int = 0) -> "Trace":
        """Return steady traffic: Poisson arrivals, the first at 0 s, with lengths drawn from those of `like`.

        A request's prompt, reply and cached tokens are drawn together. Raises ValueError where there is
        nothing to draw from.
        """
        rate_per_s = expect.positive("rate_per_s", rate_per_s, least=1 / LONGEST_S)
        expect.whole("num_requests", num_requests, least=0, most=10**7)
        expect.instance("like", like, cls)
        expect.whole("seed", seed, least=0)
        if num_requests > 0 and len(like) == 0:
            raise ValueError("like: expected a trace with at least one request, got an empty one.")
        arrivals, lengths = (np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(2))
        gaps_s = arrivals.exponential(1 / rate_per_s, size=num_requests)
        gaps_s[:1] = 0.0
        rows = lengths.integers(0, max(1, len(like)), size=num_requests)
        prompts, outputs, cached = (
            like.prompt_tokens[rows],
            like.output_tokens[rows],
            like.cached_tokens[rows],
        )
        return cls(np.cumsum(gaps_s), prompts, outputs, cached)


def _check_notes(notes: Any) -> None:
    a_list = isinstance(notes, Sequence) and not isinstance(notes, str)
    if not a_list or not all(isinstance(note, str) for note in notes):
        raise ValueError(f"notes: expected a list of sentences, got {expect.shown(notes)}.")


def _numbers(name: str, column: Column) -> npt.NDArray[Any]:
    if np.ma.is_masked(column):
        raise ValueError(f"{name}: expected a number for each request, got masked ones; leave these out.")
    try:
        numbers = np.asarray(column)
    except ValueError as error:  # rows of unequal length
        raise ValueError(
            f"{name}: expected a list of numbers, one a request, got {expect.shown(column)}."
        ) from error
    if numbers.ndim != 1 or (numbers.dtype.kind not in "iuf" and numbers.size):
        raise ValueError(
            f"{name}: expected a list of numbers, one a request, got {numbers.dtype} {numbers.shape}."
        )
    with np.errstate(over="ignore"):  # what float64 cannot hold is out of range as infinity
        return numbers.astype(np.float64) if numbers.dtype.kind == "f" else numbers


def _refuse(name: str, numbers: npt.NDArray[Any], wrong: Chosen, expected: str) -> None:
    if wrong.any():
        place = int(np.argmax(wrong))
        raise ValueError(f"{name}: expected {expected}, got {numbers[place]} in request {place}.")


def _seconds(name: str, column: Column) -> Seconds:
    seconds = _numbers(name, column).astype(np.float64)
    _refuse(name, seconds, ~((seconds >= 0) & (seconds <= LATEST_S)), f"seconds from 0 to {LATEST_S:,.0f}")
    since_first_s = seconds - seconds.min(initial=LATEST_S)
    _refuse(name, seconds, since_first_s > LONGEST_S, f"arrivals within {LONGEST_S:,.0f} s of the first")
    return seconds


def _counts(name: str, column: Column, least: int) -> Counts:
    numbers = _numbers(name, column)
    good = (numbers >= least) & (numbers <= LARGEST_COUNT) & (numbers == np.floor(numbers))
    _refuse(name, numbers, ~good, f"whole numbers from {least} to {LARGEST_COUNT:,}")
    return numbers.astype(np.int64)


def _check_lengths(columns: dict[str, npt.NDArray[Any]]) -> None:
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"expected columns of equal length, got {lengths}.")


def _check_cached(prompt_tokens: Counts, cached_tokens: Counts) -> None:
    _refuse("cached_tokens", cached_tokens, cached_tokens >= prompt_tokens, "fewer than the prompt's tokens")
