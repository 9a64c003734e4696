"""What a page's address says and keeps saying: the reading, the marks and the settings.

Streamlit's own binding (`bind="query-params"`) pushes a history entry for every parameter that a page brings
back, so Back walks through half-written addresses. Here an address is read when a page is entered, and
rewritten in place by a few lines in the browser, so that every entry of the history is complete.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import streamlit as st

from pages.ui.chapters import CHAPTERS, TRUST, Page
from pages.ui.prose import escape

T = TypeVar("T")
HERE = Path(__file__).parent
LONGEST_VALUE = 200
REMEMBERED = 50
ADDRESSES = [page.address for page in (*CHAPTERS, TRUST)]

_PAGE, _NEWS, _KNOWN, _NEXT = "link.page", "link.news", "link.known", "link.next"


def enter(page: Page) -> None:
    """Begin a run of `page`: note what its address says, if that is news since the last run."""
    state = st.session_state
    address = {name: value[:LONGEST_VALUE] for name, value in st.query_params.to_dict().items()}
    if state.get(_PAGE) != page.slug:
        state[_PAGE], state[_KNOWN] = page.slug, []
        state[_NEWS] = dict(address)
    elif address not in state[_KNOWN]:
        state[_NEWS] = dict(address)
    state[_KNOWN] = [*state[_KNOWN], address][-REMEMBERED:]
    state[_NEXT] = {}


def key(name: str) -> str:
    """Return the session's key for this page's setting `name`; pages never share one."""
    return f"{st.session_state[_PAGE]}.{name}"


def news(name: str) -> str | None:
    """Return, once, what the address says of `name` when the reader has come by it.

    What is not asked for yet stays there: a run may be cut short by the next one.
    """
    asked: str | None = st.session_state[_NEWS].pop(name, None)
    return asked


def restore(name: str, default: T, parse: Callable[[str], T]) -> str | None:
    """Settle this page's setting `name` before its control is drawn: by the link, the visit, or the default.

    Returns a sentence for the reader where the link asks for something that `parse` refuses (ValueError).
    """
    st.session_state.setdefault(key(name), default)
    asked = news(name)
    if asked is None:
        return None
    try:
        st.session_state[key(name)] = parse(asked)
    except ValueError as problem:
        instead = st.session_state[key(name)]
        shown = "" if instead is None else f" Shown instead: {instead}."
        return f"The link asks for “{name} = {escape(asked)}”; {problem}.{shown}"
    return None


def kept(name: str) -> object:
    """Return this page's setting `name` as it stands."""
    return st.session_state.get(key(name))


def publish(name: str, value: object, default: object = None) -> None:
    """Put `name` into the page's address, unless it is the default or not there."""
    if value is not None and value != default:
        st.session_state[_NEXT][name] = str(value)


def parameters() -> dict[str, str]:
    """Return what the address will say at the end of this run."""
    return dict(st.session_state[_NEXT])


def write(page: Page) -> None:
    """End a run: rewrite the address in place and draw the button that copies it."""
    st.session_state[_KNOWN] = [*st.session_state[_KNOWN], parameters()][-REMEMBERED:]
    _COMPONENT(key="link", data={"address": page.address, "pages": ADDRESSES, "params": parameters()})


_COMPONENT = st.components.v2.component(
    "page_link",
    html='<button type="button">Copy link</button>\n<input hidden readonly aria-label="Link to this page">',
    css=(HERE / "link.css").read_text(),
    js=(HERE / "link.js").read_text(),
)
