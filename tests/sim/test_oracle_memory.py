"""The oracle's layouts and preemptions on timelines traced by hand; every pass takes 1 s but for swapping."""

import pytest

from sim import Settings, Trace, UnitCosts
from tests.sim.cases import server_of
from tests.sim.oracle import oracle

FLAT = UnitCosts(pass_s=1, token_s=0, kv_token_s=0, pair_s=0)


def small_run(requests, num_blocks, *, block_size=1, server=None, **settings):
    """Run (arrival_s, prompt, output) rows in `num_blocks` blocks of one token."""
    trace = Trace(*zip(*requests, strict=True))
    return oracle(trace, server or server_of(FLAT, num_blocks), Settings(block_size=block_size, **settings))


def test_a_reservation_waits_for_neighbors_where_pages_do_not():
    # 10 blocks: A takes 3 + 2 − 1 = 4 at 0, B 2 + 4 − 1 = 5 at 4, C's 2 do not fit in the last one.
    # [2,3] A has left: C takes 0–1. D wants 3: 2, 3 and 9 are free, but not side by side.
    # [3,4] C has left: D takes 0–2.
    requests = [(0, 3, 2), (0, 2, 4), (0, 2, 1), (0, 3, 1)]
    run = small_run(requests, 10, kv_layout="reserve-exact")
    assert run.first_block == [0, 4, 0, 0]
    assert run.admitted_s == [0, 0, 2, 3]
    assert [row.kv_blocks for row in run.passes] == [9, 9, 7, 8]
    assert [row.free_blocks for row in run.passes] == [1, 1, 3, 2]
    assert [row.waiting for row in run.passes] == [2, 2, 1, 0]
    # paged: [0,1] A 3, B 2, C 2, D 3: all 10 · [1,2] C and D have left
    run = small_run(requests, 10)
    assert run.admitted_s == [0, 0, 0, 0]
    assert [row.kv_blocks for row in run.passes] == [10, 4 + 3, 4, 5]
    assert run.first_block == [-1] * 4


@pytest.mark.parametrize(
    ("kv_layout", "held"),
    [
        ("reserve-max", [6, 6, 6]),  # 22 tokens in blocks of 4
        ("reserve-pow2", [5, 5, 5]),  # 9 + 8 = 17
        ("reserve-exact", [4, 4, 4]),  # 9 + 5 − 1 = 13
        ("paged", [3, 3, 3]),  # 9, 10, 11
    ],
)
def test_each_layout_takes_whole_blocks(kv_layout, held):
    run = small_run([(0, 9, 5)], 8, block_size=4, kv_layout=kv_layout, max_model_len=22)
    assert [row.kv_blocks for row in run.passes][:3] == held


def test_a_power_of_two_is_capped_at_the_longest_request():
    # 17 + 5 = 22 fits; 17 + 8 = 25 does not, so that 22 are reserved: 6 blocks of 4, not 7
    run = small_run([(0, 17, 5)], 6, block_size=4, kv_layout="reserve-pow2", max_model_len=22)
    assert (run.status, run.passes[0].kv_blocks) == (["done"], 6)
    # an output that is a power of two already reserves itself
    run = small_run([(0, 4, 4)], 2, block_size=4, kv_layout="reserve-pow2")
    assert run.passes[0].kv_blocks == 2


def test_the_front_of_the_queue_is_not_passed():
    # B's 4 do not fit beside A's 3; C's 1 would
    run = small_run([(0, 2, 2), (0, 4, 1), (0, 1, 1)], 5, kv_layout="reserve-exact")
    assert run.admitted_s == [0, 2, 2]


def test_too_long_and_too_big_are_rejected_with_the_numbers_and_hold_nobody_up():
    requests = [(0, 6, 5), (0, 6, 4), (0, 5, 4), (1, 2, 2)]
    run = small_run(requests, 8, max_model_len=10)
    assert run.reasons == ["too long: 11 tokens > 10", "too big: 9 blocks > 8", "", ""]
    assert run.status == ["rejected", "rejected", "done", "done"]
    assert run.token_times[:2] == [[], []]
    assert run.finish_s[:2] == [None, None]
    assert run.admitted_s[2] == 0
    run = small_run([(0, 1, 1)], 9, max_model_len=10, kv_layout="reserve-max")
    assert run.reasons == ["too big: 10 blocks > 9"]


PAIR = [(0, 2, 4), (0, 2, 3)]  # 5 and 4 tokens at their ends, in 6 blocks of one


def test_recompute_takes_the_last_to_enter_and_reads_it_again():
    # [0,1] 2 + 2 blocks · [1,2] 3 + 3 · [2,3] A needs a 4th: B loses its 3, A decodes
    # [3,4] A's 5th, 1 free; B would need 2 + 2 = 4 · [4,5] B reads all 4 again and writes its third
    run = small_run(PAIR, 6)
    assert run.token_times == [[1, 2, 3, 4], [1, 2, 5]]
    assert run.preemptions == [0, 1]
    assert [row.prefill_tokens for row in run.passes] == [4, 0, 0, 0, 4]
    assert [row.kv_blocks for row in run.passes] == [4, 6, 4, 5, 4]
    assert [row.waiting for row in run.passes] == [0, 0, 1, 1, 0]
    assert run.admitted_s == [0, 0]
    assert run.segments()[2:] == [
        (1, 0, 1, "prefill"),
        (1, 1, 2, "decode"),
        (1, 2, 4, "preempted"),
        (1, 4, 5, "prefill"),
    ]


