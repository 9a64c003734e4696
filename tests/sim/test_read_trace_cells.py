"""Cells as they are found: empty, twice, of mixed kinds, with commas, too large, too close together."""

import json

import numpy as np
import pytest

from sim import read_trace
from tests.sim.trace_texts import rows_of, written

HEADER = "arrival_s,prompt_tokens,output_tokens"


def test_an_empty_cell_that_is_not_taken_costs_no_row(tmp_path):
    trace = read_trace(written(tmp_path, f"user,{HEADER}\n,0,1,2\nme,1,3,4\n,,,\n"))
    assert rows_of(trace) == [(0, 1, 2), (1, 3, 4)]
    assert "Left out 1 row: blank (line 4)." in trace.notes


def test_texts_and_numbers_are_told_apart_cell_by_cell(tmp_path):
    rows = [(None, "5", 4), ("0", 5, "4"), (1.5, "5", 4), (True, 5, 4), (2, 5, "x")]
    names = HEADER.split(",")
    text = json.dumps([dict(zip(names, row, strict=True)) for row in rows])
    trace = read_trace(written(tmp_path, text))
    assert rows_of(trace) == [(0, 5, 4), (1.5, 5, 4)]
    assert "Left out 2 rows: 'arrival_s' is no time (entries 1, 4)." in trace.notes


def test_a_column_named_twice_is_said(tmp_path):
    trace = read_trace(written(tmp_path, f"{HEADER},prompt_tokens\n0,1,2,9\n"))
    assert rows_of(trace) == [(0, 1, 2)]
    assert "2 columns are named 'prompt_tokens': the first was taken." in trace.notes
    assert trace.notes[0] == "Read as a CSV table: 1 request."


@pytest.mark.parametrize("text", ["0,5;10;20\n1,5;10;20", f'{HEADER}\n0,"1,000",3', f'{HEADER}\n"0,5",1,3'])
def test_a_comma_in_a_number_is_why_it_is_none(tmp_path, text):
    with pytest.raises(ValueError, match=r"as there is a comma in the number \(write 0.5, and 1000\)"):
        read_trace(written(tmp_path, text))


def test_arrivals_beyond_all_bounds_are_a_sentence_and_no_warning(tmp_path):
    trace = read_trace(written(tmp_path, f"{HEADER}\n1e308,1,2\n-1e308,1,2\n5,1,1\n"))
    assert rows_of(trace) == [(0, 1, 1)]
    with pytest.raises(ValueError, match="expected seconds from 0 to 10,000,000,000, got"):
        read_trace(written(tmp_path, f"{HEADER}\n-9000000000000000000,1,2\n9000000000000000000,1,2\n"))
    with pytest.raises(ValueError, match="expected seconds from 0 to 10,000,000,000, got"):
        read_trace(written(tmp_path, f"{HEADER}\n1e299,1,2\n-1e299,1,2\n"))


@pytest.mark.parametrize("form", ["csv", "json"])
def test_nanoseconds_since_1970_stay_apart_and_are_shown_in_full(tmp_path, form):
    ns = [1_700_000_000_000_000_001, 1_700_000_000_000_000_101, 1_700_000_000_000_000_251]
    text = "arrival,prompt,output\n" + "\n".join(f"{each},1,2" for each in ns)
    if form == "json":
        text = json.dumps([{"arrival": each, "prompt": 1, "output": 2} for each in ns])
    trace = read_trace(written(tmp_path, text))
    np.testing.assert_allclose(trace.arrival_s, [0, 100e-9, 250e-9], rtol=1e-12)
    assert "The first arrival, 1700000000000000001, is now 0 s." in trace.notes


def test_a_name_too_long_for_a_file_is_a_sentence():
    with pytest.raises(ValueError, match=r"expected a file .* at .*, got: File name too long") as caught:
        read_trace("a" * 5000)
    assert len(str(caught.value)) < 400
