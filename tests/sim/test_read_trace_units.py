"""Arrivals that are numbers need a unit: stated, evident, or asked for, and never guessed in silence."""

import numpy as np
import pytest

from sim import read_trace


def table(folder, arrivals, name="arrival"):
    path = folder / "trace"
    path.write_text(f"{name},prompt,output\n" + "".join(f"{arrival},7,7\n" for arrival in arrivals), "utf-8")
    return path


@pytest.mark.parametrize(
    "arrivals", [[0, 250, 500], [0, 1, 2, 3], [0, 60, 120], [0.0, 12.5, 80.25], [5, 105, 300]]
)
def test_numbers_that_could_be_both_are_asked_about(tmp_path, arrivals):
    with pytest.raises(
        ValueError, match=r"^unit: expected to know what 'arrival' counts.*give unit='s' or unit='ms'"
    ):
        read_trace(table(tmp_path, arrivals))


@pytest.mark.parametrize(("unit", "per_second"), [("s", 1), ("ms", 10**3), ("us", 10**6), ("ns", 10**9)])
def test_a_given_unit_is_taken_and_told(tmp_path, unit, per_second):
    trace = read_trace(table(tmp_path, [100, 350, 600]), unit=unit)
    assert trace.arrival_s.tolist() == [0, 250 / per_second, 500 / per_second]
    assert any(note.endswith("seconds, as asked.") for note in trace.notes)


def test_a_given_unit_wins_over_the_name_and_the_format(tmp_path):
    assert read_trace(table(tmp_path, [0, 500], "arrival_s"), unit="ms").arrival_s[1] == 0.5
    lines = '{"timestamp": 0, "input_length": 5, "output_length": 5}\n' * 2
    path = tmp_path / "mooncake"
    path.write_text(lines.replace("0,", "9,", 1), "utf-8")
    assert [read_trace(path, unit=unit).arrival_s[1] for unit in (None, "s")] == [0.009, 9]


@pytest.mark.parametrize(
    ("name", "second_s"),
    [("arrival_s", 500), ("arrival_ms", 0.5), ("timestamp_s", 500), ("Timestamp MS", 0.5), ("time_ms", 0.5)],
)
def test_the_name_of_a_column_can_state_the_unit(tmp_path, name, second_s):
    trace = read_trace(table(tmp_path, [0, 500], name))
    assert trace.arrival_s[1] == second_s
    assert any("as the name of the column says" in note for note in trace.notes)


@pytest.mark.parametrize(
    ("arrivals", "unit", "word"),
    [
        ([0.0, 0.5, 1.25], 1, "seconds"),
        ([0, 0, 1, 1, 2], 1, "seconds"),
        ([0.0, 3.7, 9.2], 1, "seconds"),
        ([0, 27482, 60000], 1000, "milliseconds"),
        ([0, 2000, 9000.5], 1000, "milliseconds"),
    ],
)
def test_the_only_plausible_rate_shows_the_unit_and_the_note_says_so(tmp_path, arrivals, unit, word):
    trace = read_trace(table(tmp_path, arrivals))
    np.testing.assert_allclose(trace.arrival_s, np.array(arrivals) / unit)
    (note,) = [note for note in trace.notes if "Arrivals taken as" in note]
    assert note.startswith(f"Arrivals taken as {word}: ")
    assert "If that is wrong, give unit=" in note


@pytest.mark.parametrize(
    ("per_second", "word"),
    [(1, "seconds"), (10**3, "milliseconds"), (10**6, "microseconds"), (10**9, "nanoseconds")],
)
def test_times_since_1970_show_their_unit_by_their_size(tmp_path, per_second, word):
    start = 1_795_000_000 * per_second
    trace = read_trace(table(tmp_path, [start, start + per_second // 2 or start + 1, start + 5 * per_second]))
    assert trace.arrival_s[-1] == pytest.approx(5, abs=1e-6)
    assert f"Arrivals in {word} since 1970, as their size shows." in trace.notes


def test_requests_all_at_once_need_no_unit(tmp_path):
    for arrivals in ([7], [5, 5, 5]):
        trace = read_trace(table(tmp_path, arrivals))
        assert not trace.arrival_s.any()
        assert any("does not matter" in note for note in trace.notes)


@pytest.mark.parametrize("arrivals", [[0, 1e-9, 2e-9], [0, 1e12, 3e12]])
def test_rates_that_fit_no_unit_are_asked_about_too(tmp_path, arrivals):
    with pytest.raises(ValueError, match="give unit='s' or unit='ms'"):
        read_trace(table(tmp_path, arrivals))


@pytest.mark.parametrize("wrong", ["seconds", "", "S", 1, True])
def test_an_unknown_unit_is_named_beside_those_known(tmp_path, wrong):
    with pytest.raises(ValueError, match="unit: expected one of 's', 'ms', 'us', 'ns', got"):
        read_trace(table(tmp_path, [0, 1]), unit=wrong)


def test_dates_keep_every_tenth_of_a_microsecond(tmp_path):
    stamps = ["2024-02-29 23:59:59.9999999", "2024-03-01 00:00:00.0000001", "2024-03-01 01:00:00+01:00"]
    trace = read_trace(table(tmp_path, stamps))
    assert trace.arrival_s.tolist() == [0, 1e-7, 2e-7]
    assert any("need no unit" in note for note in trace.notes)
    assert "Sorted by arrival: 1 row stood after a later one." in trace.notes


def test_a_date_that_does_not_exist_is_left_out(tmp_path):
    trace = read_trace(
        table(tmp_path, ["2023-02-28", "2023-02-29", "2023-03-01", "9999-01-01", "01/02/2023"])
    )
    assert trace.arrival_s.tolist() == [0, 86400]
    assert "Left out 3 rows: 'arrival' is no time (lines 3, 5, 6)." in trace.notes
