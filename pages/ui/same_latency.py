"""What deciding anew buys on steady traffic at equal latency: our own ratio, to stand beside Orca's.

As in Orca's evaluation, latency is the median of a reply's whole time divided by its tokens.
"""

from dataclasses import dataclass
from functools import cache

import altair as alt
import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from pages.ui.charts import Chart, Mark, layer, marks_table, point, text
from pages.ui.ladder import ANEW, FIXED, rush, settings
from pages.ui.served import server
from sim import Trace, simulate

NUM_REQUESTS, SEED = 400, 0
LEVEL_MS = 50.0  # a token: both schedulers are compared at this latency
EDGE_MS, LEAST_PER_S, MOST_PER_S, EDGE_PER_S = 150.0, 0.25, 12.0, 16.0
ALIKE, UNEQUAL = "replies like Monday's", "nine short replies and a long one"
RATES = {ALIKE: np.arange(0.25, 2.51, 0.25), UNEQUAL: np.arange(0.25, MOST_PER_S + 0.01, 0.25)}
SHORT, LONG, SHORTS = 20, 400, 9
Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True)
class AtLevel:
    """Requests a second that each scheduler serves at the level's latency."""

    fixed_per_s: float
    anew_per_s: float

    @property
    def ratio(self) -> float:
        """How many times the throughput deciding anew gives."""
        return self.anew_per_s / self.fixed_per_s


@cache
def like(traffic: str) -> Trace:
    """Return the requests whose lengths a traffic draws from."""
    if traffic == ALIKE:
        return rush()
    return Trace([0.0] * (SHORTS + 1), [SHORT] * (SHORTS + 1), [SHORT] * SHORTS + [LONG])


@cache
def latencies_ms(traffic: str, word: str) -> Numbers:
    """Return the median milliseconds a token at each rate, [n_rates]; rates differ in nothing but their pace."""
    medians = []
    for rate_per_s in RATES[traffic]:
        trace = Trace.steady(rate_per_s=rate_per_s, num_requests=NUM_REQUESTS, like=like(traffic), seed=SEED)
        e2e_s = simulate(trace, server(), settings(word)).requests["e2e_s"]
        medians.append(np.median(e2e_s / trace.output_tokens) * 1e3)
    return np.array(medians)


@cache
def at_level(traffic: str) -> AtLevel:
    """Return where the two lines cross the level, between two rates in proportion."""
    return AtLevel(
        *(crossing_per_s(RATES[traffic], latencies_ms(traffic, word.word)) for word in (FIXED, ANEW))
    )


def crossing_per_s(rates: Numbers, medians_ms: Numbers) -> float:
    """Return the first rate at which a line crosses the level."""
    over = int(np.argmax(medians_ms > LEVEL_MS))
    return float(np.interp(LEVEL_MS, medians_ms[over - 1 : over + 1], rates[over - 1 : over + 1]))


@cache
def curves() -> pa.Table:
    """Return the four lines up to the upper edge, the level, and where each line crosses it."""
    rows = [
        point("level", LEAST_PER_S, LEVEL_MS),
        point("level label", 4, LEVEL_MS, f"{LEVEL_MS:.0f} ms a token"),
    ]
    for kind, traffic in (("alike", ALIKE), ("unequal", UNEQUAL)):
        crossings = (at_level(traffic).fixed_per_s, at_level(traffic).anew_per_s)
        for word, at_per_s in zip((FIXED, ANEW), crossings, strict=True):
            medians_ms = latencies_ms(traffic, word.word)
            seen = medians_ms <= EDGE_MS
            places = zip(RATES[traffic][seen], medians_ms[seen], strict=True)
            rows += [point(f"{kind} {word.word}", *place) for place in places]
            rows += [point(f"{kind} crossing", at_per_s, LEVEL_MS)]
        rows.append(point(f"{kind} label", crossings[1], LEVEL_MS, f"× {at_level(traffic).ratio:.1f}"))
    return marks_table(rows + names())


def names() -> list[Mark]:
    """Return the names of the lines: one for both of fixed batches, one for each of deciding anew."""
    return [
        point("name left", *last_seen(UNEQUAL, FIXED.word, EDGE_MS), FIXED.word),
        point("name right", *last_seen(ALIKE, ANEW.word, EDGE_MS), f"{ANEW.word},\nreplies alike"),
        point("name left", *last_seen(UNEQUAL, ANEW.word, 0.75 * EDGE_MS), f"{ANEW.word},\nshort and long"),
    ]


def last_seen(traffic: str, word: str, edge_ms: float) -> tuple[float, float]:
    """Return the last point of a line that is not above `edge_ms`."""
    medians_ms = latencies_ms(traffic, word)
    last = int(np.flatnonzero(medians_ms <= edge_ms)[-1])
    return float(RATES[traffic][last]), float(medians_ms[last])


def curves_table() -> pd.DataFrame:
    """Return a row a traffic, scheduler and rate: `traffic, scheduler, rate_per_s, median_ms_per_token`."""
    frames = [
        pd.DataFrame(
            {
                "traffic": traffic,
                "scheduler": word.word,
                "rate_per_s": RATES[traffic],
                "median_token_ms": latencies_ms(traffic, word.word),
            }
        )
        for traffic in (ALIKE, UNEQUAL)
        for word in (FIXED, ANEW)
    ]
    return pd.concat(frames, ignore_index=True)


@cache
def curves_alt() -> str:
    """Say what the chart of steady traffic shows."""
    said = f"Median milliseconds a token over requests a second; a line marks {LEVEL_MS:.0f} ms."
    for traffic in (ALIKE, UNEQUAL):
        at = at_level(traffic)
        said += (
            f" With {traffic}, fixed batches reach it at {at.fixed_per_s:.1f} requests a second, "
            f"deciding anew at {at.anew_per_s:.1f}: {at.ratio:.1f} times."
        )
    return said


def same_latency() -> Chart:
    """Return the chart of latency over steady traffic."""
    x = alt.X(
        "x:Q",
        scale=alt.Scale(type="log", base=2, domain=[LEAST_PER_S, EDGE_PER_S], nice=False),
        axis=alt.Axis(values=[0.25, 0.5, 1, 2, 4, 8, 16], format="~g"),
        title="requests a second (log scale)",
    )
    y = alt.Y(
        "y:Q", scale=alt.Scale(domain=[0, EDGE_MS], clamp=True), title="median ms a token, queue included"
    )
    drawn = [
        layer("level", "ink").mark_rule(strokeDash=[4, 4]).encode(y=y),
        text("level label", align="center", dy=-10).encode(x=x, y=y),
    ]
    for kind, dash in (("alike", [1, 0]), ("unequal", [6, 3])):
        for word, meaning in ((FIXED.word, "waiting"), (ANEW.word, "decode")):
            line = layer(f"{kind} {word}", meaning).mark_line(strokeWidth=2.5, strokeDash=dash)
            drawn.append(line.encode(x=x, y=y))
        drawn += [
            layer(f"{kind} crossing", "ink").mark_point(size=60, filled=True, opacity=1).encode(x=x, y=y),
            text(f"{kind} label", dx=10, dy=12, fontWeight=600).encode(x=x, y=y),
        ]
    drawn += [
        text("name left", dx=-8, align="right", baseline="bottom", lineBreak="\n").encode(x=x, y=y),
        text("name right", dx=8, baseline="top", lineBreak="\n").encode(x=x, y=y),
    ]
    return alt.layer(*drawn).properties(height=300)
