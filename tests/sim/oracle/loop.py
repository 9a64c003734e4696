"""The run: pass after pass until everybody is served."""

from collections import deque
from fractions import Fraction

from sim import Server, Settings, Trace
from tests.sim.oracle.clock import Clock
from tests.sim.oracle.memory import Memory, rejection
from tests.sim.oracle.record import OracleRun, PassRow
from tests.sim.oracle.schedulers import SCHEDULERS, Plan, Replica
from tests.sim.oracle.sequence import Sequence

JUST_AFTER_S = Fraction(1, 10**9)


def oracle(
    trace: Trace, server: Server, settings: Settings, *, max_passes: int = 200_000, neighbors: bool = True
) -> OracleRun:
    """Return what happens to every request of `trace`, by the rules alone.

    Without `neighbors` the blocks of a reservation are only counted and need not lie side by side. Raises
    RuntimeError after `max_passes` passes of one replica, ValueError for guessing without a draft.
    """
    num_blocks = server.num_blocks(settings)
    sequences = [_sequence(trace, request) for request in range(len(trace))]
    for sequence in sequences:
        sequence.reason = rejection(sequence, settings, num_blocks)
    passes: list[PassRow] = []
    for number in range(server.replicas):
        dealt = [sequence for sequence in sequences[number :: server.replicas] if not sequence.reason]
        replica = Replica(settings, Memory(num_blocks, settings, neighbors))
        passes += _serve(replica, number, deque(dealt), Clock(server, settings), max_passes)
    return _handed_back(sequences, passes)


def _sequence(trace: Trace, request: int) -> Sequence:
    columns = (trace.prompt_tokens, trace.output_tokens, trace.cached_tokens)
    prompt, output, cached = (int(column[request]) for column in columns)
    return Sequence(request, Fraction(float(trace.arrival_s[request])), prompt, output, cached, cached)


def _serve(
    replica: Replica, number: int, arrivals: deque[Sequence], clock: Clock, max_passes: int
) -> list[PassRow]:
    rows: list[PassRow] = []
    now_s = Fraction(0)
    while arrivals or replica.queue or replica.running:
        if len(rows) == max_passes:
            raise RuntimeError(f"expected an end within {max_passes:,} passes; raise max_passes.")
        now_s = _next_start_s(replica, arrivals, now_s)
        plan = SCHEDULERS[replica.settings.scheduler](replica)
        riders = sum(sequence.finished for sequence in replica.running)
        end_s = now_s + clock.pass_s(list(plan.pieces.values()), riders, plan.moved_blocks)
        rows.append(_row(replica, number, plan, now_s, end_s))
        _write(replica, plan, now_s, end_s)
        _leave(replica)
        now_s = end_s
    return rows


def _next_start_s(replica: Replica, arrivals: deque[Sequence], now_s: Fraction) -> Fraction:
    """Move whoever has arrived, or will within 1 ns, to the queue; return when the next pass starts."""
    if not replica.queue and not replica.running:
        now_s = max(now_s, arrivals[0].arrival_s)
    start_s = now_s
    while arrivals and arrivals[0].arrival_s <= now_s + JUST_AFTER_S:
        start_s = max(start_s, arrivals[0].arrival_s)
        replica.queue.append(arrivals.popleft())
    return start_s


def _write(replica: Replica, plan: Plan, start_s: Fraction, end_s: Fraction) -> None:
    """Rule 3: note what is computed; whoever has nothing left to compute writes one token more."""
    for sequence, piece in plan.pieces.items():
        if sequence.admitted_s is None:
            sequence.admitted_s = start_s
        sequence.computed += piece.tokens - piece.guesses + piece.kept
        sequence.token_times_s += [end_s] * piece.kept
        if sequence.to_compute == 0:
            sequence.token_times_s.append(end_s)


def _leave(replica: Replica) -> None:
    """Give back seat and memory of finished requests; at request level only those of a whole batch."""
    leaving = [sequence for sequence in replica.running if sequence.finished]
    if replica.settings.scheduler == "request-level" and len(leaving) < len(replica.running):
        return
    for sequence in leaving:
        replica.running.remove(sequence)
        replica.memory.release(sequence)


def _row(replica: Replica, number: int, plan: Plan, start_s: Fraction, end_s: Fraction) -> PassRow:
    pieces = tuple(plan.pieces.values())
    computed_before = sum(sequence.computed for sequence in replica.running)
    return PassRow(
        replica=number,
        start_s=float(start_s),
        end_s=float(end_s),
        prefill_tokens=sum(piece.tokens for piece in pieces if not piece.decodes),
        decode_seqs=sum(piece.decodes for piece in pieces),
        waiting=len(replica.queue),
        kv_tokens=computed_before + sum(piece.tokens for piece in pieces),
        kv_blocks=sum(replica.memory.held[sequence] for sequence in replica.running),
        free_blocks=replica.memory.free,
        states=_states(replica, plan),
        pieces=pieces,
        moved_blocks=plan.moved_blocks,
    )


def _states(replica: Replica, plan: Plan) -> dict[int, str]:
    queued = {each.request: "preempted" if each.preemptions else "waiting" for each in replica.queue}
    return queued | {each.request: _seated_state(each, plan) for each in replica.running}


def _seated_state(sequence: Sequence, plan: Plan) -> str:
    if sequence.finished:
        return "riding"
    if sequence not in plan.pieces:
        return "stalled"
    return "decode" if plan.pieces[sequence].decodes else "prefill"


def _handed_back(sequences: list[Sequence], passes: list[PassRow]) -> OracleRun:
    times = [[float(time_s) for time_s in sequence.token_times_s] for sequence in sequences]
    return OracleRun(
        arrival_s=[float(each.arrival_s) for each in sequences],
        admitted_s=[None if each.admitted_s is None else float(each.admitted_s) for each in sequences],
        first_token_s=[of_request[0] if of_request else None for of_request in times],
        finish_s=[of_request[-1] if of_request else None for of_request in times],
        token_times=times,
        preemptions=[each.preemptions for each in sequences],
        status=["rejected" if each.reason else "done" for each in sequences],
        reasons=[each.reason for each in sequences],
        first_block=[each.first_block for each in sequences],
        passes=passes,
    )
