"""Fitting unit costs to recorded times: what made them comes back, and wrong input is a sentence."""

import threading
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from sim import CancelledError, Settings, Trace, UnitCosts, fit_costs, larkspur_server, monday, simulate
from sim.simplex import lowest_point

TRUE = UnitCosts(pass_s=0.02, token_s=9e-5, kv_token_s=6e-7, pair_s=4e-9)
NAMES = ["ttft_s", "tpot_s", "e2e_s"]


def recorded(trace, server=None, settings=None):
    server = replace(larkspur_server() if server is None else server, costs=TRUE)
    return simulate(trace, server, Settings() if settings is None else settings).requests[NAMES]


def test_the_simplex_finds_the_lowest_point_of_a_valley():
    def valley(point):
        return (1 - point[0]) ** 2 + 100 * (point[1] - point[0] ** 2) ** 2

    found = lowest_point(valley, np.array([-1.2, 1.0]), step=0.5, evaluations=300)
    assert found == pytest.approx([1.0, 1.0], abs=1e-3)


def test_the_simplex_keeps_its_start_where_nothing_is_lower():
    start = np.array([3.0, -2.0])
    assert list(
        lowest_point(lambda point: float((point != start).any()), start, step=1.0, evaluations=50)
    ) == [
        3.0,
        -2.0,
    ]


def test_costs_that_made_the_times_are_found_again():
    trace = Trace.steady(rate_per_s=1.0, num_requests=120, like=monday(), seed=3)
    found = fit_costs(trace, larkspur_server(), Settings(), recorded(trace))
    again = simulate(trace, replace(larkspur_server(), costs=found), Settings()).requests
    for name, column in recorded(trace).items():
        assert again[name].mean() == pytest.approx(column.mean(), rel=0.005)
    np.testing.assert_allclose(again["e2e_s"], recorded(trace)["e2e_s"], rtol=0.1)
    assert found.pass_s == pytest.approx(TRUE.pass_s, rel=0.1)
    assert found.token_s == pytest.approx(TRUE.token_s, rel=0.1)
    assert (found.weight_s, found.overlap) == (0, 0)


def test_requests_without_times_are_served_but_not_compared():
    trace = Trace([0.0, 0.0, 0.0], [100, 300, 500], [20, 40, 1])
    measured = recorded(trace)
    wrong = measured.copy()
    wrong.loc[0, NAMES] = 1e6
    unknown = measured.copy()
    unknown.loc[0, NAMES] = np.nan
    few = {"evaluations": 80}
    fits = [
        fit_costs(trace, larkspur_server(), Settings(), each, **few) for each in (measured, unknown, wrong)
    ]
    assert fits[1].pass_s < 1 < fits[2].pass_s
    assert fits[0].pass_s < 1
    alone = Trace([0.0, 0.0], [300, 500], [40, 1])
    assert fits[1] != fit_costs(alone, larkspur_server(), Settings(), measured[1:], **few)


def test_the_same_inputs_give_the_same_costs():
    trace, server = Trace([0.0, 0.1], [100, 300], [20, 40]), larkspur_server()
    fits = [fit_costs(trace, server, Settings(), recorded(trace), evaluations=40) for _ in range(2)]
    assert fits[0] == fits[1]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda frame: frame[["ttft_s"]], "expected columns ttft_s, tpot_s, e2e_s"),
        (lambda frame: frame[:1], "a row for each of 2 requests"),
        (lambda frame: frame * np.nan, r"measured\['ttft_s'\]: expected some seconds above 0"),
        (lambda frame: -frame, r"measured\['ttft_s'\]: expected seconds"),
        (lambda frame: frame * np.inf, r"measured\['ttft_s'\]: expected seconds"),
        (lambda frame: frame.to_numpy(), "measured: expected an instance of DataFrame"),
        (lambda frame: frame * 1e-320, r"measured\['ttft_s'\]: expected some seconds above 0"),
        (lambda frame: frame.assign(e2e_s=1e300), r"measured\['e2e_s'\]: expected seconds from 0 to"),
        (lambda frame: frame.assign(tpot_s=0), r"measured\['tpot_s'\]: expected some seconds above 0"),
        (lambda frame: frame.assign(e2e_s="x"), r"measured\['e2e_s'\]: expected numbers of seconds, got str"),
        (lambda frame: frame.assign(e2e_s=1j), "expected numbers of seconds, got complex128"),
        (
            lambda frame: frame.assign(e2e_s=pd.to_timedelta(frame["e2e_s"], unit="s")),
            "expected numbers of seconds, got timedelta64",
        ),
        (
            lambda frame: pd.concat([frame, frame], axis=1),
            "expected columns ttft_s, tpot_s, e2e_s, each once, .* got ttft_s, tpot_s, e2e_s, ttft_s",
        ),
    ],
)
def test_wrong_times_are_named(change, words):
    trace = Trace([0.0, 0.1], [100, 300], [20, 40])
    with pytest.raises(ValueError, match=words):
        fit_costs(trace, larkspur_server(), Settings(), change(recorded(trace)))


