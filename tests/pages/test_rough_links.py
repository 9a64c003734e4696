"""Links that nobody meant: on every page, nonsense for its own settings and for none."""

from functools import cache
from urllib.parse import parse_qsl, urlencode

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from pages.ui.chapters import PAGES, Page
from tests.pages.conftest import ROOT, words

READY = [page for page in PAGES if page.is_ready]
SHARE = 10  # one in so many of the profile's examples a page: each is a whole page
OFTEN = ("reader", "done", "guess", "first", "shown", "check", "more", "embed", "ask")
NUMBERS = ["0", "-1", "7", "7.5", "1e9", "nan", "inf", "９", "0x10", "9" * 400, "+1", " 1 ", "--"]
WORDS = [
    "",
    "yes",
    "a",
    "Engineer",
    "engineer",
    "1357",
    "__class__",
    "<script>",
    "../..",
    "{{ttft}}",
    "%00",
    "$x$",
]
values = st.one_of(
    st.sampled_from(NUMBERS + WORDS), st.text(max_size=30), st.text(min_size=900, max_size=1000)
)


@cache
def own_names(page: Page) -> tuple[str, ...]:
    """Return the names of the settings that a page writes into its own address."""
    return tuple(opened(page, {"shown": ["yes"]}).session_state["link.next"])


def opened(page: Page, query: dict[str, list[str]]) -> AppTest:
    """Return a page opened by a link, in a session of its own."""
    at = AppTest.from_file(str(ROOT / "app.py")).run()
    if page.path != "app.py":
        at.switch_page(page.path)
    at.query_params.clear()
    at.query_params.update(query)
    return at.run()


@st.composite
def links(draw: st.DrawFn, page: Page) -> dict[str, list[str]]:
    names = st.one_of(st.sampled_from((*OFTEN, *own_names(page))), st.text(max_size=12))
    return draw(st.dictionaries(names, st.lists(values, min_size=1, max_size=3), max_size=8))


@pytest.mark.slow
@pytest.mark.parametrize("page", READY, ids=lambda page: page.slug)
@given(data=st.data())
@settings(
    max_examples=max(settings().max_examples // SHARE, 3),
    suppress_health_check=list(HealthCheck),
    deadline=None,
)
def test_no_link_breaks_a_page(page: Page, data: st.DataObject) -> None:
    at = opened(page, data.draw(links(page)))
    assert not at.exception, at.exception
    assert at.get("heading") or at.title
    assert "link.next" in at.session_state
    assert dict(parse_qsl(urlencode(at.session_state["link.next"]))) == at.session_state["link.next"]


@pytest.mark.parametrize("page", READY, ids=lambda page: page.slug)
def test_every_setting_of_a_page_refuses_nonsense_with_a_sentence(page: Page) -> None:
    names = [name for name in own_names(page) if name not in ("shown", "ask")]
    at = opened(page, {"shown": ["yes"]} | {name: ["\u202e<b>7</b>" * 30] for name in names})
    assert not at.exception
    said = [element.value for element in (*at.warning, *at.caption)]
    refused = [name for name in names if any(f"“{name} = " in sentence for sentence in said)]
    assert refused == names
    assert "<b>" not in words(at)
