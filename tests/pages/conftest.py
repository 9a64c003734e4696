"""How page tests open the app: from its front door, with nothing left over from another test."""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.warm import warm as warm_server

ROOT = Path(__file__).parents[2]
Open = Callable[..., AppTest]


def key(path: str, name: str) -> str:
    """Return the session's key of a page's setting."""
    return f"{Path(path).stem}.{name}"


def words(at: AppTest) -> str:
    """Return all that a page says in Markdown, captions included."""
    return "\n".join(element.value for element in (*at.markdown, *at.caption))


@pytest.fixture(scope="session", autouse=True)
def warm() -> None:
    """Load the model, compile the rules and run what is kept: no page test pays for it in its three seconds."""
    warm_server()


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