def test_only_runs_at_16_bits_are_fitted():
    trace = Trace([0.0], [100], [20])
    with pytest.raises(ValueError, match="settings: expected 16 bits"):
        fit_costs(trace, larkspur_server(), Settings(kv_bits=8), recorded(trace))


def test_a_measured_request_that_the_server_would_reject_is_named():
    trace = Trace([0.0, 0.1], [100, 3000], [20, 40])
    measured = pd.DataFrame({name: [1.0, 1.0] for name in NAMES})
    with pytest.raises(ValueError, match="got 1 that it rejects, the first in row 1"):
        fit_costs(trace, larkspur_server(), Settings(), measured)


def test_replies_of_one_token_alone_cannot_be_fitted():
    trace = Trace([0.0, 0.1], [100, 300], [1, 1])
    measured = pd.DataFrame({name: [1.0, 1.0] for name in NAMES})
    with pytest.raises(ValueError, match="TPOT: of replies of two tokens or more"):
        fit_costs(trace, larkspur_server(), Settings(), measured)


def test_what_is_missing_may_be_said_in_pandas_words():
    trace = Trace([0.0, 0.1], [100, 300], [20, 40])
    measured = recorded(trace)
    fits = [
        fit_costs(trace, larkspur_server(), Settings(), measured.assign(ttft_s=column), evaluations=20)
        for column in (
            [0.5, np.nan],
            pd.Series([0.5, pd.NA], dtype="object"),
            pd.array([0.5, None], dtype="Float64"),
        )
    ]
    assert fits[0] == fits[1] == fits[2]


def test_a_cost_that_starts_at_nothing_is_found_too():
    trace = Trace.steady(rate_per_s=1.0, num_requests=60, like=monday(), seed=3)
    start = replace(larkspur_server(), costs=UnitCosts(0.01, 0, 0, 0))
    found = fit_costs(trace, start, Settings(), recorded(trace), evaluations=600)
    assert found.token_s == pytest.approx(TRUE.token_s, rel=0.15)
    assert found.kv_token_s > 1e-8


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"trace": None}, "trace: expected an instance of Trace"),
        ({"server": None}, "server: expected an instance of Server"),
        ({"settings": None}, "settings: expected an instance of Settings"),
        ({"cancel": True}, "cancel: expected a threading.Event"),
        ({"evaluations": 10**9}, "evaluations: expected a whole number from 1 to 100,000"),
    ],
)
def test_what_cannot_be_fitted_with_is_named(wrong, words):
    trace = Trace([0.0], [100], [20])
    right = {
        "trace": trace,
        "server": larkspur_server(),
        "settings": Settings(),
        "measured": recorded(trace),
    }
    with pytest.raises(ValueError, match=words):
        fit_costs(**(right | wrong))


def test_a_fit_can_be_given_up():
    cancel = threading.Event()
    cancel.set()
    trace = Trace([0.0], [100], [20])
    with pytest.raises(CancelledError):
        fit_costs(trace, larkspur_server(), Settings(), recorded(trace), cancel=cancel)
