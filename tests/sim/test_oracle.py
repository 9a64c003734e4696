"""The oracle's schedulers and clocks on timelines traced by hand; with FLAT costs every pass takes 1 s."""

import pytest

from sim import Settings, Trace, UnitCosts
from tests.sim.cases import server_of
from tests.sim.oracle import Piece, oracle

FLAT = UnitCosts(pass_s=1, token_s=0, kv_token_s=0, pair_s=0)
ROOMY = 1000  # blocks


def flat_run(requests, **settings):
    """Run (arrival_s, prompt, output) rows on a server whose every pass takes 1 s."""
    return oracle(Trace(*zip(*requests, strict=True)), server_of(FLAT, ROOMY), Settings(**settings))


def states(run, request):
    return [row.states.get(request, "") for row in run.passes]


def test_chunked_reads_in_pieces_and_mixes_them_with_decoding():
    # budget 4:  [0,1] A reads 4 of 6 · [1,2] A reads 2, B enters with 2 of 3, A's first token
    #            [2,3] A decodes, B reads its last: first token · [3,4] both decode and are done
    run = flat_run([(0, 6, 3), (0, 3, 2)], max_num_batched_tokens=4)
    assert run.token_times == [[2, 3, 4], [3, 4]]
    assert run.admitted_s == [0, 1]
    assert [row.prefill_tokens for row in run.passes] == [4, 4, 1, 0]
    assert [row.decode_seqs for row in run.passes] == [0, 0, 1, 2]
    assert [row.waiting for row in run.passes] == [1, 0, 0, 0]
    assert [row.kv_tokens for row in run.passes] == [4, 6 + 2, 7 + 3, 8 + 4]
    assert states(run, 0) == ["prefill", "prefill", "decode", "decode"]
    assert states(run, 1) == ["waiting", "prefill", "prefill", "decode"]


def test_chunked_serves_the_eldest_first():
    # budget 3: [0,1] A reads 3 of 7, B waits · [1,2] A 3 more · [2,3] A its last, B its 2
    #           [3,4] both decode, C reads 1 of 2 · [4,5] B decodes, C reads its other one
    run = flat_run([(0, 7, 2), (0, 2, 3), (2.5, 2, 1)], max_num_batched_tokens=3)
    assert run.token_times == [[3, 4], [3, 4, 5], [5]]
    assert run.admitted_s == [0, 2, 3]
    # a budget of 1 goes to A until it is done; only then B enters
    run = flat_run([(0, 2, 2), (0, 1, 2)], max_num_batched_tokens=1)
    assert run.token_times == [[2, 3], [4, 5]]
    # a budget of 2 goes to A and B; C enters when they are done
    run = flat_run([(0, 1, 5), (0, 1, 5), (0, 2, 1)], max_num_batched_tokens=2)
    assert run.token_times == [[1, 2, 3, 4, 5], [1, 2, 3, 4, 5], [6]]


def test_those_not_reached_keep_their_place_and_are_stalled():
    # budget 3, at most one guess, never right. [0,1] A and B read 1 each, C 1 of 4
    # [1,2] A guesses (2 tokens), B's last token leaves it none to guess (1), C gets nothing
    # [2,3] A guesses (2), C reads 1 · [3,4] A's last (1), C reads 2 and writes
    settings = Settings(num_speculative_tokens=1, acceptance_rate=0.0, max_num_batched_tokens=3)
    server = server_of(FLAT, ROOMY, draft_costs=UnitCosts(0, 0, 0, 0))
    run = oracle(Trace([0, 0, 0], [1, 1, 4], [4, 2, 1]), server, settings)
    assert states(run, 2) == ["prefill", "stalled", "prefill", "prefill"]
    assert run.token_times == [[1, 2, 3, 4], [1, 2], [4]]


def test_iteration_level_has_no_budget_and_admits_after_every_pass():
    # [0,1] A and B read 6 + 3 · [1,2] both decode, B is done · [2,3] A decodes, C (arrived 1.5) reads
    run = flat_run([(0, 6, 3), (0, 3, 2), (1.5, 2, 1)], scheduler="iteration-level", max_num_batched_tokens=1)
    assert run.token_times == [[1, 2, 3], [1, 2], [3]]
    assert run.admitted_s == [0, 0, 2]
    assert [row.prefill_tokens for row in run.passes] == [9, 0, 2]
    assert run.segments() == [
        (0, 0, 1, "prefill"),
        (0, 1, 3, "decode"),
        (1, 0, 1, "prefill"),
        (1, 1, 2, "decode"),
        (2, 1.5, 2, "waiting"),
        (2, 2, 3, "prefill"),
    ]


def test_prefill_first_stalls_decoding_and_reads_a_prompt_above_the_budget_alone():
    # budget 8: [0,1] A reads 6 · [1,2] B reads 3; C's 9 are above what is left · [2,3] C alone, whole
    #           [3,4] nobody waits: A and B decode · [4,5] A's last
    run = flat_run([(0, 6, 3), (0.5, 3, 2), (0.5, 9, 1)], scheduler="prefill-first", max_num_batched_tokens=8)
    assert run.token_times == [[1, 4, 5], [2, 4], [3]]
    assert states(run, 0) == ["prefill", "stalled", "stalled", "decode", "decode"]
    assert [row.prefill_tokens for row in run.passes] == [6, 3, 9, 0, 0]
    # after the long one nobody joins its pass; decoding ignores a budget of 1
    run = flat_run([(0, 9, 2), (0, 1, 2), (0, 1, 2)], scheduler="prefill-first", max_num_batched_tokens=1)
    assert run.token_times == [[1, 4], [2, 4], [3, 4]]