def test_the_preempted_go_in_front_of_those_who_never_entered():
    # two seats: C waits behind A and B; when B has lost its blocks at 2, it is the first of the queue:
    # [4,5] B reads 4 and is done, C reads its 1
    run = small_run([*PAIR, (0, 1, 2)], 6, max_num_seqs=2)
    assert run.token_times == [[1, 2, 3, 4], [1, 2, 5], [5, 6]]
    assert run.preemptions == [0, 1, 0]


def test_an_entering_request_takes_only_the_blocks_of_its_piece():
    # budget 2: 2 blocks, then 4, then one a token; but it enters only where its whole prompt fits:
    # in [2,3] A holds 5, and B's 3 do not fit in the last one, though its piece of 1 would
    run = small_run([(0, 4, 2), (0, 3, 1)], 6, max_num_batched_tokens=2)
    assert [row.kv_blocks for row in run.passes] == [2, 4, 5, 2, 3]
    assert run.token_times == [[2, 3], [5]]


def test_prefill_first_preempts_in_a_decode_pass_and_reads_again_in_a_pass_of_its_own():
    # budget 2: [0,1] A reads · [1,2] B reads · [2,3] both decode, 3 + 3 blocks · [3,4] A's 4th: B goes
    # [4,5] A's 5th, B would need 4 · [5,6] B reads 4, alone, though above the budget
    run = small_run(PAIR, 6, scheduler="prefill-first", max_num_batched_tokens=2)
    assert run.token_times == [[1, 3, 4, 5], [2, 3, 6]]
    assert [row.prefill_tokens for row in run.passes] == [2, 2, 0, 0, 0, 4]
    assert run.preemptions == [0, 1]


def test_swap_keeps_computed_tokens_and_pays_the_link_both_ways():
    # B leaves in [2,3] with its 3 computed tokens, a block each; a block is 4 bytes, 2⁻²⁰ s on this link
    server = server_of(FLAT, 6)
    block_s = 4 / server.accelerator.link_bytes_per_s
    for scheduler in ("chunked", "iteration-level", "prefill-first"):
        run = small_run(PAIR, 6, server=server, preemption="swap", scheduler=scheduler)
        out_s = 3 + 3 * block_s
        assert run.token_times == [[1, 2, out_s, out_s + 1], [1, 2, out_s + 2 + 3 * block_s]]
        assert [row.moved_blocks for row in run.passes] == [0, 0, 3, 0, 3]
        assert [row.prefill_tokens for row in run.passes] == [4, 0, 0, 0, 0]
        assert [row.decode_seqs for row in run.passes] == [0, 2, 1, 1, 1]


def test_one_swapped_out_returns_before_anyone_new_also_under_prefill_first():
    # C (1 token, arrived at 2.5) would fit in [3,4]; B, in front of it, does not. [4,5] B decodes; C is
    # read in the same pass if chunked, under prefill-first in a pass of its own, after B's
    requests = [*PAIR, (2.5, 1, 1)]
    late_s = 6 * 2.0**-20
    chunked = small_run(requests, 6, preemption="swap")
    assert [times[-1] for times in chunked.token_times[1:]] == [5 + late_s, 5 + late_s]
    prefill_first = small_run(requests, 6, preemption="swap", scheduler="prefill-first")
    assert [times[-1] for times in prefill_first.token_times[1:]] == [5 + late_s, 6 + late_s]


def test_preemption_none_enters_only_where_all_final_blocks_fit():
    run = small_run(PAIR, 6, preemption="none")  # 5 + 4 > 6: B enters when A has left
    assert run.token_times == [[1, 2, 3, 4], [5, 6, 7]]
    run = small_run(PAIR, 9, preemption="none")
    assert run.token_times == [[1, 2, 3, 4], [1, 2, 3]]
    assert [row.kv_blocks for row in run.passes] == [4, 6, 8, 5]  # promised, taken when needed


def test_request_level_promises_final_blocks_whatever_the_preemption():
    run = small_run(PAIR, 6, scheduler="request-level", preemption="recompute")
    assert run.token_times == [[1, 2, 3, 4], [5, 6, 7]]
    run = small_run(PAIR, 9, scheduler="request-level", preemption="swap")
    assert run.token_times == [[1, 2, 3, 4], [1, 2, 3]]
    assert [row.kv_blocks for row in run.passes] == [4, 6, 8, 5 + 4]  # B's are held to the end


def test_the_last_to_enter_may_be_its_own_victim():
    # 5 blocks: [1,2] A takes the fifth, B needs one and is the last · [2,3] A's 4th; B would need 3 of 1
    run = small_run([(0, 2, 3), (0, 2, 3)], 5)
    assert run.token_times == [[1, 2, 3], [1, 4, 5]]
    assert [row.kv_blocks for row in run.passes] == [4, 3, 4, 3, 4]


def test_blocks_of_several_tokens_preempt_only_when_a_new_one_is_needed():
    # 3 blocks of 4: [0,1] A, B and C take one each · [1,2] A's fifth token needs a second: C goes
    # [2,3] A and B decode within their blocks, B is done · [3,4] C reads 1 + 1 again · [4,5] C is done
    # [5,6] A's ninth token takes the third block
    run = small_run([(0, 4, 6), (0, 1, 3), (0, 1, 3)], 3, block_size=4)
    assert run.token_times == [[1, 2, 3, 4, 5, 6], [1, 2, 3], [1, 4, 5]]
    assert run.preemptions == [0, 0, 1]


def test_cached_tokens_count_as_computed_again_after_a_preemption():
    trace = Trace([0, 0], [2, 2], [4, 3], cached_tokens=[0, 1])
    run = oracle(trace, server_of(FLAT, 6), Settings(block_size=1))
    assert [row.prefill_tokens for row in run.passes] == [3, 0, 0, 0, 3]
    assert run.token_times == [[1, 2, 3, 4], [1, 2, 5]]
