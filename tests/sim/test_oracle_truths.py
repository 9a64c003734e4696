"""What must hold of every run of the oracle, on random cases of every combination."""

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import Phase, assume, find, given, settings
from hypothesis import strategies as st

from sim import Trace, lone_request
from sim.settings import KV_LAYOUTS
from tests.sim.cases import cases
from tests.sim.oracle import oracle

QUANTUM = Fraction(1, 2**32)  # finest second that costs of cases can make


def scaled(costs, factor):
    return costs and replace(
        costs, **{name: value * factor for name, value in vars(costs).items() if name.endswith("_s")}
    )


def times_of(run):
    return run.admitted_s, run.token_times


@given(cases())
def test_tokens_out_are_tokens_asked_and_in_order_of_time(case):
    run = oracle(*case)
    for request, times in enumerate(run.token_times):
        if run.status[request] == "rejected":
            assert (times, run.reasons[request] != "") == ([], True)
            continue
        assert len(times) == case.trace.output_tokens[request]
        assert times == sorted(times)
        assert run.arrival_s[request] <= run.admitted_s[request] <= times[0]
        assert (times[0], times[-1]) == (run.first_token_s[request], run.finish_s[request])


@given(cases())
def test_blocks_used_and_free_are_all_and_hold_the_tokens(case):
    num_blocks = case.server.num_blocks(case.settings)
    for row in oracle(*case).passes:
        assert row.kv_blocks + row.free_blocks == num_blocks
        assert row.free_blocks >= 0
        assert row.kv_tokens <= row.kv_blocks * case.settings.block_size


@given(cases())
def test_no_pass_is_empty_goes_back_or_passes_the_limits(case):
    clocks = dict.fromkeys(range(case.server.replicas), 0.0)
    for row in oracle(*case).passes:
        assert row.pieces
        assert clocks[row.replica] <= row.start_s <= row.end_s
        clocks[row.replica] = row.end_s
        seated = [state for state in row.states.values() if state not in ("waiting", "preempted")]
        assert len(seated) <= case.settings.max_num_seqs
        if case.settings.scheduler == "chunked":
            assert sum(piece.tokens for piece in row.pieces) <= case.settings.max_num_batched_tokens


@given(cases())
def test_waiting_is_first_come_first_served_and_the_oldest_always_progresses(case):
    for row in oracle(*case).passes:
        queued = [request for request, state in row.states.items() if state in ("waiting", "preempted")]
        seated = set(row.states) - set(queued)
        assert max(seated) < min(queued, default=len(case.trace))
        if case.settings.scheduler in ("chunked", "iteration-level"):
            assert row.pieces[0].request == min(row.states)


@given(cases())
def test_littles_law_holds_for_everybody_and_for_the_queue(case):
    # the time integral of how many are there, from the passes, is the sum of how long each was there
    run = oracle(*case)
    served = [request for request, status in enumerate(run.status) if status == "done"]
    there = Fraction(0)
    for row in run.passes:
        present = sum(state != "riding" for state in row.states.values())
        there += present * (Fraction(row.end_s) - Fraction(row.start_s))
    for request in served:  # between its arrival and the next pass
        seen = min(row.start_s for row in run.passes if request in row.states)
        there += Fraction(seen) - Fraction(run.arrival_s[request])
    assert there == sum(Fraction(run.finish_s[r]) - Fraction(run.arrival_s[r]) for r in served)


@given(cases())
def test_segments_are_disjoint_and_add_up(case):
    run = oracle(*case)
    of_request = {}
    for segment in run.segments():
        of_request.setdefault(segment.request, []).append(segment)
    for request, segments in of_request.items():
        assert segments[0].start_s == run.arrival_s[request]
        assert all(
            one.end_s == other.start_s and one.state != other.state for one, other in pairwise(segments)
        )
        assert next(s.end_s for s in reversed(segments) if s.state != "riding") == run.finish_s[request]
    assert sorted(of_request) == [r for r, status in enumerate(run.status) if status == "done"]


@given(cases())
def test_every_time_of_a_case_is_exact_in_floats(case):
    for row in oracle(*case).passes:
        for time_s in (row.start_s, row.end_s):
            assert (Fraction(time_s) / QUANTUM).denominator == 1
            assert time_s < 2**20  # 20 + 32 bits


@given(cases())
def test_the_same_inputs_give_the_same_run(case):
    assert oracle(*case) == oracle(*case)


@given(cases())
def test_halving_unit_costs_and_arrivals_halves_every_time(case):
    trace, server = case.trace, case.server
    assume(server.draft_costs is not None or case.settings.num_speculative_tokens == 0)
    half_trace = Trace(trace.arrival_s / 2, trace.prompt_tokens, trace.output_tokens, trace.cached_tokens)
    link = server.accelerator.link_bytes_per_s * 2
    half_server = replace(
        server,
        costs=scaled(server.costs, 0.5),
        draft_costs=scaled(server.draft_costs, 0.5),
        accelerator=replace(server.accelerator, link_bytes_per_s=link),
    )
    whole, half = oracle(*case), oracle(half_trace, half_server, case.settings)
    assert half.token_times == [[time_s / 2 for time_s in times] for times in whole.token_times]


