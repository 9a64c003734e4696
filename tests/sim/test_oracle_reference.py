"""The oracle on the reference's small scheduler cases and on the figures of papers."""

import json
from itertools import pairwise
from pathlib import Path

import pytest

from sim import Settings, Trace, UnitCosts, larkspur_server, monday
from tests.sim.cases import server_of
from tests.sim.oracle import oracle
from tests.sim.oracle.memory import blocks_for

CASES = Path(__file__).resolve().parents[3] / "shared" / "reference" / "small" / "scheduler_cases.json"
FLAT = UnitCosts(pass_s=1, token_s=0, kv_token_s=0, pair_s=0)
PER_TOKEN = UnitCosts(pass_s=1 / 64, token_s=1 / 1024, kv_token_s=0, pair_s=0)

reference = pytest.mark.skipif(not CASES.exists(), reason="the reference cases are not here")


def reference_case(name):
    return next(case for case in json.loads(CASES.read_text(encoding="utf-8")) if case["id"] == name)


def run_case(case, num_blocks, costs=FLAT, **more):
    """Run a reference case; `num_blocks` are those that requests can use."""
    rows = case["requests"]
    columns = zip(*rows, strict=True) if rows else ([], [], [])
    names = ("block_size", "max_model_len", "max_num_seqs", "max_num_batched_tokens")
    given = {name: case[name] for name in names if name in case}
    return oracle(Trace(*columns), server_of(costs, num_blocks), Settings(**given | more))


@reference
def test_a_prompt_that_never_fits_is_rejected_and_the_other_is_served():
    case = reference_case("never_fits_prompt")
    run = run_case(case, case["num_blocks"])
    assert run.reasons == ["too big: 14 blocks > 10", ""]
    assert run.finish_s == [None, 4]


@reference
def test_one_of_vllms_blocks_is_its_null_block():
    case = reference_case("null_block_boundary")
    run = run_case(case, case["num_blocks"] - case["reserved_blocks"])
    assert run.status == ["done", "rejected", "rejected", "rejected"]


@reference
@pytest.mark.parametrize("scheduler", ["chunked", "iteration-level", "prefill-first"])
@pytest.mark.parametrize("preemption", ["recompute", "swap", "none"])
def test_two_that_cannot_run_together_end_one_after_the_other(scheduler, preemption):
    case = reference_case("preempt_pingpong")
    run = run_case(case, case["num_blocks"], scheduler=scheduler, preemption=preemption)
    assert run.status == ["done", "done"]
    assert sum(map(len, run.token_times)) == 120
    assert run.finish_s[0] < run.finish_s[1]
    assert run.preemptions[0] == 0
    # each holds 4 blocks from its 61st to its 64th token: four passes after the prompt A needs a fifth
    assert run.preemptions[1] == (preemption != "none")


@reference
def test_a_long_prompt_stands_in_one_gap_or_in_pieces_between_many():
    case = reference_case("prefill_starves_decode")
    longest = {}
    for scheduler in ("prefill-first", "chunked"):
        run = run_case(case, 2000, PER_TOKEN, scheduler=scheduler)
        first = run.token_times[0]
        longest[scheduler] = max(b - a for a, b in pairwise(first))
    decode_s = 1 / 64 + 1 / 1024
    assert longest["prefill-first"] == 1 / 64 + 20_000 / 1024 + decode_s
    assert longest["chunked"] == 1 / 64 + 512 / 1024


@reference
@pytest.mark.parametrize("name", ["batch_limit_exact", "simultaneous"])
def test_seats_are_filled_and_ties_go_by_the_order_of_the_file(name):
    case = reference_case(name)
    run = run_case(case, 100)
    seats = case.get("max_num_seqs", 3)
    assert max(len(row.pieces) for row in run.passes) == seats
    assert run.admitted_s == sorted(run.admitted_s)
    assert run.admitted_s[:seats] == [0] * seats


@reference
def test_no_requests_give_an_empty_run():
    assert run_case(reference_case("zero_requests"), 10).passes == []


@reference
def test_blocks_are_rounded_up():
    case = reference_case("block_rounding")
    assert [blocks_for(tokens, case["block_size"]) for tokens, _ in case["cases"]] == [
        blocks for _, blocks in case["cases"]
    ]


@reference
def test_reserving_the_most_seats_seven():
    case = reference_case("orca_max_opt13b")
    trace = Trace([0.0] * 9, [10] * 9, [5] * 9)
    settings = Settings(kv_layout="reserve-max", max_model_len=case["reserve_per_request"])
    run = oracle(trace, server_of(FLAT, case["kv_slots"] // settings.block_size), settings)
    assert [len(row.pieces) for row in run.passes] == [7] * 5 + [2] * 5


def test_monday_ends_on_larkspurs_server_with_real_costs():
    for settings in (
        Settings(scheduler="request-level", kv_layout="reserve-max", max_num_seqs=8),
        Settings(num_speculative_tokens=4),
    ):
        run = oracle(monday(), larkspur_server(), settings)
        assert [len(times) for times in run.token_times] == monday().output_tokens.tolist()
    seats = max(sum(s not in ("waiting", "preempted") for s in row.states.values()) for row in run.passes)
    assert seats > 7
