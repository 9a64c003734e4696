"""How far to trust it: what it says of simulated and real servers is asserted here against both."""

import numpy as np
import pytest

from pages.ui import trust_passes, trust_sums, trust_what_if
from pages.ui.chapters import TRUST
from pages.ui.charts import specification
from pages.ui.frame import READERS
from pages.ui.served import costs, server
from pages.ui.trust_what_if import FIRST, FOUR, LONG, OFF, SHOWN, TOKEN
from sim import MEASURED_PASSES, Assumptions, Settings, lone_request, pass_time
from sim.recorded import RECORDED_RUNS
from sim.vllm_flags import RELEASE
from tests.pages.conftest import Open, key, words

PATH = TRUST.path
LAST_LINES = {"Product manager": "Ask your team", "Analyst": "Look at column", "Engineer": "The flag is"}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("shown", SHOWN)
def test_every_reading_with_every_result(open_page: Open, reader: str, shown: str) -> None:
    at = open_page(PATH, reader=reader, changes=shown)
    assert {name for name, line in LAST_LINES.items() if line in words(at)} == {reader}
    assert at.session_state["link.next"]["changes"] == shown
    assert "{{" not in words(at)


@pytest.mark.slow
def test_nonsense_in_the_link_is_said_and_survived(open_page: Open) -> None:
    at = open_page(PATH, changes="<b>everything</b>")
    assert "expected one of “first token" in at.warning[0].value
    assert at.segmented_control(key(PATH, "changes")).value == FIRST


def test_reset_puts_the_result_back(open_page: Open) -> None:
    at = open_page(PATH, changes=LONG)
    at.button(key(PATH, "reset")).click().run()
    assert at.session_state["link.next"]["changes"] == FIRST


def test_what_the_page_says_of_the_recorded_run_is_what_was_computed(open_page: Open) -> None:
    said = words(open_page(PATH))
    assert "| unit costs that came with the recording | +1.61 | -0.23 | +1.15 |" in said
    assert "within 1.61 % of the recorded means, and fitted within 0.54 %" in said
    assert "predicts the rest within 1.27 %" in said
    assert "186 preemptions with the unit costs that came with it, 180 with the fitted ones" in said
    assert "quoted from our own benchmark run** of November 30, 2026" in said


def test_what_nothing_backs_and_what_is_left_out_is_named(open_page: Open) -> None:
    said = words(open_page(PATH))
    for missing in ("swapping", "guessing ahead", "older schedulers", "Prefix caching", "several turns"):
        assert missing in said
    for missing in ("reserved memory", "fewer bits", "several cards", "`cached_tokens`"):
        assert missing in said
    for missing in ("tensor parallelism", "disaggregation", "Priorities", "Padding"):
        assert missing in said


def test_every_assumption_is_on_the_page_with_its_value(open_page: Open) -> None:
    said = words(open_page(PATH))
    assumed, card = server().assumptions, server().accelerator
    assert f"Share of the bandwidth, {assumed.bandwidth_share * 100:.0f} %" in said
    assert f"Share of the arithmetic, {assumed.flops_share * 100:.0f} %" in said
    assert f"Overlap, {assumed.overlap * 100:.0f} %" in said
    assert f"{assumed.activation_bytes / 2**30:.1f} GB of the card's memory are set aside" in said
    assert f"carries {card.link_bytes_per_s / 1e9:g} billion bytes a second" in said
    assert f"{Settings().acceptance_rate * 100:.0f} % of a draft model's guesses are right" in said
    assert f"an example price ({card.price_per_hour:g} dollars)" in said


def test_both_published_sets_and_the_recorded_run_are_among_the_sources(open_page: Open) -> None:
    (fold,) = (one for one in open_page(PATH).expander if one.label == "Sources")
    listed = "\n".join(one.value for one in fold.markdown)
    for one in (*MEASURED_PASSES.values(), *RECORDED_RUNS.values()):
        assert f"{one.name}: {one.source}" in listed


def test_writing_is_assumed_too_fast_and_long_prompts_too_slow_against_distserve() -> None:
    for name in trust_passes.PUBLISHED:
        assert trust_passes.gap(name, "writes").high < 0
        assert trust_passes.times_s("reads")["assumed here"][0] < trust_passes.times_s("reads")[name][0]
    assert trust_passes.gap("DistServe 2024", "reads").high > 0.2
    times = trust_passes.times_s("reads")
    assert times["assumed here"][-1] > 1.2 * times["DistServe 2024"][-1]


def test_the_roofline_is_below_every_other_source() -> None:
    for does in ("reads", "writes"):
        times = dict(trust_passes.times_s(does))  # type: ignore[arg-type]
        lowest = times.pop("roofline")
        assert all((lowest < seconds).all() for seconds in times.values())


def test_no_error_named_as_the_largest_is_exceeded_by_another() -> None:
    worst = max(abs(error) for tried in trust_sums.RUN.tries for error in tried.errors_percent)
    told = float(trust_sums.figures()["counted_worst"].rstrip("%"))
    assert worst <= told + 0.5
    for name in ("given", "fitted", "others"):
        errors = trust_sums.RUN.tries[trust_sums.TRIED[name]].errors_percent
        assert max(map(abs, errors)) <= float(trust_sums.figures()[f"{name}_worst"].rstrip("%"))
    for does in ("reads", "writes"):
        for name in trust_passes.PUBLISHED:
            between = trust_passes.gap(name, does)  # type: ignore[arg-type]
            assert max(abs(between.low), abs(between.high)) * 100 <= told


