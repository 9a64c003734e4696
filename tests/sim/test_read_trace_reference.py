"""The reference trace files give their right answers, or ask what they leave open."""

import json
from pathlib import Path

import numpy as np
import pytest

from sim import read_trace

REFERENCE = Path(__file__).resolve().parents[3] / "shared" / "reference"
SMALL = REFERENCE / "small"
needs_reference = pytest.mark.skipif(not REFERENCE.exists(), reason="the reference traces are not here")


@needs_reference
@pytest.mark.parametrize(
    "name", ["azure2023_crlf_notrail.csv", "azure2024_tz.csv", "azure_ms_collapse.csv", "mooncake_ms.jsonl"]
)
def test_small_reference_files_arrive_when_expected(name):
    expected = json.loads((SMALL / "expected.json").read_text("utf-8"))[name]
    trace = read_trace(SMALL / name)
    assert len(trace) == expected["rows"]
    assert trace.arrival_s.tolist() == expected["arrivals_s"]
    for key, column in (("input", trace.prompt_tokens), ("output", trace.output_tokens)):
        assert column.tolist() == expected.get(key, column.tolist())
    assert not any("Left out" in note or "Sorted" in note for note in trace.notes)


@needs_reference
def test_reference_files_that_need_repair_say_which():
    expected = json.loads((SMALL / "expected.json").read_text("utf-8"))
    unsorted = read_trace(SMALL / "unsorted_dup_header.csv")
    assert unsorted.arrival_s.tolist() == expected["unsorted_dup_header.csv"]["arrivals_s"]
    assert unsorted.prompt_tokens.tolist() == [374, 374, 396]
    assert "Left out 1 row: the header again (line 3)." in unsorted.notes
    assert "Sorted by arrival: 2 rows stood after a later one." in unsorted.notes
    failures = read_trace(SMALL / "burstgpt_v1.csv")
    assert failures.arrival_s.tolist() == expected["burstgpt_v1.csv"]["arrivals_s_without_failures"]
    assert "Left out 1 row: the reply has 0 tokens, as a failed request's (line 5)." in failures.notes
    mooncake = read_trace(SMALL / "mooncake_ms.jsonl").notes
    blocks = sum(expected["mooncake_ms.jsonl"]["blocks"])
    assert any(f"1 of {blocks} blocks of 512 prompt tokens" in note for note in mooncake)
    assert "Arrivals in milliseconds, as this format has them." in mooncake


@needs_reference
def test_reference_files_that_leave_something_open_are_asked_about():
    with pytest.raises(
        ValueError, match=r"unit: .* 0\.004 requests a second, as milliseconds 4; give unit='s'"
    ):
        read_trace(SMALL / "seconds_or_ms.csv")
    assert read_trace(SMALL / "seconds_or_ms.csv", unit="ms").arrival_s.tolist() == [0, 0.25, 0.5]
    assert read_trace(SMALL / "seconds_or_ms.csv", unit="s").arrival_s.tolist() == [0, 250, 500]
    with pytest.raises(ValueError, match="rate_per_s"):
        read_trace(SMALL / "sharegpt_lengths.csv")
    assert read_trace(SMALL / "sharegpt_lengths.csv", rate_per_s=1).prompt_tokens.tolist() == [161, 19, 2048]


@needs_reference
def test_azure_s_trace_of_2023_has_its_published_sums():
    trace = read_trace(REFERENCE / "traces" / "azure_2023_code.csv")
    assert len(trace) == 8819
    assert trace.arrival_s[-1] == 3435.948056
    assert (trace.prompt_tokens.sum(), trace.output_tokens.sum()) == (18_059_974, 245_896)
    assert np.diff(trace.arrival_s).max() == pytest.approx(217.168952, abs=1e-9)


@needs_reference
def test_a_recorded_run_of_vllm_can_be_read_for_its_arrivals():
    trace = read_trace(REFERENCE / "measured" / "vllm_0.19_rtx4090_llama-3.1-8b" / "requests.jsonl")
    assert len(trace) == 300
    assert (trace.prompt_tokens[0], trace.output_tokens[0]) == (2358, 531)
    assert 299 / trace.arrival_s[-1] == pytest.approx(10, rel=0.05)
    assert "Arrivals in seconds since 1970, as their size shows." in trace.notes
