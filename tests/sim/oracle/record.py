"""What an oracle run hands back: requests as columns, passes as rows; seconds on the trace's own clock."""

from dataclasses import dataclass
from typing import NamedTuple


class Piece(NamedTuple):
    """What one request computes in one pass."""

    request: int
    computed: int  # tokens computed before
    tokens: int  # computed now, guesses included
    guesses: int
    kept: int  # leading guesses that are right
    decodes: bool  # the token it wrote last (and guesses); else a piece of prompt or recompute

    @property
    def kv_tokens(self) -> int:
        """KV tokens read: those of before and those of now."""
        return self.computed + self.tokens

    @property
    def twice_pairs(self) -> int:
        """Twice the query-key pairs, k · (2 c + k), a whole number; a single token counts none."""
        return self.tokens * (2 * self.computed + self.tokens) if self.tokens > 1 else 0


class Segment(NamedTuple):
    """A stretch of one request in one state."""

    request: int
    start_s: float
    end_s: float
    state: str


@dataclass(frozen=True)
class PassRow:
    """One pass. KV tokens and blocks count all that are seated, with what the pass itself computes.

    `states` has everybody who had arrived when the pass began and had not left: waiting, prefill, stalled,
    decode, riding, preempted. `waiting` counts the queue while the pass runs, the preempted among it.
    """

    replica: int
    start_s: float
    end_s: float
    prefill_tokens: int
    decode_seqs: int
    waiting: int
    kv_tokens: int
    kv_blocks: int
    free_blocks: int
    states: dict[int, str]  # request → state
    pieces: tuple[Piece, ...]
    moved_blocks: int  # to and from the host, by swap


@dataclass(frozen=True)
class OracleRun:
    """A whole run: lists have one element a request; times are None where nothing happened."""

    arrival_s: list[float]
    admitted_s: list[float | None]
    first_token_s: list[float | None]
    finish_s: list[float | None]
    token_times: list[list[float]]
    preemptions: list[int]
    status: list[str]  # done, rejected
    reasons: list[str]
    first_block: list[int]  # address of the reservation; −1 when paged or rejected
    passes: list[PassRow]  # replica after replica, each in the order of time

    def segments(self) -> list[Segment]:
        """Return the stretches of every request, waiting from its arrival on; neighbors differ in state."""
        found: list[list[Segment]] = [[] for _ in self.arrival_s]
        for row in self.passes:
            for request, state in row.states.items():
                of_request = found[request]
                if not of_request and row.start_s > self.arrival_s[request]:
                    of_request.append(Segment(request, self.arrival_s[request], row.start_s, "waiting"))
                _extend(of_request, Segment(request, row.start_s, row.end_s, state))
        return [segment for of_request in found for segment in of_request]


def _extend(segments: list[Segment], following: Segment) -> None:
    if segments and segments[-1].state == following.state:
        segments[-1] = segments[-1]._replace(end_s=following.end_s)
    else:
        segments.append(following)
