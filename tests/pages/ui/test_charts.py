"""The charts as values: what is drawn is what the server computes."""

import tomllib
from collections.abc import Callable
from importlib import import_module
from inspect import isfunction, signature
from pkgutil import iter_modules

import numpy as np
import pytest

import pages.ui
from pages.ui import (
    batch_guess,
    bits_batch,
    bits_cliff,
    bits_layers,
    bits_quoted,
    bits_seats,
    cap_waits,
    cards_front,
    draft_guess,
    draft_monday,
    draft_rate,
    draft_server,
    draft_token,
    first_word,
    knobs_mattered,
    monday_counts,
    monday_guess,
    monday_lanes,
    monday_load,
    palette,
    pass_parts,
    prompt_lengths,
    same_latency,
    seats,
    target_box,
    timeline,
    trade_chart,
    trust_passes,
    trust_what_if,
    waits,
)
from pages.ui.chapters import ROOT
from pages.ui.charts import TEXT_SIZE, Chart, specification
from pages.ui.guess import Guess
from pages.ui.lone_figures import token_costs_s, verdict
from pages.ui.mini import example
from pages.ui.mini_passes import pass_times
from pages.ui.served import costs, server
from sim import Settings, lone_passes, lone_request, pass_time, reading_breaks_even

CHARTS = [
    timeline.timeline,
    timeline.short_timeline,
    pass_parts.where_time_goes,
    prompt_lengths.lengths,
    pass_times,
    first_word.first_words,
    waits.waits,
    seats.seats,
    same_latency.same_latency,
    batch_guess.each_of_many,
    trade_chart.trade,
    trade_chart.trade_alone,
    trade_chart.monday_trade,
    cap_waits.waits_by_cap,
    draft_guess.ten_passes,
    draft_rate.tokens_by_guesses,
    draft_token.one_token,
    draft_server.pace_by_batch,
    draft_monday.per_token,
    bits_cliff.cliff,
    bits_layers.layer_chart,
    bits_seats.seats_chart,
    bits_quoted.quoted_chart,
    bits_quoted.weighed_chart,
    bits_batch.batch_chart,
    target_box.target_box,
    monday_lanes.timeline,
    monday_load.load,
    monday_guess.one_change,
    monday_counts.counts,
    knobs_mattered.lost,
    cards_front.front,
    trust_passes.reads_chart,
    trust_passes.writes_chart,
    trust_what_if.what_if,
]
LETTER = 700
NOTHING = Guess(None, None, None, is_revealed=False)


@pytest.mark.parametrize("make", CHARTS)
def test_every_layer_has_one_meaning_and_an_axis_title_with_its_unit(make: object) -> None:
    spec = specification(make)  # type: ignore[arg-type]
    for layer in spec["layer"]:
        assert layer["encoding"]["color"]["scale"] == {"domain": list(palette.MEANINGS), "range": "category"}
        assert layer["mark"]["aria"] is False
    titles = {layer["encoding"]["x"].get("title") for layer in spec["layer"] if "x" in layer["encoding"]} - {
        None
    }
    assert len(titles) == 1


def makers() -> dict[str, Callable[[], Chart]]:
    """Return every function of the pages that makes a chart, by its name."""
    modules = [import_module(f"pages.ui.{found.name}") for found in iter_modules(pages.ui.__path__)]
    return {
        f"{module.__name__}.{name}": make
        for module in modules
        for name, make in vars(module).items()
        if isfunction(make)
        and make.__module__ == module.__name__
        and not signature(make).parameters
        and signature(make).return_annotation in (Chart, "Chart")
    }


def test_the_pointer_is_never_told_raw_rows_of_a_table() -> None:
    assert {name.rpartition(".")[2] for name in makers()} >= {make.__name__ for make in CHARTS}
    for name, make in makers().items():
        for layer in specification(make)["layer"]:
            made = layer["encoding"].get("tooltip", [])
            for said in made if isinstance(made, list) else [made]:
                title = said.get("title", said["field"])
                assert " " in title or (title.islower() and "_" not in title), name
            marks = [layer["mark"], layer["mark"].get("point")]
            assert made or all(mark["tooltip"] is None for mark in marks if mark), name


def test_the_theme_has_a_color_for_every_meaning_in_light_and_dark() -> None:
    theme = tomllib.loads((ROOT / ".streamlit/config.toml").read_text())["theme"]
    for look in ("light", "dark"):
        assert len(theme[look]["chartCategoricalColors"]) == len(palette.MEANINGS)


def test_ticks_stand_where_passes_end_and_the_block_ends_at_the_first() -> None:
    frame = timeline.request_lanes(LETTER, 7).to_pandas()
    ends_ms = lone_passes(costs(), LETTER, 7)["end_s"].to_numpy() * 1e3
    np.testing.assert_allclose(frame.query("kind == 'write'")["x"], ends_ms)
    np.testing.assert_allclose(frame.query("kind == 'read'")["x_end"], ends_ms[:1])


@pytest.mark.parametrize(("prompt_tokens", "output_tokens"), [(1, 1), (1, 512), (2047, 1), (1536, 512)])
def test_tokens_beyond_the_edge_are_counted_there(prompt_tokens: int, output_tokens: int) -> None:
    frame = timeline.request_lanes(prompt_tokens, output_tokens).to_pandas()
    beyond = frame.query("kind == 'edge'")["label"]
    told = int(beyond.iloc[0].split()[0].replace(",", "")) if len(beyond) else 0
    assert len(frame.query("kind == 'write'")) + told == output_tokens
    assert frame[["x", "x_end"]].to_numpy().max() <= timeline.EDGE_MS


