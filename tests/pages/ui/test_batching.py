"""Chapter 3's charts as values: what is drawn is what the engine's run says."""

import numpy as np
import pytest

from pages.ui import blamed, first_word, ladder, same_latency, seats, waits
from pages.ui.guess import Guess
from pages.ui.ladder import ANEW, FIXED, IN_PIECES, SEATS, WORDS, served
from pages.ui.monday_memory import most_seated
from pages.ui.served import server
from sim import MONDAY_TARGETS, simulate

BUDGET = ladder.DEFAULT_BUDGET
STATES = ("waiting", "prefill", "decode", "stalled", "riding")
NOTHING = Guess(None, None, None, is_revealed=False)


@pytest.mark.parametrize("word", WORDS)
def test_a_panel_draws_every_stretch_of_the_run_and_nothing_else(word: str) -> None:
    frame = waits.lanes(FIXED.word, word, BUDGET).to_pandas().query("panel == 1")
    drawn = frame[frame["kind"].isin(STATES)]
    segments = served(word, BUDGET).segments
    assert len(drawn) == len(segments)
    np.testing.assert_allclose(drawn[["x", "x_end"]], segments[["start_s", "end_s"]])
    np.testing.assert_array_equal(drawn["kind"], segments["state"])
    np.testing.assert_array_equal(drawn["lane"], segments["request"] + waits.PANEL + waits.HEADER)
    assert frame["x_end"].max() <= waits.EDGE_S


@pytest.mark.parametrize("word", WORDS)
def test_a_customers_stretches_add_up_to_its_time_and_riding(word: str) -> None:
    frame = waits.panel(word, BUDGET, 0).to_pandas()
    lasts = frame[frame["kind"].isin(STATES) & (frame["kind"] != "riding")]
    sums_s = (lasts["x_end"] - lasts["x"]).groupby(lasts["lane"]).sum()
    np.testing.assert_allclose(sums_s, served(word, BUDGET).requests["e2e_s"])


@pytest.mark.parametrize("word", WORDS)
def test_those_who_wait_are_counted_as_the_engine_counts_them(word: str) -> None:
    for row in served(word, BUDGET).passes.itertuples():
        assert waits.waiting_at(word, BUDGET, row.start_s + 1e-7) == row.waiting


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("budget", ladder.BUDGETS)
def test_a_scheduler_goes_by_the_limit_that_it_heeds(word: str, budget: str) -> None:
    own = simulate(ladder.rush(), server(), ladder.settings(word, budget), MONDAY_TARGETS)
    np.testing.assert_allclose(served(word, budget).requests["finish_s"], own.requests["finish_s"])
    assert served(word, budget).settings.scheduler == own.settings.scheduler


def test_more_wait_above_than_below_where_the_line_starts() -> None:
    above, below = (waits.waiting_at(word, BUDGET, waits.LINE_S) for word in (FIXED.word, ANEW.word))
    assert above >= 2 * below > 0
    told = waits.waits_alt(FIXED.word, ANEW.word, BUDGET)
    assert f"{above} waiting at 9 s" in told
    assert f"{below} waiting at 9 s" in told


@pytest.mark.parametrize("word", WORDS)
def test_no_seat_is_held_twice_and_none_beyond_those_there_are(word: str) -> None:
    sat = seats.stretches(word, BUDGET)
    assert set(sat["seat"]) <= set(range(SEATS))
    for _, one in sat.sort_values("start_s").groupby("seat"):
        assert (one["start_s"].to_numpy()[1:] >= one["end_s"].to_numpy()[:-1] - 1e-12).all()
    assert (sat.groupby("request")["seat"].nunique() == 1).all()
    assert sat["request"].nunique() == len(ladder.rush())


@pytest.mark.parametrize("word", WORDS)
def test_every_pass_ends_where_the_engine_ends_it(word: str) -> None:
    ends_s, passes = seats.pass_ends_s(served(word, BUDGET)), served(word, BUDGET).passes
    assert len(ends_s) == passes["passes"].sum()
    np.testing.assert_allclose(ends_s[np.cumsum(passes["passes"]) - 1], passes["end_s"])
    assert (np.diff(ends_s) > 0).all()
    drawn = seats.panel(word, BUDGET, 0).to_pandas().query("kind == 'pass'")["x"]
    np.testing.assert_allclose(drawn, ends_s)


