"""Hand-traced timelines with round numbers: each scheduler, layout and preemption, pass by pass."""

import json
from pathlib import Path

import numpy as np
import pytest

from sim import ACCELERATORS, MODELS, Server, Settings, Trace, UnitCosts, simulate

SMALL = Path(__file__).resolve().parents[3] / "shared" / "reference" / "small"
needs_cases = pytest.mark.skipif(not SMALL.exists(), reason="the reference cases are not here")
SECOND_A_PASS = UnitCosts(pass_s=1, token_s=0, kv_token_s=0, pair_s=0)
SECOND_A_TOKEN = UnitCosts(pass_s=0, token_s=1, kv_token_s=0, pair_s=0)


def server(num_blocks=1000, costs=SECOND_A_PASS, **changes):
    changes = {"num_gpu_blocks": num_blocks + 1, "costs": costs} | changes
    return Server(MODELS["opt-13b"], ACCELERATORS["a100-80gb"], **changes)


def run(requests, settings, num_blocks=1000, costs=SECOND_A_PASS):
    arrivals, prompts, outputs = zip(*requests, strict=True)
    return simulate(Trace(arrivals, prompts, outputs), server(num_blocks, costs), settings)


def times(frame):
    return [list(frame[name]) for name in ("admitted_s", "first_token_s", "finish_s")]


def passes(frame):
    names = ("start_s", "passes", "prefill_tokens", "decode_seqs", "waiting")
    return [tuple(row) for row in frame[list(names)].itertuples(index=False)]


def test_request_level_admits_only_into_an_empty_batch_and_the_short_rides_along():
    # 0 and 1 are read together; 1 is done after its first token and rides; 2 waits for the longest
    out = run([(0, 4, 4), (0, 4, 1), (0.5, 4, 2)], Settings(scheduler="request-level"))
    assert times(out.requests) == [[0, 0, 4], [1, 1, 5], [4, 1, 6]]
    assert passes(out.passes) == [(0, 1, 8, 0, 0), (1, 3, 0, 1, 1), (4, 1, 4, 0, 0), (5, 1, 0, 1, 0)]
    riding = out.segments[out.segments["state"] == "riding"]
    assert riding.to_numpy().tolist() == [[1, 1.0, 4.0, "riding"]]
    assert list(out.passes["kv_tokens"]) == [8, 9, 4, 5]


def test_a_rider_costs_one_token_of_arithmetic_a_pass_and_no_reading():
    costs = UnitCosts(pass_s=0, token_s=1, kv_token_s=1 / 16, pair_s=0)
    out = run([(0, 4, 3), (0, 4, 1)], Settings(scheduler="request-level"), costs=costs)
    read_s = 8 + 8 / 16
    assert list(out.passes["end_s"]) == [read_s, read_s + (2 + 5 / 16) + (2 + 6 / 16)]


def test_iteration_level_admits_after_every_pass_and_reads_whole_prompts():
    out = run([(0, 4, 4), (0.5, 4000, 2)], Settings(scheduler="iteration-level", max_model_len=5000))
    assert times(out.requests) == [[0, 1], [1, 2], [4, 3]]
    assert passes(out.passes) == [(0, 1, 4, 0, 0), (1, 1, 4000, 1, 0), (2, 1, 0, 2, 0), (3, 1, 0, 1, 0)]


def test_prefill_first_lets_decoding_stand_still_while_prompts_are_read():
    settings = Settings(scheduler="prefill-first", max_num_batched_tokens=10)
    out = run([(0, 4, 3), (0.5, 6, 2), (0.5, 6, 1), (0.5, 30, 1)], settings)
    # 1 is read alone (6 + 6 > 10), then 2, then 3, longer than the budget, alone; only then 0 writes on
    assert times(out.requests) == [[0, 1, 2, 3], [1, 2, 3, 4], [6, 5, 3, 4]]
    assert passes(out.passes) == [
        (0, 1, 4, 0, 0),
        (1, 1, 6, 0, 2),
        (2, 1, 6, 0, 1),
        (3, 1, 30, 0, 0),
        (4, 1, 0, 2, 0),
        (5, 1, 0, 1, 0),
    ]
    assert out.requests["longest_gap_s"][0] == 4
    stalled = out.segments[out.segments["state"] == "stalled"]
    assert stalled[stalled["request"] == 0].to_numpy().tolist() == [[0, 1.0, 4.0, "stalled"]]


def test_prefill_first_decoding_ignores_the_budget():
    settings = Settings(scheduler="prefill-first", max_num_batched_tokens=2)
    out = run([(0, 2, 4), (0, 2, 4), (0, 2, 4)], settings)
    assert list(out.passes["decode_seqs"]) == [0, 0, 0, 3]
    assert list(out.requests["finish_s"]) == [6, 6, 6]


