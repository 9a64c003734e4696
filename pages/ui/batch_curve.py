"""What a batch of each size gives: the engine's runs of a server that always has a queue.

Pace is what 99 in 100 customers get or more, in tokens a second; throughput is what the server writes.
"""

from dataclasses import dataclass, replace
from functools import cache
from itertools import takewhile

import numpy as np

from pages.ui.served import server
from sim import MONDAY_TARGETS, Server, Settings, Trace, monday, search, simulate
from sim.compiler import compile_in_background

MOST = 48  # the largest batch that is tried
CUSTOMERS, RUSH_PER_S = 1000, 1000.0  # all there within about a second: the queue is never empty
KINDS = 25  # of text, evenly spread
PROMPT_TOKENS, REPLY_TOKENS = (170, 330), (340, 660)  # least, most
KNEE = 0.5  # the share of the pace alone
ROOMY = 0.92  # of the card: as much as vLLM takes if it has the card to itself


@dataclass(frozen=True)
class Dot:
    """What a cap on the batch gives, a second: tokens for one customer (99 in 100 get this, half the median) and
    for all, replies; and how often somebody was preempted.
    """

    batch: int
    pace_per_s: float
    median_pace_per_s: float
    server_per_s: float
    replies_per_s: float
    preemptions: int


def together_per_s(customers: int, tokens: int) -> float:
    """Return each one's tokens a second where so many write at once, with `tokens` each, and nobody is read.

    Their prompts count as read before; the page's other figures need the compiler, which starts meanwhile.
    """
    compile_in_background()
    each = [tokens] * customers
    trace = Trace([0.0] * customers, each, [2] * customers, cached_tokens=[tokens - 1] * customers)
    return 1 / float(simulate(trace, server(), Settings()).requests["tpot_s"].max())


def texts(times: int) -> Trace:
    """Return one customer of each kind: prompts and replies of even spread, all of them `times` as long."""
    order = np.arange(KINDS)
    prompts = np.linspace(*PROMPT_TOKENS, KINDS).round().astype(np.int64)
    replies = np.linspace(*REPLY_TOKENS, KINDS).round().astype(np.int64)[order * 7 % KINDS]
    return Trace(np.zeros(KINDS), times * prompts, times * replies)


@cache
def queue(times: int) -> Trace:
    """Return the customers of the saturated server, with texts `times` as long."""
    return Trace.steady(rate_per_s=RUSH_PER_S, num_requests=CUSTOMERS, like=texts(times))


def roomy_server() -> Server:
    """Return Larkspur's server if the search index moved out and left it the whole card."""
    return replace(server(), gpu_memory_utilization=ROOMY)


@cache
def curve(times: int, *, is_roomy: bool = False) -> tuple[Dot, ...]:
    """Return the dots of caps from 1 to `MOST` on the saturated server (or with the whole card)."""
    return tried(queue(times), roomy_server() if is_roomy else server(), MOST)


@cache
def monday_trace() -> Trace:
    """Return Monday's requests, read once for everyone."""
    return monday()


@cache
def monday_curve() -> tuple[Dot, ...]:
    """Return the dots of caps from 1 to as many as Monday has customers."""
    return tried(monday_trace(), server(), len(monday_trace()))


def tried(trace: Trace, where: Server, most: int) -> tuple[Dot, ...]:
    """Return a dot for each cap from 1 to `most`."""
    runs = search(trace, where, {"max_num_seqs": range(1, most + 1)}, MONDAY_TARGETS, threads=1)
    runs = runs.sort_values("max_num_seqs")
    columns = (
        runs["max_num_seqs"],
        1 / runs["tpot_p99_s"],
        1 / runs["tpot_p50_s"],
        runs["tokens_per_s"],
        runs["tokens_per_s"] / trace.output_tokens.mean(),
        runs["preemptions"],
    )
    return tuple(Dot(*row) for row in zip(*(column.tolist() for column in columns), strict=True))


def largest(times: int, promise_per_s: float, *, is_roomy: bool = False) -> int:
    """Return the largest batch up to which everyone keeps the promised pace; 0 if not even one alone does."""
    kept = takewhile(lambda dot: dot.pace_per_s >= promise_per_s, curve(times, is_roomy=is_roomy))
    return len(list(kept))


def fitting(times: int) -> int:
    """Return the largest batch up to which nobody is ever preempted for want of memory."""
    return len(list(takewhile(lambda dot: dot.preemptions == 0, curve(times))))


def knee(times: int) -> Dot:
    """Return the smallest batch whose pace is at most half of that alone, had the server the whole card."""
    dots = curve(times, is_roomy=True)
    return next(dot for dot in dots if dot.pace_per_s <= KNEE * dots[0].pace_per_s)


def fullest(dots: tuple[Dot, ...]) -> Dot:
    """Return the dot at which the server writes most."""
    return max(dots, key=lambda dot: dot.server_per_s)
