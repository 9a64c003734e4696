"""Who computes what in the next pass: four schedulers, each a function from a server's state to a plan."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf

from sim import Settings
from tests.sim.oracle.luck import leading_accepted
from tests.sim.oracle.memory import Memory, blocks_for
from tests.sim.oracle.record import Piece
from tests.sim.oracle.sequence import Sequence


@dataclass
class Replica:
    """One server between two passes; `queue` and `running` are in the order of service."""

    settings: Settings
    memory: Memory
    queue: deque[Sequence] = field(default_factory=deque)
    running: list[Sequence] = field(default_factory=list)  # in the order in which they entered


@dataclass
class Plan:
    """What the next pass does; whoever is seated and has no piece rides along or is stalled."""

    pieces: dict[Sequence, Piece] = field(default_factory=dict)
    preempted: list[Sequence] = field(default_factory=list)
    moved_blocks: int = 0


def chunked(replica: Replica) -> Plan:
    """Rules 1 and 2 under the budget of tokens (Sarathi, vLLM V1)."""
    return _running_then_queue(replica, replica.settings.max_num_batched_tokens)


def iteration_level(replica: Replica) -> Plan:
    """The same without a budget (Orca)."""
    return _running_then_queue(replica, inf)


def _running_then_queue(replica: Replica, budget: float) -> Plan:
    plan = Plan()
    budget = advance_running(replica, plan, budget)
    if not plan.preempted:
        while budget > 0 and front_fits(replica):
            budget -= enter(replica, plan, budget)
    return plan


def prefill_first(replica: Replica) -> Plan:
    """Whole prompts while the front fits, and only when it does not, a decode pass (vLLM V0).

    Whoever was swapped out has no prompt to read: it returns in a decode pass, after rule 1, and until it
    has nobody passes it.
    """
    plan = Plan()
    budget: float = replica.settings.max_num_batched_tokens
    while front_fits(replica) and not replica.queue[0].swapped:
        if plan.pieces and replica.queue[0].to_compute > budget:
            break
        budget -= enter(replica, plan, inf)  # one above the budget leaves less than nothing: it is alone
    if plan.pieces:
        return plan
    advance_running(replica, plan, inf)
    if not plan.preempted:
        while front_fits(replica) and replica.queue[0].swapped:
            enter(replica, plan, inf)
    return plan


def request_level(replica: Replica) -> Plan:
    """Fill an empty server once, read all prompts in one pass, decode to the end of the longest reply."""
    plan = Plan()
    if replica.running:
        advance_running(replica, plan, inf)
    else:
        while front_fits(replica):
            enter(replica, plan, inf)
    return plan


SCHEDULERS: dict[str, Callable[[Replica], Plan]] = {
    "chunked": chunked,
    "iteration-level": iteration_level,
    "prefill-first": prefill_first,
    "request-level": request_level,
}


def front_fits(replica: Replica) -> bool:
    """Return whether somebody waits and the first of them has a seat and memory; nobody passes the first."""
    seats_left = replica.settings.max_num_seqs - len(replica.running)
    return bool(replica.queue) and seats_left > 0 and replica.memory.fits(replica.queue[0])


def enter(replica: Replica, plan: Plan, budget: float) -> int:
    """Seat the front of the queue as the youngest; return the tokens it computes at once."""
    sequence = replica.queue.popleft()
    replica.running.append(sequence)
    piece = make_piece(sequence, replica.settings, budget, guess=False)
    replica.memory.enter(sequence, piece.tokens)
    if sequence.swapped:
        plan.moved_blocks += blocks_for(sequence.computed, replica.settings.block_size)
        sequence.swapped = False
    plan.pieces[sequence] = piece
    return piece.tokens


def advance_running(replica: Replica, plan: Plan, budget: float) -> float:
    """Rule 1: pieces for those running, eldest first, as budget and memory allow; return the budget left."""
    for sequence in list(replica.running):
        if budget == 0 or sequence in plan.preempted:
            break
        if sequence.finished:
            continue  # rides along
        piece = make_piece(sequence, replica.settings, budget, guess=sequence.decodes)
        if not make_room(replica, plan, sequence, piece.tokens):
            break
        plan.pieces[sequence] = piece
        budget -= piece.tokens
    return budget


def make_piece(sequence: Sequence, settings: Settings, budget: float, *, guess: bool) -> Piece:
    """Return what a request computes within `budget` tokens, guesses included where it may guess."""
    tokens, guesses = int(min(sequence.to_compute, budget)), 0
    if guess:
        still_to_write = sequence.output_tokens - sequence.written
        guesses = int(min(settings.num_speculative_tokens, still_to_write - 1, budget - 1))
    kept = leading_accepted(settings, sequence.request, sequence.written, guesses)
    return Piece(sequence.request, sequence.computed, tokens + guesses, guesses, kept, sequence.decodes)


def make_room(replica: Replica, plan: Plan, sequence: Sequence, tokens: int) -> bool:
    """Take the blocks for `tokens` more, preempting the last to enter until they fit.

    Returns False if that was the sequence itself.
    """
    while replica.memory.needs(sequence, tokens) > replica.memory.free:
        victim = replica.running.pop()
        preempt(replica, plan, victim)
        if victim is sequence:
            return False
    replica.memory.take(sequence, replica.memory.needs(sequence, tokens))
    return True


def preempt(replica: Replica, plan: Plan, victim: Sequence) -> None:
    """Take the memory of `victim` and send it to the front of the queue."""
    memory, settings = replica.memory, replica.settings
    assert memory.paged, "preempted one whose memory was reserved"
    assert not memory.promises, "preempted one whose memory was promised"
    memory.release(victim)
    replica.queue.appendleft(victim)
    victim.preemptions += 1
    plan.preempted.append(victim)
    if settings.preemption == "swap":
        victim.swapped = True
        plan.moved_blocks += blocks_for(victim.computed, settings.block_size)
    else:
        victim.computed = victim.cached_tokens
