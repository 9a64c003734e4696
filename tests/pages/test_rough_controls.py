"""Every control of every page at its ends, in whatever combination."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from pages.ui.chapters import PAGES, Page
from tests.pages.test_rough_links import opened

READY = [page for page in PAGES if page.is_ready]
SHARE = 20  # one in so many of the profile's examples a page: each is a walk of several runs
MOST_MOVES = 6


def ends(at: AppTest) -> list[tuple[str, str, object]]:
    """Return the moves that take a control of the page to one of its ends: kind, key and value."""
    found: list[tuple[str, str, object]] = []
    for one in (*at.slider, *at.number_input):
        found += [(one.type, one.key, value) for value in (one.min, one.max) if not one.disabled]
    for one in at.radio:
        found += [("radio", one.key, value) for value in (one.options[0], one.options[-1])]
    for one in at.get("button_group"):
        found += [("button_group", one.key, option) for option in (one.options[0], one.options[-1])]
    found += [("button", one.key, True) for one in at.button if not one.disabled]
    return found


def move(at: AppTest, kind: str, key: str, value: object) -> None:
    """Take a control to a value, or press a button."""
    one = next(one for one in at.get(kind) if one.key == key)
    if kind == "button":
        one.click()
    else:
        one.set_value(value)
    at.run()


@pytest.mark.slow
@pytest.mark.parametrize("page", READY, ids=lambda page: page.slug)
@given(data=st.data())
@settings(
    max_examples=max(settings().max_examples // SHARE, 2),
    suppress_health_check=list(HealthCheck),
    deadline=None,
)
def test_controls_at_their_ends_in_any_combination(page: Page, data: st.DataObject) -> None:
    at = opened(page, {"shown": ["yes"]} if data.draw(st.booleans()) else {})
    for _ in range(data.draw(st.integers(1, MOST_MOVES))):
        move(at, *data.draw(st.sampled_from(ends(at))))
        assert not at.exception, at.exception
        assert not at.error
    again = opened(page, {name: [value] for name, value in at.session_state["link.next"].items()})
    assert not again.exception
    assert again.session_state["link.next"] == at.session_state["link.next"]
    assert not any("The link asks" in warning.value for warning in again.warning)
