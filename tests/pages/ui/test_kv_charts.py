"""Chapter 2's charts as values: no block is held by two, and what is drawn is what the engine holds."""

import re

import numpy as np
import pytest

from larkspur import load
from pages.ui import kv_card, kv_factors, kv_lengths, kv_seats, kv_waste, mini_cache, palette, parking
from pages.ui.charts import specification
from pages.ui.guess import Guess
from pages.ui.monday_memory import (
    EDGE_S,
    KINDS,
    LAYOUTS,
    RESERVED,
    done_s,
    held_at,
    monday_run,
    most_seated,
    num_blocks,
    rush_shares,
    seats_promised,
)
from pages.ui.parked import ROW, promised_strips, stays, strips
from pages.ui.served import server
from sim import MODELS, Settings, monday

CHARTS = [
    kv_seats.seats,
    kv_factors.kv_factors,
    kv_factors.kv_models,
    mini_cache.cache_held,
    kv_card.cards,
    parking.parking,
    kv_waste.seated,
    kv_waste.waste,
    kv_lengths.fits,
]
NOTHING = Guess(None, None, None, is_revealed=False)
MOMENTS_S = np.arange(0.05, EDGE_S, 0.35)


@pytest.mark.parametrize("make", CHARTS)
def test_every_layer_has_one_meaning_and_an_axis_title(make: object) -> None:
    spec = specification(make)  # type: ignore[arg-type]
    for layer in spec["layer"]:
        assert layer["encoding"]["color"]["scale"] == {"domain": list(palette.MEANINGS), "range": "category"}
        assert layer["mark"]["aria"] is False
    titles = {layer["encoding"]["x"].get("title") for layer in spec["layer"]} - {None}
    assert len(titles) == 1


@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_is_held_at_each_event_is_what_the_run_counted(layout: str) -> None:
    passes = monday_run(layout).passes
    held = held_at(layout, passes["start_s"].to_numpy())
    np.testing.assert_array_equal(held.tokens.sum(axis=0), passes["kv_tokens"])
    np.testing.assert_array_equal(held.blocks.sum(axis=0), passes["kv_blocks"])
    np.testing.assert_array_equal(held.waiting, passes["waiting"])


@pytest.mark.parametrize("layout", LAYOUTS)
def test_whoever_has_come_and_neither_sits_nor_is_done_waits_at_every_moment(layout: str) -> None:
    segments = monday_run(layout).segments
    waits = segments[segments["state"].isin(["waiting", "preempted"])]
    stand = (waits["start_s"].to_numpy()[:, None] <= MOMENTS_S) & (
        waits["end_s"].to_numpy()[:, None] > MOMENTS_S
    )
    np.testing.assert_array_equal(held_at(layout, MOMENTS_S).waiting, stand.sum(axis=0))


@pytest.mark.parametrize(
    ("layout", "at_s", "seated", "waiting"),
    [("exact", 5.0, 14, 10), ("Pow2", 5.0, 13, 11), ("Max", 5.0, 7, 15), ("Max", 2.5, 7, 9)],
)
def test_those_who_wait_are_counted_between_events_too(
    layout: str, at_s: float, seated: int, waiting: int
) -> None:
    held = held_at(layout, np.array([at_s]))
    assert (held.seated[0], held.waiting[0]) == (seated, waiting)
    table = parking.parking_numbers(layout, is_revealed=True).set_index("at_s")
    assert table.loc[at_s, f"{layout.lower()}_waiting_requests"] == waiting


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_request_ends_with_all_but_its_last_token_and_then_holds_nothing(layout: str) -> None:
    run, trace = monday_run(layout), monday()
    finish_s = run.requests["finish_s"].to_numpy()
    before, after = held_at(layout, finish_s - 1e-3), held_at(layout, finish_s + 1e-9)
    final = trace.prompt_tokens + trace.output_tokens - 1
    np.testing.assert_allclose(np.diag(before.tokens), final, atol=1)
    assert not np.diag(after.blocks).any()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_shares_of_the_memory_add_up_and_none_is_negative(layout: str) -> None:
    shares = rush_shares(layout)
    assert tuple(shares) == KINDS
    assert sum(shares.values()) == pytest.approx(1)
    assert min(shares.values()) >= 0
    assert done_s(layout) < EDGE_S


def filled_blocks(layout: str, at_s: float) -> dict[int, list[int]]:
    """Return the blocks that hold text at a moment, by request, as they are parked."""
    return {
        stay.request: [block for block, from_s in stay.filled if from_s <= at_s]
        for stay in stays(layout)
        if stay.from_s <= at_s < stay.to_s
    }