def test_request_level_keeps_everybody_to_the_end_of_the_longest():
    # 2 seats: [0,1] A and B read; B is done · [1,3] A decodes, B rides · [3,4] C reads · [4,5] C decodes
    requests = [(0, 2, 3), (0, 2, 1), (0.5, 2, 2)]
    run = flat_run(requests, scheduler="request-level", max_num_seqs=2, max_num_batched_tokens=1)
    assert run.token_times == [[1, 2, 3], [1], [4, 5]]
    assert states(run, 1) == ["prefill", "riding", "riding", "", ""]
    assert states(run, 2) == ["", "waiting", "waiting", "prefill", "decode"]
    assert [row.decode_seqs for row in run.passes] == [0, 1, 1, 0, 1]
    assert [row.kv_tokens for row in run.passes] == [4, 3 + 2, 4 + 2, 2, 3]


def test_a_rider_costs_one_token_of_arithmetic_and_no_reading():
    costs = UnitCosts(pass_s=1, token_s=10, kv_token_s=100, pair_s=0)
    trace = Trace([0, 0], [2, 2], [3, 1])
    run = oracle(trace, server_of(costs, ROOMY), Settings(scheduler="request-level"))
    lengths = [row.end_s - row.start_s for row in run.passes]
    # 4 tokens computed, 4 read · A 1 and the rider 1 computed, A's 3 read · the same with 4 read
    assert lengths == [1 + 40 + 400, 1 + 20 + 300, 1 + 20 + 400]


def test_the_two_clocks_of_a_pass():
    # A's second piece of 3 after 4 computed, and B's first of 1:
    # tokens 4 · KV read (4 + 3) + 1 = 8 · pairs 3 · (4 + 3/2) = 16.5, none for B's single token
    trace, settings = Trace([0, 0], [7, 3], [1, 1]), Settings(max_num_batched_tokens=4)
    costs = {"pass_s": 1, "token_s": 2, "kv_token_s": 4, "pair_s": 2, "weight_s": 5}
    reading_s, arithmetic_s = 5 + 4 * 8, 2 * 4 + 2 * 16.5
    assert (reading_s, arithmetic_s) == (37, 41)
    for overlap in (0, 0.25, 1):
        run = oracle(trace, server_of(UnitCosts(**costs, overlap=overlap), ROOMY), settings)
        second = run.passes[1]
        assert second.pieces == (Piece(0, 4, 3, 0, 0, False), Piece(1, 0, 1, 0, 0, False))
        assert second.end_s - second.start_s == 1 + 41 + (1 - overlap) * 37


def test_experts_add_reading_that_levels_off():
    costs = UnitCosts(0, 0, 0, 0, weight_s=1, expert_s=8, expert_share=0.5)
    run = oracle(Trace([0], [3], [2]), server_of(costs, ROOMY), Settings())
    assert run.token_times == [[1 + 8 * (7 / 8), 2 + 8 * (7 / 8) + 8 / 2]]


def test_a_pass_starts_at_the_next_arrival_and_waits_a_nanosecond_for_it():
    run = flat_run([(5, 1, 1), (5 + 1e-9 / 2, 1, 1), (5 + 2e-9, 1, 1), (20, 1, 1)])
    assert run.admitted_s == [5 + 1e-9 / 2, 5 + 1e-9 / 2, 6 + 1e-9 / 2, 20]
    # an arrival at the very end of a pass is in the next; one within it waits for its end
    run = flat_run([(0, 1, 3), (1, 1, 1), (1.25, 1, 1)])
    assert run.admitted_s == [0, 1, 2]
    assert (1, 1, 2, "prefill") in run.segments()
    assert (2, 1.25, 2, "waiting") in run.segments()


def test_seats_are_never_more_than_allowed_and_ties_are_served_in_the_given_order():
    run = flat_run([(0, 16, 10)] * 3, max_num_seqs=2)
    assert [len(row.pieces) for row in run.passes] == [2] * 10 + [1] * 10
    assert run.finish_s == [10, 10, 20]
    assert run.admitted_s == [0, 0, 10]


def test_cached_tokens_count_as_computed_on_entry_and_their_blocks_are_taken():
    trace = Trace([0], [10], [2], cached_tokens=[8])
    run = oracle(trace, server_of(FLAT, ROOMY), Settings(block_size=4, max_num_batched_tokens=1))
    assert [piece.computed for row in run.passes for piece in row.pieces] == [8, 9, 10]
    assert [row.kv_tokens for row in run.passes] == [9, 10, 11]
    assert [row.kv_blocks for row in run.passes] == [3, 3, 3]
    assert run.token_times == [[2, 3]]


def test_replicas_are_dealt_in_turn_and_do_not_meet():
    trace = Trace([0, 0, 0, 0.5], [1, 1, 1, 1], [3, 1, 1, 1])
    run = oracle(trace, server_of(FLAT, ROOMY, replicas=2), Settings(max_num_seqs=1))
    # the first serves requests 0 and 2 one after the other, the second 1 and 3
    assert run.token_times == [[1, 2, 3], [1], [4], [2]]
    assert [row.start_s for row in run.passes if row.replica == 0] == [0, 1, 2, 3]
    assert [row.start_s for row in run.passes if row.replica == 1] == [0, 1]


def test_an_endless_run_is_cut_with_a_sentence_and_an_empty_one_is_empty():
    with pytest.raises(RuntimeError, match="within 2 passes"):
        oracle(Trace([0], [1], [3]), server_of(FLAT, ROOMY), Settings(), max_passes=2)
    run = oracle(Trace([], [], []), server_of(FLAT, ROOMY), Settings())
    assert (run.passes, run.status, run.segments()) == ([], [], [])
