"""Monday morning's rush at Larkspur Supply Co., as `data/monday.csv` holds it."""

import pandas as pd

from sim.config import DATA
from sim.trace import Trace

FILE = DATA / "monday.csv"


def monday() -> Trace:
    """Return Monday's 24 requests; request i of the trace is row i of `monday_table()`."""
    table = monday_table()
    return Trace(table["arrival_s"], table["prompt_tokens"], table["output_tokens"])


def monday_table() -> pd.DataFrame:
    """Return a row a request: `id, arrival_s, topic, prompt_tokens, output_tokens`, by arrival."""
    return pd.read_csv(FILE)
