"""How page tests open the app: from its front door, with nothing left over from another test."""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui import (
    batch_figures,
    bits_batch,
    bits_bytes,
    bits_cliff,
    bits_figures,
    bits_layers,
    bits_models,
    bits_quoted,
    bits_seats,
    cards_front,
    draft_figures,
    draft_rate,
    draft_server,
    knobs_mattered,
    kv_card,
    kv_factors,
    kv_figures,
    kv_seats,
    monday_counts,
    monday_guess,
    monday_lanes,
    monday_load,
    monday_search,
    parking,
    target_box,
)
from pages.ui.charts import specification
from pages.ui.mini import example
from pages.ui.numbers import APART
from pages.ui.trade_chart import monday_trade, trade
from sim import MONDAY_TARGETS
from sim.compiler import compiled_rules

ROOT = Path(__file__).parents[2]
Open = Callable[..., AppTest]


def key(path: str, name: str) -> str:
    """Return the session's key of a page's setting."""
    return f"{Path(path).stem}.{name}"


def words(at: AppTest) -> str:
    """Return all that a page says in Markdown, captions included, no-break spaces as plain ones."""
    return plain("\n".join(element.value for element in (*at.markdown, *at.caption)))


def plain(text: str) -> str:
    """Return a text with plain spaces where no line may break."""
    return text.replace(APART, " ")


@pytest.fixture(scope="session", autouse=True)
def warm() -> None:
    """Load the model, compile the rules and run what is kept: no page test pays for it in its three seconds."""
    example()
    compiled_rules()
    batch_figures.figures(2.0)
    kv_figures.figures()
    draft_figures.figures()
    for pick in draft_rate.PICKS:
        draft_rate.rates(pick)
    bits_figures.served_figures()
    for scales in bits_models.SCALES:
        bits_figures.mini_figures(scales)
        bits_bytes.packed_widths(scales)
        for bits in bits_models.FEWER:
            bits_figures.layer_figures(bits, scales)
    memory = (parking.parking, kv_seats.seats, kv_factors.kv_factors, kv_factors.kv_models, kv_card.cards)
    smaller = (
        bits_cliff.cliff,
        bits_layers.layer_chart,
        bits_seats.seats_chart,
        bits_quoted.quoted_chart,
        bits_quoted.weighed_chart,
        bits_batch.batch_chart,
    )
    monday_search.find(MONDAY_TARGETS, lambda words, share: None)
    tried = (target_box.target_box, monday_lanes.timeline, monday_load.load, monday_guess.one_change)
    searched = (monday_counts.counts, knobs_mattered.lost, cards_front.front)
    for make in (trade, monday_trade, draft_server.pace_by_batch, *memory, *smaller, *tried, *searched):
        specification(make)


@pytest.fixture
def open_page() -> Open:
    """Return a function that opens a page by its path, by a link with the given parameters."""

    def open_it(path: str = "app.py", **parameters: str) -> AppTest:
        at = AppTest.from_file(str(ROOT / "app.py")).run()
        if path != "app.py":
            at.switch_page(path)
        for name, value in parameters.items():
            at.query_params[name] = value
        at.run()
        assert not at.exception, at.exception
        return at

    return open_it
