"""What the rules work on: a server's state, its requests, its unit costs, and what is written down.

Each record is a class for plain runs and, with the same fields, a NumPy record for compiled ones: `int` is
64 bits, `float` too.
"""

from dataclasses import dataclass, fields
from typing import Any, TypeVar

import numpy as np

CHUNKED, REQUEST_LEVEL, PREFILL_FIRST, ITERATION_LEVEL = range(4)  # in the order of `Settings`
PAGED, RESERVE_MAX, RESERVE_POW2, RESERVE_EXACT = range(4)
PREFILL, DECODE, STALLED, RIDING = range(4)  # what a seated request does in a pass
MODEL, DRAFT = range(2)  # places in the unit costs
NOBODY = -1
ENDLESS = 2**60  # a budget that no pass uses up
TIE_S = 1e-9  # who arrives this soon after a pass could start is in it

Kind = TypeVar("Kind")


@dataclass(slots=True)
class Costs:
    """The fields of `sim.costs.UnitCosts`."""

    pass_s: float = 0.0
    token_s: float = 0.0
    kv_token_s: float = 0.0
    pair_s: float = 0.0
    weight_s: float = 0.0
    overlap: float = 0.0
    expert_s: float = 0.0
    expert_share: float = 0.0


@dataclass(slots=True)
class State:
    """One server: how it is set, where it stands, and what is in the pass that it makes up."""

    scheduler: int = CHUNKED
    kv_layout: int = PAGED
    promises: int = 0  # 1: paged blocks are promised to the end on entry, so that nobody is preempted
    swaps: int = 0  # 1: the preempted keep what they computed, beside the memory
    block_move_s: float = 0.0  # to or from there, a block
    max_num_seqs: int = 0
    budget: int = 0  # tokens a pass may compute
    block_size: int = 0
    num_blocks: int = 0
    max_model_len: int = 0
    num_speculative_tokens: int = 0
    acceptance_rate: float = 0.0
    seed: int = 0
    records: int = 0  # 0: nothing is written down, 1: events, 2: also what each request does in them

    now_s: float = 0.0  # when the last pass ended, or the pass in the making starts
    enrolled: int = 0  # requests that were not rejected, in the order of arrival: `line`
    arrived: int = 0  # of those
    entered: int = 0  # of those, ever
    num_aside: int = 0  # preempted (all of them swapped out, if any) and not back: a stack, its top the front
    num_running: int = 0
    num_finished: int = 0  # running ones that only ride along
    free_blocks: int = 0
    promised_blocks: int = 0
    tight_places: int = 0  # leading reservations, in address order, below which no free piece has …
    tight_blocks: int = 0  # … so many blocks

    only_reads: int = 0  # 1: this pass of prefill-first reads prompts, and decoding stands still
    left: int = 0  # of the budget, in this pass
    newcomers: int = 0  # entered in this pass
    victims: int = 0  # preempted in this pass
    moved_blocks: int = 0  # of those swapped out and in, in this pass
    most_guesses: int = 0
    repeats: int = 0  # passes until the first in it finishes, or computes another number of tokens
    tokens: int = 0  # computed in this pass
    kv_tokens: int = 0  # read in it
    pairs: float = 0.0  # query-key pairs in it
    more_kv_tokens: int = 0  # that an equal pass right after it reads more: the tokens but those of riders
    more_pairs: float = 0.0
    piece_tokens: int = 0  # the same five of prompts and recomputes alone: the draft reads them too
    piece_kv_tokens: int = 0
    piece_pairs: float = 0.0
    more_piece_kv_tokens: int = 0
    more_piece_pairs: float = 0.0

    num_passes: int = 0
    num_preemptions: int = 0
    peak_blocks: int = 0
    num_events: int = 0  # written down since the log was last emptied
    num_rows: int = 0


@dataclass(slots=True)
class Seq:
    """One request: what it brings, where it stands, and what happened to it."""

    arrival_s: float = 0.0
    prompt_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    final_blocks: int = 0  # that it holds at its end, or from its start where they are reserved

    computed: int = 0  # tokens in the KV cache
    written: int = 0  # tokens of the reply
    blocks: int = 0
    first_block: int = -1  # address of a reservation
    given: int = 0  # tokens that it computes in this pass
    guesses: int = 0  # of those
    state: int = STALLED

    admitted_s: float = np.nan
    first_token_s: float = np.nan
    finish_s: float = np.nan
    last_token_s: float = np.nan
    longest_gap_s: float = 0.0
    preemptions: int = 0
    rejected: int = 0


@dataclass(slots=True)
class Result:
    """What happened to one request, as a search keeps it."""

    admitted_s: float = np.nan
    first_token_s: float = np.nan
    finish_s: float = np.nan
    longest_gap_s: float = 0.0
    preemptions: int = 0
    rejected: int = 0


@dataclass(slots=True)
class Event:
    """A pass, or `passes` equal ones in a row; the rest as at the first of them."""

    start_s: float = 0.0
    end_s: float = 0.0
    passes: int = 0
    prefill_tokens: int = 0
    decode_seqs: int = 0
    waiting: int = 0
    kv_tokens: int = 0
    kv_blocks: int = 0


@dataclass(slots=True)
class Row:
    """What one seated request does in one event; tokens and blocks as at its first pass."""

    event: int = 0
    request: int = 0
    state: int = 0
    tokens: int = 0
    guesses: int = 0
    computed: int = 0  # before the event
    computed_after: int = 0
    blocks: int = 0
    first_block: int = -1


@dataclass(slots=True)
class Round:
    """The sequences that make exactly so many guesses in this pass, and the tokens they have computed."""

    seqs: int = 0
    kv_tokens: int = 0


def dtype_of(kind: type[Any]) -> np.dtype[Any]:
    """Return the NumPy record with the fields of `kind`."""
    codes = {"int": np.int64, "float": np.float64, int: np.int64, float: np.float64}
    return np.dtype([(field.name, codes[field.type]) for field in fields(kind)], align=True)