def test_the_long_letter_is_an_empty_place_until_revealed() -> None:
    hidden = timeline.guess_lanes(Guess(1600, None, None, is_revealed=False), LETTER).to_pandas()
    assert set(hidden.query("lane == 1")["kind"]) == {"title", "empty", "note", "guess", "guess label left"}
    shown = (
        timeline.guess_lanes(Guess(1600, 20, 1600, is_revealed=True), LETTER).to_pandas().query("lane == 1")
    )
    assert {"read", "write", "guess", "first guess"} <= set(shown["kind"])
    truth_ms = lone_request(costs(), LETTER, 1).ttft_s * 1e3
    assert shown.query("kind == 'read'")["x_end"].iloc[0] == pytest.approx(truth_ms)


def test_the_line_that_counts_strikes_no_guess() -> None:
    for layer in specification(timeline.timeline)["layer"]:
        if layer["encoding"]["x"]["field"] == "at" and layer["mark"]["type"] != "text":
            low = layer["mark"]["yOffset"] + layer["mark"]["height"] / 2
            assert low < timeline.LANES.guess_dy - TEXT_SIZE / 2
            break
    else:
        pytest.fail("expected a layer with the line")


@pytest.mark.parametrize("prompt_tokens", [1, 7, 99, 100, 101, 700, 2047])
def test_the_parts_of_a_pass_fill_it_and_what_hides_lies_under_the_longer(prompt_tokens: int) -> None:
    frame = pass_parts.parts_lanes(prompt_tokens).to_pandas().query("kind not in ('title', 'part')")
    for lanes, time in zip(((0, 1), (2, 3)), pass_parts.two_passes(prompt_tokens), strict=True):
        bars = frame[frame["lane"].isin(lanes)]
        lengths_s = (bars["x_end"] - bars["x"]) / 100 * time.total_s
        hidden = bars["kind"].str.startswith("hidden")
        assert bars["x"].min() == 0
        assert bars["x_end"].max() == pytest.approx(100)
        assert lengths_s.sum() - time.hidden_s == pytest.approx(time.total_s)
        assert lengths_s[hidden].sum() == pytest.approx(time.hidden_s)
        for _, lane in bars.groupby("lane"):
            ordered = lane.sort_values("x")
            assert (ordered["x"].to_numpy()[1:] >= ordered["x_end"].to_numpy()[:-1] - 1e-9).all()


def test_the_first_token_waits_for_long_prompts_and_the_pace_stays_flat() -> None:
    swept = prompt_lengths.sweep()
    assert swept["first_token_ms"].is_monotonic_increasing
    assert swept["first_token_ms"].iloc[-1] > 10 * swept["first_token_ms"].iloc[0]
    assert swept["next_token_ms"].iloc[-1] < 1.1 * swept["next_token_ms"].iloc[0]


def test_up_to_the_marked_length_the_overlap_hides_its_share_of_a_token() -> None:
    before_s, after_s, last_s = token_costs_s()
    assert before_s < (1 - costs().overlap) * 1.1 * after_s
    assert after_s < last_s
    even = reading_breaks_even(costs())
    assert even is not None
    for prompt_tokens, is_longer in ((even - 1, False), (even, True)):
        read, _ = pass_parts.two_passes(prompt_tokens)
        assert (read.arithmetic_s > read.weight_read_s + read.kv_read_s) == is_longer


def test_a_short_pass_is_mostly_fetching_and_fewer_bits_shorten_every_pass() -> None:
    read, write = pass_parts.two_passes(example().prompt_tokens)
    assert read.weight_read_s > 0.9 * read.total_s
    assert write.weight_read_s > 0.9 * write.total_s
    few = server().unit_costs(Settings(weight_bits=4))
    assert lone_request(few, 7, 100).decode_s < 0.5 * lone_request(costs(), 7, 100).decode_s


def test_more_customers_in_a_pass_make_it_longer_for_each() -> None:
    assert pass_time(costs(), 2.0, 1000.0, 0.0).total_s > pass_time(costs(), 1.0, 500.0, 0.0).total_s


def test_a_longer_reply_changes_only_the_time_after_the_first_token() -> None:
    once, twice = (lone_request(costs(), example().prompt_tokens, n) for n in (100, 200))
    assert once.ttft_s == twice.ttft_s
    assert twice.e2e_s > 1.9 * once.e2e_s


def test_many_times_the_tokens_are_fewer_times_the_wait() -> None:
    short, long = (lone_request(costs(), n, 1).ttft_s for n in (example().prompt_tokens, LETTER))
    assert long / short < LETTER / example().prompt_tokens / 5


def test_before_the_guess_no_chart_or_sentence_tells_the_truth() -> None:
    truth = f"{lone_request(costs(), LETTER, 1).ttft_s * 1e3:.0f}"
    told = timeline.guess_alt(NOTHING, LETTER) + prompt_lengths.lengths_alt(7, is_revealed=False)
    assert truth not in told
    assert set(prompt_lengths.lengths_lines(7, is_revealed=False).to_pandas()["kind"]) == {"pace", "label"}


@pytest.mark.parametrize(
    ("guessed_ms", "passage"), [(1600, "over"), (137, "over"), (120, "close"), (100, "close"), (60, "under")]
)
def test_a_guess_is_answered_by_how_it_is_off(guessed_ms: int, passage: str) -> None:
    assert verdict(guessed_ms, LETTER) == f"guess.{passage}"
