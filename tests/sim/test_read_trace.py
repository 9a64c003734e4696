"""Trace files of every kind are recognized by what is in them, and every repair is told back."""

import io
import json
import time

import numpy as np
import pytest

from sim import monday, read_trace
from sim.config import DATA
from tests.sim.trace_texts import (
    AZURE_2023,
    AZURE_2024,
    BURSTGPT,
    BURSTGPT_V1,
    MOONCAKE,
    PLAIN,
    TWO_REQUESTS,
    VLLM,
    rows_of,
    written,
)

KINDS = {
    "an Azure LLM inference trace": [AZURE_2023, AZURE_2024],
    "a BurstGPT trace": [BURSTGPT, BURSTGPT_V1],
    "a Mooncake trace": [
        MOONCAKE,
        json.dumps([json.loads(line) for line in MOONCAKE.splitlines()], indent=2),
    ],
    "a vLLM benchmark result": [json.dumps(VLLM), json.dumps(VLLM, indent=1)],
    "a CSV table": [
        PLAIN,
        PLAIN.replace(",", ";"),
        PLAIN.replace(",", "\t"),
        PLAIN.replace("\n", "\r"),
        PLAIN.replace(",", " , "),
        "id," + PLAIN.replace("\n0", "\nx,0"),
        "Arrival ms,Input Length,OUTPUT-LEN\n0,374,44\n52,396,109\n",
        '"arrival_s","topic","prompt_tokens","output_tokens"\n0,"a, b",374,44\n0.052,"c ""d""",396,109\n',
        "arrived_at,num_prefill_tokens,num_decode_tokens\n0.0,374,44\n0.052,396,109\n",
        "time,input,output\n2024-05-10T00:00:00Z,374,44\n2024-05-10T00:00:00.052Z,396,109\n",
    ],
    "JSON rows": [
        '{"arrival_s": 3, "prompt_len": 374, "output_len": 44}\n'
        '{"arrival_s": 3.052, "prompt_len": 396, "output_len": 109}',
        '{"arrival_time": "2024-05-10 00:00:00", "input_toks": 374, "output_toks": 44}\n'
        '{"arrival_time": "2024-05-10 00:00:00.052", "input_toks": 396, "output_toks": 109}',
    ],
}


@pytest.mark.parametrize(
    ("kind", "text"),
    [(kind, text) for kind, texts in KINDS.items() for text in texts],
    ids=[f"{kind} {number}" for kind, texts in KINDS.items() for number in range(len(texts))],
)
def test_every_kind_is_recognized_by_its_content_and_rebased(tmp_path, kind, text):
    trace = read_trace(written(tmp_path, text))
    assert [row[1:] for row in rows_of(trace)] == [row[1:] for row in TWO_REQUESTS]
    np.testing.assert_allclose(trace.arrival_s, [0, 0.052], rtol=0, atol=1e-11)
    assert trace.notes[0] == f"Read as {kind}: 2 requests."
    assert trace.cached_tokens.tolist() == [0, 0]


@pytest.mark.parametrize(
    "encode",
    [
        lambda text: b"\xef\xbb\xbf" + text.encode(),
        lambda text: text.encode("utf-16"),
        lambda text: text.rstrip("\n").encode(),
        lambda text: b"\n\n" + text.encode(),
    ],
    ids=["utf-8 mark", "utf-16", "no last newline", "blank lines first"],
)
@pytest.mark.parametrize("text", [AZURE_2023, PLAIN, MOONCAKE, json.dumps(VLLM)])
def test_marks_and_missing_newlines_change_nothing(tmp_path, text, encode):
    assert rows_of(read_trace(written(tmp_path, encode(text)))) == rows_of(
        read_trace(written(tmp_path, text))
    )


def test_an_open_file_does_as_well_as_a_path(tmp_path):
    path = written(tmp_path, PLAIN)
    for source in (path, str(path), io.BytesIO(PLAIN.encode())):
        assert rows_of(read_trace(source)) == TWO_REQUESTS
    for wrong in (io.StringIO(PLAIN), None, 7):
        with pytest.raises(ValueError, match="expected the path of a trace file"):
            read_trace(wrong)


