"""What a page's address says and keeps saying: the reading, the marks and the settings.

Streamlit's own binding (`bind="query-params"`) pushes a history entry for every parameter that a page brings
back, so Back walks through half-written addresses. Here a run goes through four steps: `enter` reads the
address when a page is entered, `restore` settles each setting before its control is drawn, `publish` puts its
value into the address to come, and `write` hands that to a few lines in the browser, which rewrite it in place.
A part of a page that runs alone publishes among the page's settings, and hands them over by `write_alone`.
"""

from collections.abc import Callable
from pathlib import Path
from secrets import token_hex
from typing import TypeVar

import streamlit as st

from pages.ui.chapters import PAGES, Page
from pages.ui.prose import escape

T = TypeVar("T")
HERE = Path(__file__).parent
ADDRESS_OF = {page.slug: page.address for page in PAGES}
ADDRESSES = [page.address for page in PAGES if page.address]
LONGEST_VALUE, MOST_VALUES = 200, 50
REMEMBERED = 50  # addresses that this page has had lately; a late one from the browser is no news

_PAGE, _NEWS, _KNOWN, _NEXT = "link.page", "link.news", "link.known", "link.next"
_VISIT, _COMPLAINTS, _WRONG = "link.visit", "link.complaints", "link.wrong"
_WRITTEN, _WHOLE = "link.written", "link.whole"


def enter(page: Page) -> None:
    """Begin a run of `page`: note what its address says, if that is news since the last run."""
    state = st.session_state
    told = list(st.query_params.to_dict().items())[:MOST_VALUES]
    address = {name: value[:LONGEST_VALUE] for name, value in told}
    if state.get(_PAGE) != page.slug:
        state[_PAGE], state[_KNOWN], state[_COMPLAINTS] = page.slug, [], {}
        state[_NEWS] = dict(address)
    elif address not in state[_KNOWN]:
        state[_NEWS] = dict(address)
    remember(address)
    state[_NEXT], state[_WRONG], state[_WHOLE] = {}, {}, True


def remember(address: dict[str, str]) -> None:
    """Keep an address as one that this page has had."""
    st.session_state[_KNOWN] = [*st.session_state[_KNOWN], address][-REMEMBERED:]


def key(name: str, page: Page | None = None) -> str:
    """Return the session's key for setting `name` of this page, or of another one; pages never share one."""
    return f"{page.slug if page else st.session_state[_PAGE]}.{name}"


def news(name: str) -> str | None:
    """Return, once, what the address says of `name` when the reader has come by it.

    What is not asked for yet stays there: a run may be cut short by the next one.
    """
    asked: str | None = st.session_state[_NEWS].pop(name, None)
    return asked


def has_news(name: str) -> bool:
    """Whether the address says something of `name` that is not taken up yet."""
    return name in st.session_state[_NEWS]


def restore(name: str, default: T, parse: Callable[[str], T]) -> None:
    """Settle this page's setting `name`: by the link, by the visit, or by the default.

    Where the link asks for what `parse` refuses (ValueError), a sentence at the top of the page says so.
    """
    st.session_state.setdefault(key(name), default)
    asked = news(name)
    try:
        if asked is not None:
            st.session_state[key(name)] = parse(asked)
    except ValueError as problem:
        complain(name, asked or "", str(problem), kept(name))
    repeat_complaint(name, kept(name))


def complain(name: str, asked: str, expected: str, instead: object) -> None:
    """Note what the link asks for and what was expected; it is said until the setting changes."""
    came = escape(" ".join(asked.split()))
    words = f"The link asks for “{name} = {came}”; {expected}. {staying(instead)}"
    st.session_state[_COMPLAINTS][name] = (words, instead)


def staying(instead: object) -> str:
    """Say at what a setting stays."""
    if instead is None or isinstance(instead, bool):
        return "It stays as it is."
    return (
        f"It stays at {instead}."
        if isinstance(instead, int | float)
        else f"It stays at “{escape(str(instead))}”."
    )