def test_the_lines_are_what_server_and_fits_give() -> None:
    frame = trust_passes.lines("writes").to_pandas()
    batch = 94
    ours = frame.query("kind == 'assumed'").set_index("x")["y"][batch]
    expected = pass_time(costs(), float(batch), float(batch * trust_passes.TEXT_SO_FAR), 0.0).total_s
    assert ours == pytest.approx(expected * 1e3)
    theirs = frame.query("kind == 'engine'").set_index("x")["y"][batch]
    fit = MEASURED_PASSES["distserve-engine"]
    assert theirs == pytest.approx(fit.decode_s(batch, batch * trust_passes.TEXT_SO_FAR) * 1e3)
    read = trust_passes.lines("reads").to_pandas().query("kind == 'assumed'")
    np.testing.assert_allclose(read["y"].iloc[-1], lone_request(costs(), 2048, 1).ttft_s * 1e3)


def test_the_table_of_unit_costs_is_what_each_source_says() -> None:
    table = trust_passes.unit_costs().set_index("what")
    fit, unit = MEASURED_PASSES["vllm-engine-2023"], costs()
    token, pair = table.loc["a token of a prompt"], table.loc["a pair of prompt tokens"]
    assert token["assumed_us"] == pytest.approx(unit.token_s * 1e6)
    assert token["vllm_us"] == pytest.approx(fit.prefill_ms[1] * 1e3)
    n = 1000
    square_ms = fit.prefill_s(n) * 1e3 - fit.prefill_ms[0] - fit.prefill_ms[1] * n
    assert pair["vllm_us"] * n * n / 2 == pytest.approx(square_ms * 1e3)
    writes = table.loc["fixed part and weights, of a pass that writes"]
    assert writes["roofline_us"] < writes["assumed_us"] < min(writes["engine_us"], writes["vllm_us"])
    assert token["other_model_and_card_us"] == pytest.approx(73.8)


@pytest.mark.parametrize("shown", SHOWN)
def test_changed_assumptions_are_the_example_computed_anew(shown: str) -> None:
    table = trust_what_if.numbers_of(shown)
    assert len(table) == 2 * len(FOUR)
    prompt, reply = (trust_what_if.LETTER if shown == LONG else 7), 7
    for name, (less_ms, more_ms) in zip(FOUR, table["result_ms"].to_numpy().reshape(-1, 2), strict=True):
        for times, told_ms in ((1 - OFF, less_ms), (1 + OFF, more_ms)):
            alone = lone_request(trust_what_if.costs_with(name, times), prompt, reply)
            computed_s = alone.decode_s / 6 if shown == TOKEN else alone.ttft_s
            assert told_ms == pytest.approx(computed_s * 1e3)


def test_a_share_is_never_more_than_all_of_it() -> None:
    bandwidth = FOUR[0]
    assert trust_what_if.changed(bandwidth, 1 + OFF) == 1.0
    assert trust_what_if.changed(bandwidth, 1 - OFF) == pytest.approx(0.68)
    assert {one.name for one in FOUR} == set(vars(Assumptions())) - {"activation_bytes"}
    assert trust_what_if.value_of(bandwidth) == server().assumptions.bandwidth_share


def test_the_short_results_hang_on_bandwidth_and_the_long_letter_on_arithmetic() -> None:
    assert trust_what_if.widest(FIRST)[0] == trust_what_if.widest(TOKEN)[0] == FOUR[0]
    assert trust_what_if.widest(LONG)[0] == FOUR[1]
    assert trust_what_if.widest(FIRST)[1] == pytest.approx(trust_what_if.widest(TOKEN)[1], abs=0.01)


@pytest.mark.parametrize("shown", SHOWN)
def test_every_bar_stays_in_the_picture_and_is_labeled(shown: str) -> None:
    frame = trust_what_if.lanes(shown).to_pandas()
    low, high = specification(trust_what_if.what_if)["layer"][0]["encoding"]["x"]["scale"]["domain"]
    assert frame[["x", "x_end"]].to_numpy().min() >= low
    assert frame[["x", "x_end"]].to_numpy().max() <= high
    assert trust_what_if.signed(0.04) == ""
    assert len(trust_what_if.alt_of(shown)) > 100


def test_each_version_of_vllm_is_told_with_what_it_is_the_version_of(open_page: Open) -> None:
    said = words(open_page(PATH))
    assert "vLLM 0.19 is the server" in said
    assert "chapter 3 cites is documentation of version 0.17.1; and" in said
    assert f"{RELEASE.version} was the newest release" in said


def test_the_sum_of_the_published_sets_has_their_numbers_as_terms() -> None:
    told = dict(trust_sums.published().values)
    for name, source in trust_passes.PUBLISHED.items():
        fixed, token, pair = MEASURED_PASSES[source].prefill_ms
        assert told[f"{name}: read n tokens, ms"] == f"{fixed:.3g} + {token:.3g} n + {pair:.3g} n²"