def test_prefix_hits_of_mooncake_are_counted_and_said_to_be_ignored(tmp_path):
    ids = [[1, 2, 3], [1, 2, 4], [9, 2], [1, 9], [4]]
    lines = [{"timestamp": 0, "input_length": 9, "output_length": 1, "hash_ids": row} for row in ids]
    trace = read_trace(written(tmp_path, "\n".join(map(json.dumps, lines))))
    assert trace.cached_tokens.sum() == 0
    assert any(note.startswith("Prefix hits are ignored: 5 of 11 blocks") for note in trace.notes)


def test_failed_requests_of_a_benchmark_are_left_out_and_a_limit_is_told(tmp_path):
    changes = {"errors": ["", "timeout"], "max_concurrency": 8}
    trace = read_trace(written(tmp_path, json.dumps(VLLM | changes)))
    assert rows_of(trace) == [(0, 396, 109)]
    told = "\n".join(trace.notes)
    assert "Left out 1 row: failed in the benchmark (entry 2)." in told
    assert "Sent with at most 8 requests under way" in told
    silent = VLLM | {"output_lens": [0, 44], "start_times": [0.0, 27536.0]}
    assert rows_of(read_trace(written(tmp_path, json.dumps(silent)))) == [(0, 374, 44)]


def test_lengths_without_arrivals_ask_for_a_rate_and_then_come_as_a_poisson_process(tmp_path):
    older = {key: value for key, value in VLLM.items() if key != "start_times"}
    for text in (
        "input_len,output_len\n161,338\n19,58\n",
        json.dumps(older),
        '{"prompt_tokens": 1, "output": 2}',
    ):
        with pytest.raises(
            ValueError, match="rate_per_s: expected requests a second, as this file has lengths"
        ):
            read_trace(written(tmp_path, text))
    table = "input_len,output_len\n" + "161,338\n" * 4000
    trace = read_trace(written(tmp_path, table), rate_per_s=2, seed=5)
    gaps_s = np.diff(trace.arrival_s)
    assert trace.arrival_s[0] == 0
    assert gaps_s.mean() == pytest.approx(0.5, rel=0.05)
    assert gaps_s.std() == pytest.approx(0.5, rel=0.1)
    assert any("Poisson process of 2 requests a second, seed 5" in note for note in trace.notes)
    again, other = (read_trace(written(tmp_path, table), rate_per_s=2, seed=seed) for seed in (5, 6))
    assert again.arrival_s.tobytes() == trace.arrival_s.tobytes() != other.arrival_s.tobytes()


def test_a_rate_is_refused_where_the_file_has_arrivals_or_it_is_none(tmp_path):
    with pytest.raises(ValueError, match="rate_per_s: expected none, as this file has arrivals"):
        read_trace(written(tmp_path, PLAIN), rate_per_s=1)
    for wrong in (0, -1, float("nan"), "2", True):
        with pytest.raises(ValueError, match="rate_per_s: expected"):
            read_trace(written(tmp_path, "input_len,output_len\n1,1\n"), rate_per_s=wrong)
    with pytest.raises(ValueError, match="seed: expected a whole number"):
        read_trace(written(tmp_path, "input_len,output_len\n1,1\n"), rate_per_s=1, seed=-1)


def test_our_own_monday_can_be_read_as_any_table():
    assert rows_of(read_trace(DATA / "monday.csv")) == rows_of(monday())


@pytest.mark.slow
def test_a_million_rows_are_read_in_a_few_seconds(tmp_path):
    rows = "".join(f"{place / 100:.2f},{place % 4000 + 1},{place % 500 + 1}\n" for place in range(10**6))
    path = written(tmp_path, "arrival_s,prompt_tokens,output_tokens\n" + rows)
    began_s = time.process_time()
    trace = read_trace(path)
    assert time.process_time() - began_s < 10
    assert (len(trace), trace.arrival_s[-1]) == (10**6, 9999.99)