@given(cases(num_speculative_tokens=0))
def test_one_request_alone_is_the_closed_form(case):
    assume(len(case.trace) > 0)
    trace = Trace(*([column[0]] for column in (case.trace.arrival_s, case.trace.prompt_tokens)), [9], [0])
    run = oracle(trace, case.server, case.settings)
    assume(run.status == ["done"])
    budget = case.settings.max_num_batched_tokens if case.settings.scheduler == "chunked" else None
    costs = case.server.unit_costs(case.settings)
    alone = lone_request(costs, int(trace.prompt_tokens[0]), 9, max_num_batched_tokens=budget)
    assert run.first_token_s[0] - run.arrival_s[0] == alone.ttft_s
    assert run.finish_s[0] - run.arrival_s[0] == alone.e2e_s


@given(cases(acceptance_rate=1.0), st.integers(0, 10))
def test_a_rejected_request_disturbs_nobody(case, place):
    # without luck, which goes by the place in the trace, and with one replica, as requests are dealt by it
    trace, server = case.trace, replace(case.server, replicas=1)
    place = min(place, len(trace))
    arrival_s = trace.arrival_s[min(place, len(trace) - 1)] if len(trace) else 0.0
    columns = (trace.arrival_s, trace.prompt_tokens, trace.output_tokens, trace.cached_tokens)
    endless = (arrival_s, 1, case.settings.max_model_len, 0)
    longer = Trace(*(np.insert(column, place, value) for column, value in zip(columns, endless, strict=True)))
    run = oracle(longer, server, case.settings)
    assert run.status[place] == "rejected"
    assert run.token_times[:place] + run.token_times[place + 1 :] == (
        oracle(trace, server, case.settings).token_times
    )


@given(cases())
def test_with_memory_for_everybody_all_layouts_give_the_same_times(case):
    server = replace(case.server, num_gpu_blocks=10_000)
    runs = [oracle(case.trace, server, replace(case.settings, kv_layout=layout)) for layout in KV_LAYOUTS]
    assert all(times_of(run) == times_of(runs[0]) for run in runs)
    assert not any(any(run.preemptions) for run in runs)


@given(cases(block_size=1, kv_layout="paged", preemption="none"))
def test_pages_of_one_token_without_preemption_are_exact_reservations_if_these_are_only_counted(case):
    reserved = replace(case.settings, kv_layout="reserve-exact")
    counted = oracle(case.trace, case.server, reserved, neighbors=False)
    assert times_of(oracle(*case)) == times_of(counted)


@given(cases(acceptance_rate=1.0), cases(acceptance_rate=0.0))
def test_acceptance_1_keeps_every_guess_and_0_none(all_right, none_right):
    for row in oracle(*all_right).passes:
        assert all(piece.kept == piece.guesses for piece in row.pieces)
    for row in oracle(*none_right).passes:
        assert all(piece.kept == 0 for piece in row.pieces)


@given(cases(num_speculative_tokens=0))
def test_luck_and_its_seed_matter_only_to_guesses(case):
    other = replace(case.settings, seed=case.settings.seed ^ 1, acceptance_rate=0.25)
    assert oracle(case.trace, case.server, other) == oracle(*case)


def arrives_at_a_pass_end(case, run):
    return not {row.end_s for row in run.passes}.isdisjoint(run.arrival_s)


def guesses_and_preempts(case, run):
    return any(run.preemptions) and any(piece.kept for row in run.passes for piece in row.pieces)


def waits_for_neighbors(case, run):
    return times_of(run) != times_of(oracle(*case, neighbors=False))


def swaps(case, run):
    return any(row.moved_blocks for row in run.passes)


def preempts(case, run):
    return any(run.preemptions)


def reaches(state):
    return lambda case, run: any(state in row.states.values() for row in run.passes)


@pytest.mark.parametrize(
    ("wanted", "fixed"),
    [
        (arrives_at_a_pass_end, {}),
        (guesses_and_preempts, {}),
        (waits_for_neighbors, {}),
        (swaps, {}),
        (preempts, {"scheduler": "chunked", "preemption": "recompute"}),
        (preempts, {"scheduler": "iteration-level", "preemption": "recompute"}),
        (preempts, {"scheduler": "prefill-first", "preemption": "recompute"}),
        (reaches("riding"), {}),
        (reaches("stalled"), {"scheduler": "chunked"}),
        (reaches("stalled"), {"scheduler": "prefill-first"}),
    ],
)
def test_random_cases_reach_what_is_hard(wanted, fixed):
    generate_only = settings(max_examples=2000, phases=[Phase.generate], database=None, derandomize=True)
    found = find(cases(**fixed), lambda case: wanted(case, oracle(*case)), settings=generate_only)
    assert len(found.trace) > 0
