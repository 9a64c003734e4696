"""Real servers: a recorded vLLM run beside its simulation, and pass times that others have published."""

import json

import pytest

from benchmarks.recorded import GIVEN, MEASURES, RUN, SHARED, counted_passes, reasons, recorded_run, tries
from sim import ACCELERATORS, MEASURED_PASSES, MODELS
from sim.recorded import RECORDED_RUNS

needs_run = pytest.mark.skipif(not RUN.exists(), reason="the recorded run is not here")
FITS = SHARED / "opt13b_a100_80gb_fits.json"


@needs_run
def test_the_recorded_times_are_those_that_were_told_with_them():
    told = json.loads((RUN / "about.json").read_text(encoding="utf-8"))["measured"]
    means = recorded_run().times.mean()
    assert means["ttft_s"] == pytest.approx(told["ttft_mean_s"], abs=1e-4)
    assert means["tpot_s"] * 1e3 == pytest.approx(told["tpot_mean_ms"], abs=0.06)
    assert means["e2e_s"] == pytest.approx(told["e2e_mean_s"], abs=1e-4)


@needs_run
def test_costs_that_came_with_the_run_reproduce_its_means_and_preemptions(record_property):
    errors = recorded_run().errors(GIVEN)
    record_property("errors with the costs that came with the recorded run", told(errors))
    assert all(abs(errors[name]) < 0.03 for name in MEASURES)
    assert errors["preemptions"] == pytest.approx(180, rel=0.1)


@needs_run
def test_a_fit_of_four_numbers_reproduces_the_means(record_property):
    run = recorded_run()
    errors = run.errors(run.fitted())
    record_property("errors of a fit to the recorded run", told(errors))
    assert all(abs(errors[name]) < 0.015 for name in MEASURES)
    assert errors["preemptions"] == pytest.approx(180, rel=0.1)


@needs_run
def test_a_fit_to_the_first_half_predicts_the_other(record_property):
    run = recorded_run()
    fitted = run.fitted(150)
    record_property(
        "errors of a fit to the first 150 requests, on these", told(run.errors(fitted, slice(150)))
    )
    errors = run.errors(fitted, slice(150, None))
    record_property("errors of that fit on the other 150, predicted", told(errors))
    assert all(abs(errors[name]) < 0.1 for name in MEASURES)  # a prediction may be wrong, but not absurd


@needs_run
def test_the_catalog_of_recorded_runs_holds_what_the_benchmark_computes():
    run, kept = recorded_run(), RECORDED_RUNS["vllm-rtx4090"]
    assert len(run.trace) == kept.requests
    means = run.times.mean()
    for name in MEASURES:
        assert getattr(kept, name) == pytest.approx(means[name], rel=2e-3)
    computed = list(tries(run))
    assert [(costs, of) for costs, of, _ in computed] == [(tried.costs, tried.of) for tried in kept.tries]
    for tried, (_, _, errors) in zip(kept.tries, computed, strict=True):
        *shares, preemptions = errors.values()
        assert tried.errors_percent == pytest.approx([100 * share for share in shares], abs=0.1)
        assert tried.preemptions == pytest.approx(preemptions, abs=3)
    fitted = run.fitted()
    for name in ("pass_s", "token_s", "kv_token_s", "pair_s"):
        assert getattr(kept.fitted, name) == pytest.approx(getattr(fitted, name), rel=0.02)


def test_every_recorded_run_says_where_it_is_published_and_what_computes_its_rows():
    for run in RECORDED_RUNS.values():
        assert "https://" in run.source
        assert run.command == "python -m benchmarks.recorded"
        assert run.day >= run.checked


def told(errors):
    shares = ", ".join(f"{name} {errors[name]:+.2%}" for name in MEASURES)
    return f"{shares}, {errors['preemptions']:.0f} preemptions"


@pytest.mark.skipif(not FITS.exists(), reason="the published fits are not here")
def test_the_catalog_holds_the_published_fits():
    published = json.loads(FITS.read_text(encoding="utf-8"))
    for key, name in (("distserve-engine", "distserve_engine"), ("vllm-engine-2023", "vllm_engine_2023")):
        ours, theirs = MEASURED_PASSES[key], published[name]
        assert list(ours.prefill_ms) == theirs["prefill"]
        assert list(ours.decode_ms) == theirs["decoding_smallbs"]
        assert list(ours.decode_many_ms) == theirs["decoding_largebs"]
        assert ours.many == theirs["decoding_large_small_bs_threshold"]


@pytest.mark.parametrize("key", MEASURED_PASSES)
def test_every_fit_is_of_the_catalog_and_has_its_source(key):
    measured = MEASURED_PASSES[key]
    assert measured.model in MODELS
    assert measured.accelerator in ACCELERATORS
    assert "https://arxiv.org/abs/2401.09670" in measured.source
    assert measured.scaled


def test_published_seconds_follow_from_the_fits():
    measured = MEASURED_PASSES["distserve-engine"]
    assert measured.prefill_s(1000) == pytest.approx((18.1025 + 101.9123 + 7.1223) / 1e3, rel=1e-5)
    assert measured.decode_s(10, 5000) == pytest.approx((19.9347 + 3.13468 + 0.38507) / 1e3, rel=1e-5)
    assert measured.decode_s(100, 5000) == pytest.approx((7.16619 + 2.899 + 15.8311) / 1e3, rel=1e-5)


def test_counted_passes_are_within_a_factor_of_two_of_the_published_ones_and_every_reason_has_numbers():
    rows = list(counted_passes())
    assert len(rows) > 5
    for name, counted_s, published_s in rows:
        assert all(0.5 < counted_s / each < 2 for each in published_s), name
    assert all(any(letter.isdigit() for letter in reason) for reason in reasons())