@pytest.mark.parametrize("layout", LAYOUTS)
def test_no_block_is_parked_on_by_two_and_each_request_has_the_runs_number(layout: str) -> None:
    held = held_at(layout, MOMENTS_S)
    for moment, at_s in enumerate(MOMENTS_S):
        parked = filled_blocks(layout, at_s)
        blocks = [block for mine in parked.values() for block in mine]
        assert len(blocks) == len(set(blocks))
        assert all(0 <= block < num_blocks() for block in blocks)
        assert set(parked) == set(np.flatnonzero(held.blocks[:, moment]))
        for request, mine in parked.items():
            tokens = held.tokens[request, moment]
            assert abs(len(mine) - -(-tokens // Settings().block_size)) <= 1
            if layout == "paged":
                assert len(mine) == held.blocks[request, moment]


@pytest.mark.parametrize("layout", RESERVED)
def test_promises_are_the_runs_pieces_and_never_overlap(layout: str) -> None:
    memory = (
        monday_run(layout).memory.query("blocks > 0").groupby("request")[["first_block", "blocks"]].first()
    )
    assert {stay.request: stay.promised for stay in stays(layout)} == {
        request: tuple(row) for request, row in zip(memory.index, memory.to_numpy().tolist(), strict=True)
    }
    for one in stays(layout):
        first, blocks = one.promised
        assert [block for block, _ in one.filled] == list(range(first, first + len(one.filled)))
        assert len(one.filled) <= blocks
        for other in stays(layout):
            if other.request != one.request and max(one.from_s, other.from_s) < min(one.to_s, other.to_s):
                assert other.promised[0] >= first + blocks or other.promised[0] + other.promised[1] <= first


@pytest.mark.parametrize("layout", LAYOUTS)
def test_strips_cover_the_blocks_and_stay_in_their_row(layout: str) -> None:
    for stay in stays(layout):
        drawn = strips(stay.filled)
        covered = [one.row * ROW + column for one in drawn for column in range(one.first, one.end)]
        assert sorted(covered) == sorted(block for block, _ in stay.filled)
        assert all(0 <= one.first < one.end <= ROW for one in drawn)
        promised = promised_strips(stay)
        assert sum((one.end - one.first) * one.rows for one in promised) == stay.promised[1]


def test_the_longest_promise_is_outlined_as_whole_rows() -> None:
    for stay in stays("Max"):
        (outline,) = promised_strips(stay)
        assert (outline.first, outline.end, outline.rows) == (0, ROW, Settings().max_model_len // (16 * ROW))


@pytest.mark.parametrize("reserved", RESERVED)
def test_the_car_park_counts_what_the_engine_holds_and_stays_small(reserved: str) -> None:
    frame = parking.car_park(reserved, is_revealed=True).to_pandas()
    counts = frame.query("kind == 'count'")
    for layout, half in zip((reserved, "paged"), np.split(counts["label"].to_numpy(), 2), strict=True):
        assert max(map(int, half)) <= most_seated(layout)
        np.testing.assert_array_equal(half.astype(int), held_at(layout, parking.moments_s()).seated)
    for now in (0.0, 3.0, parking.FIRST_S, 9.0):
        assert ((frame["from_s"] <= now) & (now < frame["to_s"])).sum() < 1000
    assert len(frame) < 3000


def test_before_the_guess_the_longest_reservation_is_an_empty_place() -> None:
    hidden = parking.car_park("Max", is_revealed=False).to_pandas()
    assert "promised" not in set(hidden["kind"])
    assert set(kv_waste.seated_lines("Max", is_revealed=False).to_pandas()["kind"]) == {
        "paged",
        "paged label",
    }
    assert "reserved" not in set(kv_lengths.fit_lines(500, is_revealed=False).to_pandas()["kind"])
    seats = kv_seats.seat_lanes(NOTHING).to_pandas().query("lane == 1")
    assert set(seats["kind"]) == {"title", "empty", "note"}
    labels = kv_card.card_lanes(16, is_revealed=False).to_pandas()["label"]
    assert not labels.str.contains("requests").any()
    assert not [name for name in parking.parking_numbers("Max", is_revealed=False) if name.startswith("max")]
    assert "Max" not in set(kv_waste.seats_numbers(is_revealed=False)["layout"])


@pytest.mark.parametrize("typed", [0, 7, 24, 1_000])
def test_a_guess_brings_the_places_that_fit(typed: int) -> None:
    frame = kv_seats.seat_lanes(Guess(typed, 70, typed, is_revealed=True)).to_pandas()
    assert len(frame.query("kind == 'seat' and lane == 1")) == seats_promised()


def test_as_many_fit_as_monday_seats_when_the_longest_is_promised() -> None:
    assert seats_promised() == most_seated("Max")


def test_the_factors_multiply_to_the_catalogs_bytes() -> None:
    table = kv_factors.factor_numbers()
    assert table["so_far_bytes"].iloc[-2] == server().model.kv_bytes_per_token()
    drawn = kv_factors.factor_lanes().to_pandas().query("kind == 'span'")
    np.testing.assert_array_equal(drawn["x_end"], table["so_far_bytes"])
    np.testing.assert_array_equal(drawn["x"][1:], table["so_far_bytes"][:-1])


def test_the_bars_of_models_are_the_catalogs_and_fall() -> None:
    sizes = kv_factors.model_lanes().to_pandas().query("kind == 'size'")["x_end"].to_numpy() * 1024
    wanted = sorted(
        (MODELS[key].kv_bytes_per_token() for key in kv_factors.SHOWN if key in MODELS), reverse=True
    )
    np.testing.assert_allclose(sizes, wanted)
    assert sizes.max() < kv_factors.EDGE_KB * 1024
    assert len(kv_factors.model_numbers()) == len(MODELS)


@pytest.mark.parametrize("weight_bits", [16, 8, 4])
def test_the_bars_of_cards_fill_the_card_and_leave_what_the_server_counts(weight_bits: int) -> None:
    frame = kv_card.card_lanes(weight_bits, is_revealed=True).to_pandas()
    for lane, one in enumerate(kv_card.servers().values()):
        bars = frame[(frame["lane"] == lane) & ~frame["kind"].isin(["title", "part"])]
        drawn = (bars["x_end"] - bars["x"]).sum() * kv_card.GB
        assert drawn == pytest.approx(one.accelerator.memory_bytes)
        kv = kv_card.parts_of(one, weight_bits)["KV"]
        label = frame[(frame["lane"] == lane) & (frame["kind"] == "part")]["label"].item()
        printed = [float(number) for number in re.findall(r"\d+\.\d", label)]
        if printed:  # else the weights leave no room
            assert sum(printed) == pytest.approx(
                round(one.accelerator.memory_bytes * one.gpu_memory_utilization / kv_card.GB, 1)
            )
        block = server().model.kv_bytes_per_token() * Settings().block_size
        assert int(kv // block) == one.num_blocks(Settings(weight_bits=weight_bits))


def test_minis_cache_is_what_its_arrays_hold() -> None:
    model = load("mini")
    own = model.new_cache()
    model.forward([1, 2, 3], own)
    held = own.keys[..., : own.length].nbytes + vars(own)["values"][..., : own.length, :].nbytes
    assert held == own.nbytes
    table = mini_cache.measured()
    assert table["cached_tokens"].tolist() == list(range(7, 14))
    assert (table["cache_bytes"] == table["cached_tokens"] * model.config.kv_bytes_per_token).all()
    drawn = mini_cache.cache_lanes().to_pandas()
    held_kb = drawn.query("kind == 'held'")["x_end"].to_numpy()
    np.testing.assert_allclose(held_kb * mini_cache.KB, table["cache_bytes"])
    assert set(drawn.query("kind == 'room'")["x_end"] * mini_cache.KB) == {mini_cache.room_bytes()}
    assert mini_cache.room_bytes() == model.config.n_ctx * model.config.kv_bytes_per_token


def test_the_paged_line_has_its_name_where_it_is_highest() -> None:
    at_s = np.array([kv_waste.plateau_s("paged")])
    assert held_at("paged", at_s).seated[0] == most_seated("paged")


@pytest.mark.parametrize("layout", RESERVED)
def test_the_reserved_lines_name_lies_under_both_lines(layout: str) -> None:
    name = kv_waste.seated_lines(layout, is_revealed=True).to_pandas().query("kind == 'reserved label'")
    near_s = np.linspace(name["x"].item() - 3, name["x"].item() + 3, 50)
    for drawn in (layout, "paged"):
        assert held_at(drawn, near_s).seated.min() >= name["y"].item()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_line_of_seats_changes_where_the_run_does(layout: str) -> None:
    at_s = kv_waste.change_s(layout)
    seated = held_at(layout, at_s).seated
    assert (np.diff(seated)[:-1] != 0).all()
    assert seated[-1] == 0


def test_the_last_block_wastes_less_than_a_block_each() -> None:
    held = held_at("paged", MOMENTS_S)
    rest = held.blocks * Settings().block_size - held.tokens
    assert (rest < Settings().block_size).all()
    assert (rest >= 0).all()
