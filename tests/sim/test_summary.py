"""A run in numbers, against NumPy and the reference cases."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim import Settings, Targets, Trace, larkspur_server, monday, simulate
from sim.exchange import as_records
from sim.kernel.records import Seq
from sim.summary import summarize

SMALL = Path(__file__).resolve().parents[3] / "shared" / "reference" / "small"
needs_cases = pytest.mark.skipif(not SMALL.exists(), reason="the reference cases are not here")


def happened(ttft_s, arrival_s=None, finish_s=None, rejected=None):
    count = len(ttft_s)
    arrival_s = np.zeros(count) if arrival_s is None else arrival_s
    records = as_records(Seq, [Seq() for _ in range(count)])
    records["first_token_s"] = arrival_s + ttft_s
    records["finish_s"] = records["first_token_s"] if finish_s is None else finish_s
    records["rejected"] = 0 if rejected is None else rejected
    return records.reshape(1, -1)


@given(st.lists(st.one_of(st.floats(0, 1e6), st.just(np.nan)), max_size=40))
def test_percentiles_are_numpys_linear_over_what_is_there(ttft_s):
    count = len(ttft_s)
    columns = summarize(Trace(np.zeros(count), [1] * count, [1] * count), happened(ttft_s), None)
    there = [value for value in ttft_s if not np.isnan(value)]
    for percent in (50, 90, 95, 99):
        expected = np.percentile(there, percent) if there else np.nan
        np.testing.assert_allclose(columns[f"ttft_p{percent}_s"], [expected], rtol=1e-12, atol=1e-300)


@needs_cases
@pytest.mark.parametrize(("case", "values"), [("three", 10.0 * np.arange(1, 4)), ("one", [7.0])])
def test_percentiles_of_the_reference(case, values):
    expected = json.loads((SMALL / "percentiles.json").read_text(encoding="utf-8"))[case]["linear_numpy"]
    count = len(values)
    columns = summarize(Trace(np.zeros(count), [1] * count, [1] * count), happened(values), None)
    for percent in (50, 95, 99):
        assert columns[f"ttft_p{percent}_s"][0] == pytest.approx(expected[str(percent)])


@needs_cases
def test_goodput_and_attainment_of_the_reference():
    case = json.loads((SMALL / "metrics_small.json").read_text(encoding="utf-8"))
    expected = json.loads((SMALL / "expected.json").read_text(encoding="utf-8"))["metrics_small.json"]
    sent = [one for one in case["requests"] if one["id"] != "c"]  # no reply is without a token here
    ttft_s = np.array([np.nan if one["first"] is None else one["first"] - one["arrival"] for one in sent])
    arrival_s = np.array([one["arrival"] for one in sent])
    finish_s = np.array([np.nan if one["last"] is None else one["last"] for one in sent])
    rejected = [int(not one["ok"]) for one in sent]
    trace = Trace(arrival_s, [1] * 4, [max(1, one["out"]) for one in sent])
    columns = summarize(trace, happened(ttft_s, arrival_s, finish_s, rejected), Targets(**case["slo"]))
    assert columns["tpot_mean_s"][0] == pytest.approx(expected["mean_tpot_s"])
    assert (
        columns["on_target"][0] / case["duration_s"] == expected["goodput_req_per_s"]["c_excluded_as_empty"]
    )
    assert columns["goodput_per_s"][0] == pytest.approx(2 / 4.4)
    assert columns["attainment"][0] == 2 / 4
    assert columns["tokens_per_s"][0] == pytest.approx(expected["output_tokens"] / 4.4)
    assert columns["rejected"][0] == 1


def test_a_summary_of_monday_is_that_of_its_frame():
    targets = Targets(1, 0.03)
    run = simulate(monday(), larkspur_server(), Settings(), targets)
    summary, frame = run.summary(), run.requests
    assert summary["on_target"] == frame["on_target"].sum()
    assert summary["attainment"] == frame["on_target"].mean()
    span_s = frame["finish_s"].max() - frame["arrival_s"].min()
    assert summary["goodput_per_s"] == pytest.approx(frame["on_target"].sum() / span_s)
    assert summary["tokens_per_s"] == pytest.approx(monday().output_tokens.sum() / span_s)
    assert summary["e2e_p95_s"] == pytest.approx(np.percentile(frame["e2e_s"], 95))
    assert summary["preemptions"] == frame["preemptions"].sum()
    assert summary["percentiles"] == "linear"
    assert run.summary(Targets(1e-9, 1))["on_target"] == 0


def test_nothing_is_said_of_targets_when_there_are_none_nor_of_times_when_nobody_was_served():
    run = simulate(Trace([], [], []), larkspur_server(), Settings())
    summary = run.summary()
    assert "on_target" not in summary
    assert summary["requests"] == 0
    assert summary["ttft_p50_s"] is None
    assert summary["tokens_per_s"] is None
    rejected = simulate(Trace([0.0], [9999], [1]), larkspur_server(), Settings(), Targets(1, 1)).summary()
    assert (rejected["on_target"], rejected["attainment"], rejected["goodput_per_s"]) == (0, 0.0, None)