@pytest.mark.parametrize("word", [ANEW.word, IN_PIECES.word])
def test_gaps_between_passes_are_the_freezes_that_are_told(word: str) -> None:
    widest_s = np.diff(seats.pass_ends_s(served(word, BUDGET))).max()
    assert ladder.felt(word, BUDGET).freeze_s <= 1.05 * widest_s


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("budget", ladder.BUDGETS)
def test_as_many_texts_freeze_at_once_as_are_told(word: str, budget: str) -> None:
    felt, passes = ladder.felt(word, budget), served(word, budget).passes
    each_s = np.diff(seats.pass_ends_s(served(word, budget)), prepend=0)
    writing = np.repeat(passes["decode_seqs"].to_numpy(), passes["passes"])
    as_long = np.isclose(each_s, felt.freeze_s)
    if felt.num_frozen > 1:
        assert writing[as_long].max() >= felt.num_frozen
        assert as_long.sum() == 1


def test_nobody_ever_holds_more_than_is_told_and_fewer_sit_than_memory_takes() -> None:
    held = [served(word, budget).summary()["peak_kv_share"] for word in WORDS for budget in ladder.BUDGETS]
    assert ladder.peak_share() == max(held)
    assert most_seated("paged") > SEATS


def test_the_window_opens_on_the_longest_freeze_and_shows_it_whole() -> None:
    passes = served(ANEW.word).passes
    longest = passes.loc[passes["prefill_tokens"].idxmax()]
    assert longest["start_s"] > seats.WINDOW_AT_S
    assert longest["end_s"] < seats.WINDOW_AT_S + seats.WINDOW_MS / 1e3
    told = seats.seats_alt(FIXED.word, ANEW.word, BUDGET)
    assert f"the longest takes {ladder.felt(ANEW.word).freeze_s * 1e3:.0f} ms" in told


@pytest.mark.parametrize("word", WORDS)
def test_blame_adds_up_to_what_others_cost_a_customer(word: str) -> None:
    lateness = served(word, BUDGET).lateness()
    others_s = lateness[["queue_s", "others_prefill_s", "batch_s", "preempted_s"]].sum(axis=1)
    pairs = blamed.by_others(word, BUDGET)
    told_s = pairs.groupby("customer")["seconds"].sum().reindex(lateness.index + 1, fill_value=0)
    np.testing.assert_allclose(told_s, others_s, atol=1e-9)


def test_the_pointer_finds_for_whom_a_customer_waited() -> None:
    persons = waits.panel(FIXED.word, BUDGET, 0).to_pandas().query("kind == 'customer'")
    pairs = blamed.by_others(FIXED.word, BUDGET)
    worst = pairs[pairs["customer"] == 10].iloc[0]
    assert f"customers {worst['by']:.0f} ({worst['seconds']:.2f} s)" in persons["because"].iloc[9]
    assert persons["customer"].iloc[9] == f"10: {ladder.topics()[9]}"


def test_the_guessed_wait_is_an_empty_place_until_revealed() -> None:
    hidden = first_word.guess_lanes(Guess(3000, None, None, is_revealed=False)).to_pandas()
    assert set(hidden.query("lane == 1")["kind"]) == {"title", "empty", "note", "guess", "guess label left"}
    shown = first_word.guess_lanes(Guess(3000, 20, 3000, is_revealed=True)).to_pandas().query("lane == 1")
    assert {"word", "waits", "guess", "first guess"} <= set(shown["kind"])
    truth_ms = first_word.first_word_s(ANEW.word) * 1e3
    assert shown.query("kind == 'word'")["x"].iloc[0] == pytest.approx(truth_ms)
    assert f"{truth_ms:.0f} ms" not in first_word.guess_alt(NOTHING)
    assert len(first_word.guess_numbers(NOTHING)) == 1


def test_lines_of_steady_traffic_are_the_runs_and_cross_the_level_where_it_is_marked() -> None:
    frame = same_latency.curves().to_pandas()
    table = same_latency.curves_table()
    for kind, traffic in (("alike", same_latency.ALIKE), ("unequal", same_latency.UNEQUAL)):
        own_traffic = table[table["traffic"] == traffic]
        crossings = frame.query(f"kind == '{kind} crossing'")["x"].tolist()
        for word, crossing in zip((FIXED.word, ANEW.word), crossings, strict=True):
            own = own_traffic[own_traffic["scheduler"] == word]
            line = frame.query(f"kind == '{kind} {word}'")
            seen = own[own["median_token_ms"] <= same_latency.EDGE_MS]
            np.testing.assert_allclose(line["y"], seen["median_token_ms"])
            over = own[own["median_token_ms"] > same_latency.LEVEL_MS]["rate_per_s"].min()
            assert over - 0.25 <= crossing <= over
        assert f"× {crossings[1] / crossings[0]:.1f}" in frame["label"].tolist()
