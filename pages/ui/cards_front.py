"""Customers on target against what it costs: the best setting, and the others, on one to four cards."""

from dataclasses import replace
from functools import lru_cache

import altair as alt
import pandas as pd
import pyarrow as pa

from pages.ui.batch_price import dollars
from pages.ui.charts import KEPT, Chart, Mark, layer, marks_table, point, text
from pages.ui.ladder import rush
from pages.ui.monday_found import RESULTS_KEPT, Result, accepted, settings_of
from pages.ui.monday_search import MOST_CARDS
from pages.ui.monday_try import CUSTOMERS, met_on
from pages.ui.served import server
from sim import Settings, Targets, simulate

CARDS = tuple(range(1, MOST_CARDS + 1))
BEST = "the best"
SERIES = {"the start": "start", "vLLM's defaults": "defaults", "mine": "mine", BEST: "best"}


@lru_cache(maxsize=16 * KEPT)
def on_cards(settings: Settings, targets: Targets, cards: int) -> int:
    """Return how many customers a setting keeps on so many cards."""
    return int(met_on(replace(server(), replicas=cards), settings, targets).sum())


def a_second(settings: Settings, targets: Targets, cards: int) -> float:
    """Return how many customers a second a setting keeps on so many cards: its goodput."""
    summary = simulate(rush(), replace(server(), replicas=cards), settings, targets).summary()
    return float(summary["goodput_per_s"])


@lru_cache(maxsize=RESULTS_KEPT)
def best_on(result: Result, cards: int) -> Settings:
    """Return the best that was tried on so many cards: the best of one card where nothing tried keeps more."""
    if cards == 1:
        return result.best
    frame = result.found.more_cards[cards]
    first = frame[accepted(frame, result.wish)].iloc[0]
    same = on_cards(result.best, result.found.targets, cards)
    return settings_of(first) if first["on_target"] > same else result.best


def on_each(result: Result, name: str, settings: Settings) -> list[Settings]:
    """Return what a name stands for on one to four cards: the best there, or always the same setting."""
    return [best_on(result, cards) if name == BEST else settings for cards in CARDS]


def kept_on_each(result: Result, name: str, settings: Settings) -> list[int]:
    """Return for one to four cards how many customers a named setting keeps."""
    chosen = zip(on_each(result, name, settings), CARDS, strict=True)
    return [on_cards(each, result.found.targets, cards) for each, cards in chosen]


def front_numbers(result: Result, named: dict[str, Settings], price: float) -> pd.DataFrame:
    """Return a row a setting and number of cards: dollars an hour, customers on target, and dollars for a thousand."""
    rows = []
    for name, settings in named.items():
        for each, cards in zip(on_each(result, name, settings), CARDS, strict=True):
            on_target, per_s = (what(each, result.found.targets, cards) for what in (on_cards, a_second))
            thousand = price * cards / 3600 / per_s * 1000 if per_s else float("nan")
            rows.append((name, cards, price * cards, on_target, thousand))
    columns = ["setting", "cards", "hourly_dollars", "on_target_requests", "thousand_on_target_dollars"]
    return pd.DataFrame(rows, columns=columns)


def front_marks(result: Result, named: dict[str, Settings], price: float) -> pa.Table:
    """Return a line of dots a setting, and their names where the lines end."""
    rows: list[Mark] = []
    ends: dict[int, list[str]] = {}
    for name, settings in named.items():
        swept = kept_on_each(result, name, settings)
        rows += [point(SERIES[name], price * cards, on) for cards, on in zip(CARDS, swept, strict=True)]
        ends.setdefault(swept[-1], []).append(name)
    rows += [point("name", price * CARDS[-1], height, ", ".join(names)) for height, names in ends.items()]
    return marks_table(rows)


def front_alt(result: Result, named: dict[str, Settings], price: float) -> str:
    """Say what the front shows now."""
    told = [
        f"{name}: {', '.join(map(str, kept_on_each(result, name, settings)))}"
        for name, settings in named.items()
    ]
    return (
        f"Customers on target, of {CUSTOMERS}, over dollars an hour for one to {CARDS[-1]} cards at {dollars(price)} "
        f"each. {'; '.join(told)}."
    )


def cards_to_match(result: Result, settings: Settings) -> str:
    """Return how many cards a setting needs to keep as many customers as the best does on one, in words."""
    for cards in CARDS:
        if on_cards(settings, result.found.targets, cards) >= result.most:
            return f"{cards} card{'s' * (cards > 1)}"
    return f"more than {CARDS[-1]} cards"


def front() -> Chart:
    """Return the chart of customers on target over dollars an hour."""
    x = alt.X("x:Q", scale=alt.Scale(zero=True, nice=True), title="dollars an hour, one to four cards")
    y = alt.Y(
        "y:Q",
        scale=alt.Scale(domain=[0, CUSTOMERS + 3], nice=False),
        title=f"customers on target, of {CUSTOMERS}",
        axis=alt.Axis(values=list(range(0, CUSTOMERS + 1, 4)), format="d"),
    )
    drawn = []
    for kind, meaning, is_filled in (
        ("start", "waiting", True),
        ("defaults", "waiting", False),
        ("mine", "ink", False),
        ("best", "decode", True),
    ):
        drawn += [
            layer(kind, meaning).mark_line(strokeWidth=1.5, opacity=0.6).encode(x=x, y=y),
            layer(kind, meaning).mark_point(size=60, filled=is_filled).encode(x=x, y=y, opacity=alt.value(1)),
        ]
    return alt.layer(*drawn, text("name", align="right", dy=-13).encode(x=x, y=y)).properties(height=300)
