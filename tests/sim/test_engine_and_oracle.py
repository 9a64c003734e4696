"""The engine against the stepped oracle: every time of every request and pass, on cases of every combination."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim import Settings, larkspur_server, monday, simulate
from sim.exchange import Records
from sim.serve import serve
from sim.settings import KV_LAYOUTS, SCHEDULERS
from sim.sitting import Sitting
from tests.sim.cases import Case, cases
from tests.sim.oracle import OracleRun, PassRow, oracle

COUNTS = ("prefill_tokens", "decode_seqs", "waiting", "kv_tokens", "kv_blocks")
TIMES = ("admitted_s", "first_token_s", "finish_s")


def agree(case: Case) -> None:
    """Fail unless engine and oracle tell the same of every request and of every pass that begins an event."""
    told, stepped = simulate(*case), oracle(*case)
    requests_agree(told.requests, stepped)
    passes_agree(serve(*case, records=1).events, told.origin_s, stepped.passes)


def requests_agree(told: pd.DataFrame, stepped: OracleRun) -> None:
    assert list(told["status"]) == list(stepped.status)
    assert list(told["preemptions"]) == list(stepped.preemptions)
    for name in TIMES:
        expected = np.array(
            [np.nan if at_s is None else at_s for at_s in getattr(stepped, name)], dtype=np.float64
        )
        np.testing.assert_allclose(told[name].to_numpy(), expected, rtol=1e-9, atol=0, err_msg=name)
    gaps = [np.diff(times).max() if len(times) > 1 else np.nan for times in stepped.token_times]
    np.testing.assert_allclose(told["longest_gap_s"].to_numpy(), gaps, rtol=1e-9, atol=1e-12)


def passes_agree(events: Records, origin_s: float, rows: list[PassRow]) -> None:
    """Compare events with the first (`end_s`: the last) of the oracle's passes that each stands for."""
    ends = np.cumsum(events["passes"])
    assert ends[-1:].sum() == len(rows)
    first, last = ends - events["passes"], ends - 1
    for name in COUNTS:
        assert list(events[name]) == [getattr(rows[place], name) for place in first], name
    starts_s, ends_s = [rows[place].start_s for place in first], [rows[place].end_s for place in last]
    np.testing.assert_allclose(events["start_s"] + origin_s, starts_s, rtol=1e-9, atol=0)
    np.testing.assert_allclose(events["end_s"] + origin_s, ends_s, rtol=1e-9, atol=0)


def segments_agree(case: Case) -> None:
    """Fail unless engine and oracle tell the same of where each request's time goes."""
    stepped = [segment for segment in oracle(*case).segments() if segment.end_s > segment.start_s]
    told = simulate(*case).segments
    assert list(told["request"]) == [segment.request for segment in stepped]
    assert list(told["state"]) == [segment.state for segment in stepped]
    for name in ("start_s", "end_s"):
        expected = [getattr(segment, name) for segment in stepped]
        np.testing.assert_allclose(told[name], expected, rtol=1e-9, atol=0)


def moves_agree(case: Case) -> None:
    """Fail unless the frames know of the very blocks that the oracle moves; what leaves comes back."""
    sitting = Sitting(serve(*case, records=2), case.server, case.settings)
    blocks = sum(row.moved_blocks for row in oracle(*case).passes)
    if not sitting.free.any():
        moved_s = blocks * case.server.block_move_s(case.settings)
        assert sitting.moved_out.sum() == pytest.approx(moved_s / 2, rel=1e-9)
        assert sitting.moved_in.sum() == pytest.approx(moved_s / 2, rel=1e-9)


@given(cases(preemption="recompute"))
def test_recompute(case: Case) -> None:
    agree(case)


@given(cases())
def test_segments(case: Case) -> None:
    segments_agree(case)


@given(cases(preemption="none"))
def test_none(case: Case) -> None:
    agree(case)


@given(cases(preemption="swap"))
def test_swap(case: Case) -> None:
    agree(case)


@pytest.mark.parametrize("scheduler", SCHEDULERS)
@given(data=st.data())
def test_swap_under_every_scheduler(scheduler: str, data: st.DataObject) -> None:
    case = data.draw(cases(preemption="swap", kv_layout="paged", scheduler=scheduler))
    agree(case)
    segments_agree(case)
    moves_agree(case)


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
