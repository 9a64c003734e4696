"""A file that is no trace is a sentence: what was expected, what came, what to do."""

import gzip
import io
import json
import os
import time
import zipfile

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sim import Trace, read_trace
from tests.sim.trace_texts import AZURE_2023, BURSTGPT, MOONCAKE, PLAIN, VLLM, written

HEADER = "arrival_s,prompt,output\n"
DEEP = "[" * 100_000 + "]" * 100_000
RESULTS = "\n".join([json.dumps({"input_lens": [1], "output_lens": [1], "start_times": [0.0]})] * 2)
WRONG = {
    "empty": (b"", "got an empty file"),
    "blank": (b" \n\r\n\t", "got an empty file"),
    "only a mark": (b"\xef\xbb\xbf", "got an empty file"),
    "png": (b"\x89PNG\r\n\x1a\n\0\0", "got a PNG image"),
    "jpeg": (b"\xff\xd8\xff\xe0", "got a JPEG image"),
    "pdf": (b"%PDF-1.7\n", "got a PDF"),
    "gzip": (gzip.compress(b"a,b"), "got a gzip archive; unpack it"),
    "parquet": (b"PAR1\x15\x04", "got a Parquet file; save it as CSV"),
    "zeros": (b"a,b,c\n\0\0\0", "got binary data"),
    "random bytes": (b"a,b\n1,\x80\x81\n", r"expected UTF-8 text, got the byte 0x80 in line 2"),
    "half of utf-16": (b"\xff\xfea", "expected UTF-8 text"),
    "html": (b"\n<!DOCTYPE html><html>", "got a web page or XML; download the raw file"),
    "xml": (b"<?xml version='1.0'?>", "got a web page or XML"),
    "git lfs": (b"version https://git-lfs.github.com/spec/v1\noid sha256:0", "got a Git LFS pointer"),
    "semicolons alone": (b";;\n;\n", "got none; rename them"),
    "prose": (b"Dear all,\nplease find the trace attached.\n", "got 'Dear all', ''; rename them"),
    "one column": (b"tokens\n5\n", "expected columns for the arrival"),
    "four columns without a header": (b"0,1,2,3\n", "got '0', '1', '2', '3'"),
    "a header alone": (HEADER.encode(), "expected at least one request, got none in a CSV table, which ends"),
    "no good row": (f"{HEADER}x,1,1\n1,0,1\n1,1,0\n".encode(), "1 × 'arrival_s' is no time; 1 × the prompt"),
    "texts for tokens": (b"arrival_s,prompt,output\n0,Hello,Hi\n", "'prompt' is no whole number of tokens"),
    "an open quote": (f'{HEADER}0,1,1\n1,"1,1\n2,1,1\n'.encode(), "expected a CSV table, got in line"),
    "a gigantic cell": (HEADER.encode() + b"1" * 200_000, "field larger than field limit"),
    "a gigantic line": (b"a" * 5_000_000, "got a line of more than 10,000 characters"),
    "a gigantic line of commas": (b"," * 5_000_000, "got a line of more than 10,000 characters"),
    "broken json": (b'{"timestamp": 0,', "expected JSON, or one JSON object a line, got: Expecting"),
    "json lists": (b"[[1, 2], [3, 4]]", "expected JSON objects, one a request, got none"),
    "an empty list": (b"[]", "expected JSON objects, one a request, got none"),
    "an empty object": (b"{}", "got none; rename them"),
    "deep json": (DEEP.encode(), "brackets nested too deep"),
    "numbers too long": (b'[{"timestamp": ' + b"1" * 10_000 + b"}]", "expected JSON"),
    "a config.json": (b'{"model_type": "opt", "hidden_size": 5}', "got 'model_type', 'hidden_size'"),
    "conversations": (b'[{"id": "a", "conversations": []}]', "ShareGPT's conversations, which are texts"),
    "a benchmark's summary": (b'{"completed": 3, "total_input_tokens": 9}', "--save-result --save-detailed"),
    "two benchmarks": (RESULTS.encode(), "got several in one file"),
    "a lopsided benchmark": (json.dumps(VLLM | {"input_lens": [1]}).encode(), "expected equally long lists"),
    "a benchmark without outputs": (b'{"input_lens": [1]}', "expected equally long lists"),
    "a benchmark of text": (b'{"input_lens": "ab", "output_lens": "ab"}', "expected equally long lists"),
    "an empty benchmark": (
        b'{"input_lens": [], "output_lens": [], "start_times": []}',
        "at least one request",
    ),
}


@pytest.mark.parametrize("kind", WRONG)
def test_what_is_no_trace_is_a_sentence(tmp_path, kind):
    content, sentence = WRONG[kind]
    began_s = time.process_time()
    with pytest.raises(ValueError, match="expected") as caught:
        read_trace(written(tmp_path, content))
    assert sentence in str(caught.value)
    assert len(str(caught.value)) < 700
    assert "\n" not in str(caught.value)
    assert time.process_time() - began_s < 2


def test_a_zip_archive_and_a_spreadsheet_say_what_to_do(tmp_path):
    with zipfile.ZipFile(tmp_path / "trace.csv", "w") as archive:
        archive.writestr("trace.csv", PLAIN)
    with pytest.raises(
        ValueError, match="got a zip archive or a spreadsheet; unpack it, or save the sheet as CSV"
    ):
        read_trace(tmp_path / "trace.csv")


def test_a_folder_a_pipe_and_nothing_are_told_apart(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path, found in (
        (tmp_path, "a folder"),
        (tmp_path / "none.csv", "nothing"),
        (tmp_path / "pipe", "something"),
    ):
        with pytest.raises(ValueError, match=f"expected a file at .*, got {found}"):
            read_trace(path)
    with pytest.raises(ValueError, match="expected a file at"):
        read_trace("a\0b")


def test_a_file_above_the_limit_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("sim.trace_files.text.MOST_BYTES", 10)
    for source in (written(tmp_path, PLAIN), io.BytesIO(PLAIN.encode())):
        with pytest.raises(ValueError, match="expected a file of at most 10 bytes"):
            read_trace(source)


ENDS = [AZURE_2023, BURSTGPT, MOONCAKE, PLAIN, json.dumps(VLLM)]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_spoiled_file_is_a_trace_or_a_sentence(tmp_path, data):
    text = data.draw(st.sampled_from(ENDS))
    start, stop = sorted(data.draw(st.tuples(*[st.integers(0, len(text))] * 2)))
    filling = data.draw(st.text(max_size=5) | st.text('0123456789,"{}[]:.\n eE-', max_size=9))
    _is_trace_or_sentence(
        written(tmp_path, (text[:start] + filling + text[stop:]).encode("utf-8", "replace"))
    )


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.binary(max_size=60) | st.text(max_size=40).map(lambda text: (HEADER + text).encode("utf-8", "replace"))
)
def test_any_bytes_are_a_trace_or_a_sentence(tmp_path, content):
    _is_trace_or_sentence(written(tmp_path, content))


def _is_trace_or_sentence(path):
    try:
        trace = read_trace(path)
    except ValueError as error:
        sentence = str(error)
    else:
        sentence = "expected and found a trace"
        assert isinstance(trace, Trace)
        assert len(trace) > 0
        assert trace.arrival_s[0] == 0
        assert trace.notes
    assert "expected" in sentence
