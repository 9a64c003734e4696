"""The engine against the stepped oracle: every time of every request, on cases of every combination."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim import Settings, larkspur_server, monday, simulate
from sim.settings import KV_LAYOUTS, SCHEDULERS
from tests.sim.cases import Case, cases
from tests.sim.oracle import oracle

TIMES = ("admitted_s", "first_token_s", "finish_s")


def agree(case: Case) -> None:
    """Fail unless engine and oracle tell the same of every request."""
    told, stepped = (
        simulate(case.trace, case.server, case.settings).requests,
        oracle(case.trace, case.server, case.settings),
    )
    assert list(told["status"]) == list(stepped.status)
    assert list(told["preemptions"]) == list(stepped.preemptions)
    for name in TIMES:
        expected = np.array(
            [np.nan if at_s is None else at_s for at_s in getattr(stepped, name)], dtype=np.float64
        )
        np.testing.assert_allclose(told[name].to_numpy(), expected, rtol=1e-9, atol=0, err_msg=name)
    gaps = [np.diff(times).max() if len(times) > 1 else np.nan for times in stepped.token_times]
    np.testing.assert_allclose(told["longest_gap_s"].to_numpy(), gaps, rtol=1e-9, atol=1e-12)


@given(cases(preemption="recompute"))
def test_recompute(case: Case) -> None:
    agree(case)


@given(cases(preemption="none"))
def test_none(case: Case) -> None:
    agree(case)


@given(cases(preemption="swap"))
def test_swap(case: Case) -> None:
    agree(case)


@pytest.mark.parametrize("scheduler", SCHEDULERS)
@given(data=st.data())
def test_swap_under_every_scheduler(scheduler: str, data: st.DataObject) -> None:
    agree(data.draw(cases(preemption="swap", kv_layout="paged", scheduler=scheduler)))


@given(cases(preemption="recompute", kv_layout="paged", scheduler="chunked"))
def test_what_engines_do_today(case: Case) -> None:
    agree(case)


@pytest.mark.parametrize("scheduler", SCHEDULERS)
@pytest.mark.parametrize("kv_layout", KV_LAYOUTS)
@pytest.mark.parametrize("num_speculative_tokens", [0, 4])
def test_monday(scheduler: str, kv_layout: str, num_speculative_tokens: int) -> None:
    settings = Settings(
        scheduler=scheduler, kv_layout=kv_layout, num_speculative_tokens=num_speculative_tokens
    )
    agree(Case(monday(), larkspur_server(), settings))
