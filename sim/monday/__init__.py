"""Monday morning's rush at Larkspur Supply Co., as `data/monday.csv` holds it, and others of its kind."""

import numpy as np
import pandas as pd

from sim import expect
from sim.config import DATA
from sim.monday.recipe import rush
from sim.trace import Trace

FILE = DATA / "monday.csv"


def monday() -> Trace:
    """Return Monday's 24 requests; request i of the trace is row i of `monday_table()`."""
    return _trace(monday_table())


def monday_table() -> pd.DataFrame:
    """Return a row a request: `id, arrival_s, topic, prompt_tokens, output_tokens`, by arrival."""
    return pd.read_csv(FILE)


def mondays(count: int, seed: int = 1) -> list[Trace]:
    """Return `count` other Mondays of the same recipe; the first ones are the same for a larger `count`."""
    expect.whole("count", count, least=0, most=100_000)
    expect.whole("seed", seed, least=0)
    return [_trace(rush(one)) for one in np.random.SeedSequence(seed).spawn(count)]


def _trace(table: pd.DataFrame) -> Trace:
    return Trace(table["arrival_s"], table["prompt_tokens"], table["output_tokens"])
