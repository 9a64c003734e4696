"""What must hold whatever comes: tokens, blocks, clocks, queues, names, layouts, guesses, scale."""

from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sim import Server, Settings, Trace, larkspur_server, lone_request, simulate
from sim.compiler import PLAIN
from sim.kernel import memory
from sim.serve import serve
from sim.settings import PREEMPTIONS
from tests.sim.random_runs import cases, servers, settings, traces

ROOMY = 10**6


def roomy(server):
    return replace(server, num_gpu_blocks=ROOMY)


def equal_times(one, other):
    for name in ("admitted_s", "first_token_s", "finish_s", "longest_gap_s"):
        np.testing.assert_array_equal(one.requests[name], other.requests[name], err_msg=name)


@given(cases())
def test_tokens_out_are_tokens_asked_and_nothing_is_lost(case):
    trace, *_ = case
    outcome = serve(*case, records=2)
    requests = outcome.requests
    done = requests["rejected"] == 0
    assert (requests["written"][done] == trace.output_tokens[done]).all()
    assert (requests["computed"][done] == (trace.prompt_tokens + trace.output_tokens - 1)[done]).all()
    assert (requests["written"][~done] == 0).all()
    assert (requests["blocks"] == 0).all()


@given(cases())
def test_clocks_never_go_back_and_nothing_starts_before_it_arrives(case):
    trace, server, _ = case
    run = simulate(*case)
    requests, passes = run.requests, run.passes
    done = requests[requests["status"] == "done"]
    assert (done["admitted_s"] >= done["arrival_s"]).all()
    assert (done["first_token_s"] >= done["admitted_s"]).all()
    assert (done["finish_s"] >= done["first_token_s"]).all()
    assert (done["ttft_s"] <= done["e2e_s"]).all()
    longest = done["longest_gap_s"].fillna(0.0)
    gaps = np.maximum(trace.output_tokens[done.index] - 1, 1)
    assert (longest * gaps >= (done["e2e_s"] - done["ttft_s"]) * (1 - 1e-12)).all()
    assert (longest <= done["e2e_s"] - done["ttft_s"] + 1e-12).all()
    assert (passes["end_s"] >= passes["start_s"]).all()
    for replica in range(server.replicas):
        own = passes[passes["replica"] == replica] if server.replicas > 1 else passes
        assert (own["start_s"].to_numpy()[1:] >= own["end_s"].to_numpy()[:-1]).all()
    assert (passes["kv_blocks"] <= server.num_blocks(case[2])).all()


@given(cases())
def test_first_come_first_served(case):
    _, server, _ = case
    requests = simulate(*case).requests
    for replica in range(server.replicas):
        admitted_s = requests["admitted_s"].to_numpy()[replica :: server.replicas]
        assert (np.diff(admitted_s[~np.isnan(admitted_s)]) >= 0).all()


@given(cases())
def test_littles_law_holds_on_the_runs_own_integrals(case):
    run = simulate(*case)
    segments, requests = run.segments, run.requests
    segments = segments[segments["state"] != "riding"]
    edges = np.unique(np.concatenate((segments["start_s"], segments["end_s"])))
    middle, width = (edges[1:] + edges[:-1]) / 2, np.diff(edges)
    starts, ends = segments["start_s"].to_numpy(), segments["end_s"].to_numpy()
    inside = ((starts[:, None] <= middle) & (middle < ends[:, None])).sum(axis=0)
    assert (inside * width).sum() == pytest.approx(requests["e2e_s"].sum(), rel=1e-9, abs=1e-12)


@given(traces(most_requests=1), servers(), settings())
def test_one_request_alone_is_the_closed_form(trace, server, chosen):
    prompt, output, cached = (
        int(column[0]) for column in (trace.prompt_tokens, trace.output_tokens, trace.cached_tokens)
    )
    request = simulate(trace, roomy(server), chosen).requests.iloc[0]
    assume(request["status"] == "done")
    budget = chosen.max_num_batched_tokens if chosen.scheduler == "chunked" else None
    costs = server.unit_costs(chosen)
    alone = lone_request(costs, prompt, output, cached_tokens=cached, max_num_batched_tokens=budget)
    assert request["ttft_s"] == pytest.approx(alone.ttft_s, rel=1e-12, abs=1e-15)
    assert request["e2e_s"] == pytest.approx(alone.e2e_s, rel=1e-12, abs=1e-15)