def test_chunked_writes_first_and_reads_with_what_is_left_of_the_budget():
    settings = Settings(max_num_batched_tokens=4)
    out = run([(0, 4, 4), (0.5, 7, 2)], settings)
    # 0 takes one token of each pass, 1 reads 3 + 3 + 1
    assert times(out.requests) == [[0, 1], [1, 4], [4, 5]]
    assert passes(out.passes) == [(0, 1, 4, 0, 0), (1, 2, 3, 1, 0), (3, 1, 1, 1, 0), (4, 1, 0, 1, 0)]


def test_chunked_those_not_reached_by_the_budget_stand_still_in_their_place():
    out = run([(0, 1, 3), (0, 1, 3)], Settings(max_num_batched_tokens=1))
    assert times(out.requests) == [[0, 3], [1, 4], [3, 6]]
    behind = run([(0, 1, 2), (0, 3, 2), (0, 1, 1)], Settings(max_num_batched_tokens=2))
    # pass 1: 0 and one token of 1; pass 2: 0 writes, 1 reads; pass 3: 1 reads its last, 2 enters
    assert times(behind.requests) == [[0, 0, 2], [1, 3, 3], [2, 4, 3]]


def test_a_tie_at_a_pass_end_is_in_the_next_pass_and_so_is_one_nanosecond_later():
    for late_s, start_s in ((0.0, 1.0), (0.5e-9, 1.0 + 0.5e-9), (2e-9, 2.0)):
        out = run([(0, 4, 3), (1.0 + late_s, 4, 1)], Settings())
        assert out.requests["admitted_s"][1] == pytest.approx(start_s, abs=1e-12)


def test_the_server_waits_for_the_next_arrival_and_serves_ties_in_the_given_order():
    out = run([(5, 4, 2), (5, 4, 2), (100, 4, 1)], Settings(max_num_seqs=1))
    assert times(out.requests) == [[5, 7, 100], [6, 8, 101], [7, 9, 101]]


def test_nobody_passes_a_front_that_does_not_fit():
    # blocks of 4: 0 holds 2 of 3, the front needs 2, the one behind it would fit
    out = run([(0, 7, 2), (0, 8, 1), (0, 4, 1)], Settings(block_size=4), num_blocks=3)
    assert times(out.requests)[0] == [0, 2, 2]
    waiting = out.passes["waiting"].tolist()
    assert waiting[0] == 2


def test_growing_preempts_the_last_which_reads_everything_again_and_is_then_the_youngest():
    # blocks of 4, 4 in all: both hold 1 after reading, 2 when they write their second token
    out = run([(0, 4, 8), (0, 4, 8)], Settings(block_size=4), num_blocks=4)
    # with 4 + 4 computed both need a third block: 1 goes back, at 5 tokens written
    assert list(out.requests["preemptions"]) == [0, 1]
    assert times(out.requests)[2][0] == 8
    # 0 holds 3 of 4 until it is done at 8; 1 needs ceil(9 / 4) = 3: it reads 9 tokens again in one pass
    assert times(out.requests)[2][1] == 11
    again = out.passes[out.passes["start_s"] == 8].iloc[0]
    assert (again["prefill_tokens"], again["decode_seqs"]) == (9, 0)
    states = out.segments[out.segments["request"] == 1]["state"].tolist()
    assert states == ["prefill", "decode", "preempted", "prefill", "decode"]
    assert out.requests["longest_gap_s"][1] == 4
    assert out.lateness()["preempted_s"][1] == 4


def test_nobody_enters_in_a_pass_in_which_somebody_was_preempted():
    settings = Settings(block_size=4, max_num_seqs=3)
    out = run([(0, 4, 8), (0, 4, 8), (0.5, 1, 1)], settings, num_blocks=4)
    # 2 finds no free block until 1 is preempted at 5, and must wait behind it
    assert out.requests["admitted_s"][2] >= 8


def test_without_preemption_only_those_whose_end_fits_come_in():
    settings = Settings(block_size=4, preemption="none")
    out = run([(0, 4, 8), (0, 4, 8)], settings, num_blocks=4)
    assert list(out.requests["preemptions"]) == [0, 0]
    assert times(out.requests) == [[0, 8], [1, 9], [8, 16]]


@pytest.mark.parametrize(
    ("kv_layout", "seats"), [("reserve-max", 2), ("reserve-pow2", 4), ("reserve-exact", 5), ("paged", 10)]
)
def test_a_layout_seats_as_many_as_its_promise_allows(kv_layout, seats):
    # 64 tokens: 32 each, 7 + 8 = 15 → 16, 7 + 5 − 1 = 11 → 12, and 7 → 8 to begin with
    settings = Settings(kv_layout=kv_layout, block_size=4, max_model_len=32, preemption="recompute")
    out = run([(0, 7, 5)] * 10, settings, num_blocks=20 if kv_layout == "paged" else 16)
    assert (out.requests["admitted_s"] == 0).sum() == seats


