"""How page tests open the app: from its front door, with nothing left over from another test."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui import bits_bytes, bits_figures, bits_models, monday_found, monday_search
from pages.ui.monday_wish import Wish
from pages.ui.numbers import APART
from pages.ui.warm import warm as warm_server
from sim import MONDAY_TARGETS

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


def control(at: AppTest, path: str, name: str) -> Any:
    """Return the one control of a page's setting, of whatever kind it is."""
    drawn = (*at.slider, *at.number_input, *at.selectbox, *at.button_group, *at.select_slider)
    (found,) = (one for one in drawn if one.key == key(path, name))
    return found


def guess(at: AppTest, path: str, value: float) -> AppTest:
    """Type or pick a chapter's guess, and lock it in."""
    control(at, path, "typed").set_value(value).run()
    return at.button(key(path, "lock")).click().run()


def addressed(at: AppTest) -> set[str]:
    """Return the readers to whom the last lines of a page are said."""
    last_lines = {"Product manager": "Ask your team", "Analyst": "Look at column", "Engineer": "The flag is"}
    return {name for name, line in last_lines.items() if line in words(at)}


@pytest.fixture(scope="session", autouse=True)
def warm() -> None:
    """Load the model, compile the rules and run what is kept: no page test pays for it in its three seconds."""
    warm_server()
    for scales in bits_models.SCALES:
        bits_bytes.packed_widths(scales)
        for bits in bits_models.FEWER:
            bits_figures.layer_figures(bits, scales)


@pytest.fixture
def searched() -> None:
    """Have chapter 7's search at hand, so that what is tried is the page alone."""
    monday_search.find_for_the_start()
    found = monday_search.already(MONDAY_TARGETS)
    assert found is not None
    assert monday_found.result(found, Wish()).best_today


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