@given(cases(most_guesses=0), st.data())
def test_the_order_in_which_equal_requests_are_named_changes_nothing(case, data):
    trace, server, chosen = case
    assume(server.replicas == 1)
    _, first = np.unique(trace.arrival_s, return_index=True)
    same = first[np.searchsorted(trace.arrival_s[first], trace.arrival_s)]  # who arrives together is equal
    columns = (trace.prompt_tokens[same], trace.output_tokens[same], trace.cached_tokens[same])
    order = np.array(data.draw(st.permutations(range(len(trace)))))
    named = Trace(trace.arrival_s, *columns)
    renamed = Trace(trace.arrival_s[order], *(column[order] for column in columns))
    equal_times(simulate(named, server, chosen), simulate(renamed, server, chosen))


@given(cases())
def test_with_memory_for_everybody_all_layouts_are_alike_and_nobody_is_preempted(case):
    trace, server, chosen = case
    runs = [
        simulate(trace, roomy(server), replace(chosen, kv_layout=layout, preemption=preemption))
        for layout in ("paged", "reserve-max", "reserve-pow2", "reserve-exact")
        for preemption in PREEMPTIONS
    ]
    for run in runs:
        equal_times(run, runs[0])
        assert (run.requests["preemptions"] == 0).all()


@given(cases(block_size=1, kv_layout="paged"), st.sampled_from(PREEMPTIONS))
def test_nobody_is_preempted_where_the_end_is_promised(case, preemption):
    trace, server, chosen = case
    promised = replace(chosen, preemption="none")
    assert (simulate(trace, server, promised).requests["preemptions"] == 0).all()
    exact = replace(chosen, kv_layout="reserve-exact", preemption=preemption)
    assert (simulate(trace, server, exact).requests["preemptions"] == 0).all()


@given(cases(most_guesses=0, block_size=1, kv_layout="paged", preemption="none"))
def test_promised_blocks_of_one_token_are_exact_reservations_that_need_no_neighbors(case):
    trace, server, chosen = case

    def room(state, seqs, placed, blocks):
        return 0 if blocks <= state.free_blocks else -1

    with (
        patch.object(memory, "lowest_free_piece", room),
        patch("sim.serve.rules_for", lambda _: PLAIN),
    ):
        counted = serve(trace, server, replace(chosen, kv_layout="reserve-exact"))
    paged = serve(trace, server, chosen)
    for name in ("admitted_s", "first_token_s", "finish_s", "longest_gap_s", "rejected"):
        np.testing.assert_array_equal(counted.requests[name], paged.requests[name], err_msg=name)


@given(cases(most_guesses=0))
def test_guessing_that_never_guesses_is_plain_but_for_the_draft(case):
    trace, server, chosen = case
    assume(chosen.preemption != "swap")  # what is swapped holds the draft's KV too
    free = replace(
        server,
        draft_costs=replace(server.costs, pass_s=0.0, token_s=0.0, kv_token_s=0.0, pair_s=0.0, weight_s=0.0),
    )
    one_token = Trace(trace.arrival_s, trace.prompt_tokens, np.minimum(trace.output_tokens, 2))
    guessing = replace(chosen, num_speculative_tokens=3)
    equal_times(simulate(one_token, free, guessing), simulate(one_token, free, chosen))