def test_reservations_lie_at_the_lowest_address_that_is_free():
    settings = Settings(kv_layout="reserve-exact", block_size=1)
    out = run([(0, 2, 1), (0, 3, 3), (0, 2, 5), (1.5, 2, 1), (1.5, 1, 1)], settings, num_blocks=14)
    entered = out.memory.groupby("request")["first_block"].first()
    # 0 leaves [0, 2) at 1; 3 takes it at 2; 4 comes behind 1 and 2: [2, 7) and [7, 13)
    assert list(entered) == [0, 2, 7, 0, 13]


def test_a_gap_between_reservations_is_no_room_though_enough_is_free():
    requests = [(0, 3, 1), (0, 2, 5), (0, 3, 1), (0.5, 6, 1)]
    # at 1 half of 12 blocks are free, [0, 3) and [9, 12), but never 6 neighbors until 1 is done
    apart = run(requests, Settings(kv_layout="reserve-exact", block_size=1), num_blocks=12)
    assert apart.requests["admitted_s"][3] == apart.requests["finish_s"][1] == 5
    paged = run(requests, Settings(block_size=1), num_blocks=12)
    assert paged.requests["admitted_s"][3] == 1


def test_cached_tokens_are_computed_on_entry_but_their_blocks_are_taken():
    trace = Trace([0.0], [10], [1], [8])
    out = simulate(trace, server(costs=SECOND_A_TOKEN), Settings(block_size=4))
    assert out.requests["ttft_s"][0] == 2
    assert list(out.passes["kv_blocks"]) == [3]


def test_two_replicas_are_dealt_requests_in_turn():
    trace = Trace([0, 0, 0, 0], [4] * 4, [3] * 4)
    both = simulate(trace, server(replicas=2), Settings(max_num_seqs=1))
    assert times(both.requests)[0] == [0, 0, 3, 3]
    assert list(both.passes["replica"]) == [0, 1] * 4


@needs_cases
class TestReferenceCases:
    @staticmethod
    def outcome(name, settings=None, num_blocks=1000, **changes):
        cases = json.loads((SMALL / "scheduler_cases.json").read_text(encoding="utf-8"))
        case = next(case for case in cases if case["id"] == name)
        fields = Settings.__dataclass_fields__
        own = {key: value for key, value in case.items() if key in fields}
        return run(case["requests"], Settings(**(own | changes)), case.get("num_blocks", num_blocks))

    def test_never_fits(self):
        out = self.outcome("never_fits_prompt").requests
        assert list(out["status"]) == ["rejected", "done"]
        assert "needs 14 blocks" in out["reason"][0]

    def test_two_that_cannot_run_together_end_one_after_the_other(self):
        out = self.outcome("preempt_pingpong")
        assert list(out.requests["status"]) == ["done", "done"]
        assert out.requests["preemptions"].sum() <= 3
        assert out.requests["finish_s"][0] < out.requests["finish_s"][1]

    def test_a_long_prompt_starves_decoding_when_it_goes_first(self):
        costs = UnitCosts(pass_s=1 / 64, token_s=1 / 1024, kv_token_s=0, pair_s=0)
        case = next(
            case
            for case in json.loads((SMALL / "scheduler_cases.json").read_text(encoding="utf-8"))
            if case["id"] == "prefill_starves_decode"
        )
        own = {"max_num_batched_tokens": 512, "max_model_len": case["max_model_len"]}
        first = run(case["requests"], Settings(scheduler="prefill-first", **own), 5000, costs)
        chunked = run(case["requests"], Settings(**own), 5000, costs)
        assert first.requests["longest_gap_s"][0] >= 20_000 / 1024
        assert chunked.requests["longest_gap_s"][0] <= 512 / 1024 + 1 / 64

    def test_the_seats_are_filled_and_never_exceeded(self):
        out = self.outcome("batch_limit_exact")
        assert out.passes["decode_seqs"].max() == 2

    def test_ties_keep_the_order_of_the_file(self):
        out = self.outcome("simultaneous", max_num_seqs=1)
        assert np.all(np.diff(out.requests["admitted_s"]) > 0)

    def test_orca_max_seats_seven(self):
        settings = Settings(kv_layout="reserve-max", block_size=1, max_num_seqs=64)
        out = run([(0, 5, 2)] * 10, settings, num_blocks=15_728)
        assert (out.requests["admitted_s"] == 0).sum() == 7
