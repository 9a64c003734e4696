"""Who is to blame, against the same worked out event by event, and in bounded memory."""

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given

from sim import Settings, Trace, larkspur_server, monday, simulate
from tests.sim.random_runs import cases

SERVER = larkspur_server()


def queue_event_by_event(run):
    """Return the seconds of each pair: of every event, what a request waits in it, shared by all who sit in it."""
    detail, waited = run.detail, defaultdict(float)
    events, rows, requests = detail.events, detail.rows, detail.requests
    for number, event in enumerate(events):
        seated = rows["request"][rows["event"] == number]
        for request in np.flatnonzero(requests["rejected"] == 0):
            same_server = request % run.server.replicas == detail.event_replica[number]
            until_s = min(event["end_s"], requests["admitted_s"][request])
            seconds = until_s - max(event["start_s"], requests["arrival_s"][request])
            if same_server and seconds > 0:
                for by in seated:
                    waited[int(request), int(by)] += seconds / len(seated)
    return waited


@given(cases())
def test_the_queue_is_shared_by_who_sits_meanwhile_event_by_event(case):
    run = simulate(*case)
    blame = run.blame()
    queue = blame[blame["cause"] == "queue_s"]
    found = dict(zip(zip(queue["request"], queue["by"], strict=True), queue["seconds"], strict=True))
    expected = queue_event_by_event(run)
    for pair in found.keys() | expected.keys():
        assert found.get(pair, 0.0) == pytest.approx(expected.get(pair, 0.0), rel=1e-9, abs=1e-12)


def test_a_long_queue_is_shared_out_without_a_row_for_every_pass():
    trace = Trace.steady(rate_per_s=12, num_requests=1000, like=monday())
    run = simulate(trace, SERVER, Settings(max_num_seqs=8))
    blame, lateness = run.blame(), run.lateness()
    assert len(blame) < 500_000
    queue_s = blame[blame["cause"] == "queue_s"].groupby("request")["seconds"].sum()
    np.testing.assert_allclose(
        queue_s.reindex(lateness.index, fill_value=0.0), lateness["queue_s"], rtol=1e-9
    )
    assert blame.equals(blame.sort_values(["request", "by", "cause"]))


@pytest.mark.parametrize("most_rows", [2_000, 20_000])
def test_pairs_that_would_not_fit_in_memory_are_refused(monkeypatch, most_rows):
    trace = Trace(np.arange(400) * 0.001, np.full(400, 40), np.full(400, 40))
    run = simulate(trace, SERVER, Settings(max_num_seqs=4))
    assert len(run.detail.rows) < 2_000
    monkeypatch.setattr("sim.rows.MOST_ROWS", most_rows)
    with pytest.raises(
        ValueError, match=r"written down in .* rows, got .*; ask for these frames of a shorter"
    ):
        run.blame()


def test_blocks_that_would_not_fit_in_memory_are_refused_before_they_are_counted_out(monkeypatch):
    run = simulate(Trace([0.0], [10], [2000]), SERVER, Settings(max_model_len=10**4))
    assert len(run.memory) == 3 + 125
    monkeypatch.setattr("sim.rows.MOST_ROWS", 124)
    again = simulate(Trace([0.0], [10], [2000]), SERVER, Settings(max_model_len=10**4))
    with pytest.raises(ValueError, match="in 124 rows, got 125; ask for these frames of a shorter trace"):
        _ = again.memory