def repeat_complaint(name: str, value: object) -> None:
    """Keep what was wrong with the link as long as the setting has not been touched; `told_wrong` says it."""
    words, instead = st.session_state[_COMPLAINTS].get(name, ("", None))
    if words and value == instead:
        st.session_state[_WRONG][name] = words
    else:
        st.session_state[_COMPLAINTS].pop(name, None)
        st.session_state[_WRONG].pop(name, None)


def told_wrong() -> None:
    """Say in one box all that is wrong with the link."""
    sentences = wrong()
    if len(sentences) == 1:
        st.warning(sentences[0], icon=":material/link_off:")
    elif sentences:
        lines = "\n".join(f"- {words}" for words in sentences)
        st.warning(f"This page cannot do all that the link asks for.\n\n{lines}", icon=":material/link_off:")


def forgive(name: str) -> None:
    """Say no more that the link asks for a `name` that cannot be."""
    st.session_state[_COMPLAINTS].pop(name, None)


def wrong() -> list[str]:
    """Return the sentences that say what is wrong with the link."""
    return list(st.session_state[_WRONG].values())


def kept(name: str, page: Page | None = None) -> object:
    """Return setting `name` of this page, or of another one, as it stands."""
    return st.session_state.get(key(name, page))


def publish(name: str, value: object) -> None:
    """Put `name` into the page's address, or out of it where there is nothing to put."""
    if value is None:
        st.session_state[_NEXT].pop(name, None)
    else:
        st.session_state[_NEXT][name] = str(value)


def parameters() -> dict[str, str]:
    """Return what the address will say at the end of this run."""
    return dict(st.session_state[_NEXT])


def write(page: Page) -> None:
    """End a run: rewrite the address in place and draw the button that copies it."""
    st.session_state[_WHOLE] = False
    _COPY_LINK(key="link", data=to_write(page.address))


def is_whole() -> bool:
    """Whether the page runs as a whole, not one of its parts alone."""
    return bool(st.session_state[_WHOLE])


def keep_ready(name: str) -> None:
    """Draw the place, unseen, from which part `name` will write the address when it runs alone."""
    _ADDRESS(key=key(f"address.{name}"), data=None)


def write_alone(name: str) -> None:
    """End the run of part `name` alone: rewrite the address in place."""
    _ADDRESS(key=key(f"address.{name}"), data=to_write(ADDRESS_OF[st.session_state[_PAGE]]))


def to_write(address: str) -> dict[str, object]:
    """Return what the browser is told: the latest of these counts, whichever is heard last."""
    state = st.session_state
    remember(parameters())
    visit = state.setdefault(_VISIT, token_hex(8))
    state[_WRITTEN] = number = state.get(_WRITTEN, 0) + 1
    return {"visit": visit, "number": number, "address": address, "pages": ADDRESSES, "params": parameters()}


def copy_button(text: str, name: str) -> None:
    """Draw a button that copies `text`."""
    _COPY_TEXT(key=key(f"copy.{name}"), data={"text": text})


def script(*names: str) -> str:
    """Return a component's scripts as one: none has imports, and the last one exports."""
    return "\n".join((HERE / name).read_text("utf-8") for name in names)


def button(label: str) -> str:
    """Return the markup of a button that copies, with a field for browsers that have no clipboard."""
    field = f'<input hidden readonly aria-label="{label}">'
    return f'<button type="button">{label}</button>\n<span role="status"></span>\n{field}'


_CSS = (HERE / "copy.css").read_text("utf-8")
_COPY_LINK = st.components.v2.component(
    "copy_link",
    html=button("Copy link"),
    css=_CSS,
    js=script(
        "copy.js", "address.js", "rewrite.js", "leaving.js", "hold.js", "refill.js", "arriving.js", "link.js"
    ),
)
_ADDRESS = st.components.v2.component(
    "page_address", html="<span></span>", js=script("address.js", "rewrite.js", "part_link.js")
)
_COPY_TEXT = st.components.v2.component(
    "copy_text", html=button("Copy"), css=_CSS, js=script("copy.js", "copy_text.js")
)
