"""How page tests open the app: from its front door, with nothing left over from another test."""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui import bits_bytes, bits_figures, bits_models, draft_rate
from pages.ui.numbers import APART
from pages.ui.warm import warm as warm_server

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
    warm_server()
    for pick in draft_rate.PICKS:
        draft_rate.rates(pick)
    for scales in bits_models.SCALES:
        bits_figures.mini_figures(scales)
        bits_bytes.packed_widths(scales)
        for bits in bits_models.FEWER:
            bits_figures.layer_figures(bits, scales)


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