@given(st.integers(1, 5), st.integers(1, 300), st.sampled_from([0.0, 1.0]))
def test_acceptance_1_writes_all_guesses_and_one_more_and_0_one(guesses, output, acceptance_rate):
    chosen = Settings(num_speculative_tokens=guesses, acceptance_rate=acceptance_rate)
    outcome = serve(Trace([0.0], [7], [output]), larkspur_server(), chosen)
    a_step = guesses + 1 if acceptance_rate else 1
    assert outcome.num_passes == 1 + -(-(output - 1) // a_step)


@pytest.mark.parametrize(("guesses", "acceptance_rate"), [(1, 0.7), (4, 0.8), (7, 0.5)])
def test_the_mean_step_is_that_of_leviathans_table(guesses, acceptance_rate):
    chosen = Settings(
        num_speculative_tokens=guesses, acceptance_rate=acceptance_rate, max_model_len=10**6, block_size=1024
    )
    server = replace(larkspur_server(), num_gpu_blocks=1000)
    outcome = serve(Trace([0.0], [7], [200_000]), server, chosen)
    expected = (1 - acceptance_rate ** (guesses + 1)) / (1 - acceptance_rate)
    assert 200_000 / outcome.num_passes == pytest.approx(expected, rel=0.01)


@given(traces(), servers(), settings(most_guesses=3), st.integers(0, 3))
def test_a_customers_luck_is_the_same_in_every_setting(trace, server, chosen, seed):
    # alone or in company, guesses are right at the same places: kept tokens of a lone run tell which
    trace = Trace(trace.arrival_s, trace.prompt_tokens, trace.output_tokens)
    guessing = replace(chosen, num_speculative_tokens=1, seed=seed)
    other = replace(guessing, scheduler="iteration-level", kv_layout="paged", max_num_seqs=100)
    lucky = [right_places(serve(trace, roomy(server), each, records=2)) for each in (guessing, other)]
    for one, two in zip(*lucky, strict=True):
        both = one.keys() & two.keys()
        assert all(one[place] == two[place] for place in both)


def right_places(outcome):
    """Return for each request which guessed positions (computed tokens before) were right."""
    places = [{} for _ in outcome.requests]
    for row in outcome.rows[outcome.rows["guesses"] == 1]:
        places[row["request"]][int(row["computed"])] = int(row["computed_after"] - row["computed"]) == 2
    return places


@given(cases())
def test_halving_all_unit_costs_and_arrivals_halves_every_time(case):
    trace, server, chosen = case

    def half(costs):
        return replace(costs, **{name: getattr(costs, name) / 2 for name in vars(costs) if name[-2:] == "_s"})

    link = replace(server.accelerator, link_bytes_per_s=server.accelerator.link_bytes_per_s * 2)
    costs, draft_costs = half(server.costs), half(server.draft_costs)
    faster = replace(server, accelerator=link, costs=costs, draft_costs=draft_costs)
    sooner = Trace(trace.arrival_s / 2, trace.prompt_tokens, trace.output_tokens, trace.cached_tokens)
    whole, halved = simulate(trace, server, chosen).requests, simulate(sooner, faster, chosen).requests
    for name in ("admitted_s", "first_token_s", "finish_s", "longest_gap_s"):
        np.testing.assert_array_equal(whole[name] / 2, halved[name], err_msg=name)


@given(cases())
def test_the_same_inputs_give_the_same_bytes(case):
    one, other = (serve(*case, records=2) for _ in range(2))
    assert one.requests.tobytes() == other.requests.tobytes()
    assert one.events.tobytes() == other.events.tobytes()
    assert one.rows.tobytes() == other.rows.tobytes()


@given(cases(), st.integers(0, 10**6))
def test_a_later_start_only_moves_the_clock(case, seconds):
    trace, server, chosen = case
    later = Trace(trace.arrival_s + seconds, trace.prompt_tokens, trace.output_tokens, trace.cached_tokens)
    now, then = simulate(trace, server, chosen).requests, simulate(later, server, chosen).requests
    for name in ("ttft_s", "tpot_s", "e2e_s", "longest_gap_s"):
        np.testing.assert_array_equal(now[name], then[name])


def test_experts_are_read_as_far_as_the_batch_asks_for_them():
    base = larkspur_server()
    costs = replace(base.unit_costs(Settings()), weight_s=0.0, expert_s=1.0, expert_share=0.5, overlap=0.0)
    server: Server = replace(base, costs=costs)
    trace = Trace([0.0, 0.0], [1, 1], [1, 1])
    both = simulate(trace, server, Settings()).requests["e2e_s"][0]
    alone = simulate(Trace([0.0], [1], [1]), server, Settings()).requests["e2e_s"][0]
    assert both - alone == pytest.approx(0.25 + costs.token_s + costs.kv_token_s)
