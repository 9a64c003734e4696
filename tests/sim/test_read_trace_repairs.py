"""Rows that are wrong, blank or out of order: what is done with them is counted and told back."""

from sim import read_trace
from tests.sim.trace_texts import MOONCAKE, PLAIN, rows_of, written


def test_rows_out_of_order_are_sorted_stably_and_counted(tmp_path):
    table = "arrival_s,prompt,output\n4,1,1\n2,2,1\n2,3,1\n9,4,1\n3,5,1\n"
    trace = read_trace(written(tmp_path, table))
    assert rows_of(trace) == [(0, 2, 1), (0, 3, 1), (1, 5, 1), (2, 1, 1), (7, 4, 1)]
    assert "The first arrival, 2, is now 0 s." in trace.notes
    assert "Sorted by arrival: 3 rows stood after a later one." in trace.notes


def test_what_is_in_order_and_from_0_on_is_not_said_to_be_repaired(tmp_path):
    trace = read_trace(written(tmp_path, PLAIN))
    assert trace.notes == (
        "Read as a CSV table: 2 requests.",
        "Arrivals in seconds, as the name of the column says.",
    )


AWKWARD = """arrival_s,prompt,output,topic
0,10,1,fine
x,10,1,no time
1,ten,1,no number

2,10.5,1,no whole number
arrival_s,prompt,output,topic
,10,1,no arrival
3,-1,1,less than nothing
4,10,nan,none
5,10,0,failed
6,0,5,empty
7,10
8,10,1,too,many
9,10,1,fine,,
,,,
10,1e3,2.0,fine
inf,10,1,never
11,1000000000001,1,more than anyone has
"""


def test_wrong_rows_are_left_out_with_reason_count_and_line(tmp_path):
    trace = read_trace(written(tmp_path, AWKWARD))
    assert rows_of(trace) == [(0, 10, 1), (9, 10, 1), (10, 1000, 2)]
    told = "\n".join(trace.notes)
    for sentence in (
        "Left out 3 rows: 'arrival_s' is no time (lines 3, 8, 18).",
        "Left out 4 rows: 'prompt' is no whole number of tokens (lines 4, 6, 9, 19).",
        "Left out 1 row: 'output' is no whole number of tokens (line 10).",
        "Left out 1 row: the reply has 0 tokens, as a failed request's (line 11).",
        "Left out 1 row: the prompt has 0 tokens (line 12).",
        "Left out 2 rows: not 4 cells (lines 13, 14).",
        "Left out 2 rows: blank (lines 5, 16).",
        "Left out 1 row: the header again (line 7).",
        "Not used: topic.",
    ):
        assert sentence in told
    assert sum(note.startswith("Left out") for note in trace.notes) == 8


def test_many_places_are_cut_short_but_counted(tmp_path):
    table = "arrival_s,prompt,output\n0,1,1\n" + "x,1,1\n" * 2000
    notes = read_trace(written(tmp_path, table)).notes
    assert "Left out 2,000 rows: 'arrival_s' is no time (lines 3, 4, 5, 6, 7 and 1,995 more)." in notes


def test_lines_are_counted_through_cells_that_hold_newlines(tmp_path):
    table = 'arrival_s,topic,prompt,output\n0,"two\nlines",1,1\n1,one,none,1\n'
    assert "(line 4)." in read_trace(written(tmp_path, table)).notes[2]


def test_identical_rows_are_two_requests_and_without_a_header_too(tmp_path):
    assert len(read_trace(written(tmp_path, "0,5,5\n0,5,5\n1,5,5\n1.5,5,5\n"), unit="s")) == 4


def test_columns_without_header_are_taken_in_order_and_that_is_said(tmp_path):
    trace = read_trace(written(tmp_path, "2024-05-10 00:00:01,7,3\n2024-05-10 00:00:02,8,4\n"))
    assert rows_of(trace) == [(0, 7, 3), (1, 8, 4)]
    assert "No header: the columns were taken as arrival, prompt, output." in trace.notes
    lengths = read_trace(written(tmp_path, "7,3\n8,4\n"), rate_per_s=1)
    assert "No header: the columns were taken as prompt, output." in lengths.notes


def test_wrong_json_lines_are_left_out_with_their_lines(tmp_path):
    lines = [
        '{"timestamp": 0, "input_length": 5, "output_length": 5}',
        '{"timestamp": 1000, "input_length": true, "output_length": 5}',
        "{broken",
        "",
        "[1, 2]",
        '{"timestamp": 2000, "input_length": "5", "output_length": 5}',
        '{"timestamp": 3000, "input_length": 6}',
        '{"timestamp": 4000, "input_length": 7, "output_length": 5}',
        '{"timestamp": NaN, "input_length": 7, "output_length": 5}',
        '{"timestamp": 1' + "0" * 400 + ', "input_length": 7, "output_length": 5}',
    ]
    trace = read_trace(written(tmp_path, "\n".join(lines)))
    assert rows_of(trace) == [(0, 5, 5), (2, 5, 5), (4, 7, 5)]
    told = "\n".join(trace.notes)
    assert "Left out 2 rows: no JSON object (lines 3, 5)." in told
    assert "Left out 1 row: 'input_length' is no whole number of tokens (line 2)." in told
    assert "Left out 1 row: 'output_length' is no whole number of tokens (line 7)." in told
    assert "Left out 2 rows: 'timestamp' is no time (lines 9, 10)." in told


def test_a_broken_first_json_line_is_left_out_too(tmp_path):
    trace = read_trace(written(tmp_path, "{\n" + MOONCAKE))
    assert rows_of(trace)[1][1:] == (396, 109)
    assert "Left out 1 row: no JSON object (line 1)." in trace.notes


def test_a_json_line_nested_too_deep_is_left_out(tmp_path):
    trace = read_trace(written(tmp_path, MOONCAKE + "[" * 100_000 + "]" * 100_000 + "\n"))
    assert len(trace) == 2
    assert "Left out 1 row: no JSON object (line 3)." in trace.notes
