"""The parts of the page Glossary: its search box, its filter, and an entry with the pages that use the word."""

from collections.abc import Sequence

import streamlit as st

from pages.ui import link
from pages.ui.chapters import Chapter, Page
from pages.ui.controls import choice
from pages.ui.frame import Frame, page_link
from pages.ui.glossary import Entry, entries, listed_on, written
from pages.ui.prose import escape

LONGEST = 100  # characters of what is searched for
EVERYWHERE = "all"


def search_box() -> str:
    """Draw the box in which a word is searched, and return what is in it; the link keeps it."""
    link.restore("find", "", short)
    asked = st.text_input(
        "Find a word",
        max_chars=LONGEST,
        key=link.key("find"),
        persist_state="session",
        placeholder="TTFT, batch, memory …",
        icon=":material/search:",
    )
    link.publish("find", asked or None)
    return asked


def short(text: str) -> str:
    """Take what a link searches for; ValueError if it is too long."""
    if len(text) > LONGEST:
        raise ValueError(f"expected at most {LONGEST} characters")
    return text


def name_of(page: Page) -> str:
    """Return a page's name in the filter: its number, or its title."""
    return str(page.number) if isinstance(page, Chapter) else page.title


def page_filter() -> Page | None:
    """Draw the choice of a page, and return it; None stands for all pages."""
    by_name = {name_of(page): page for page in written()}
    return by_name.get(choice("Used on", (EVERYWHERE, *by_name), EVERYWHERE, name="on"))


def counted(shown: Sequence[Entry]) -> str:
    """Say how many entries are shown."""
    return f"{len(shown)} of {len(entries())} words"


def nothing(asked: str) -> str:
    """Say what to do where nothing is found."""
    said = f"No entry here has “{escape(asked)}”." if asked.strip() else "No entry is used on this page."
    return f"{said} Try a shorter piece of the word, or all pages."


def entry(shown: Entry, around: Frame) -> None:
    """Draw an entry and where it is used."""
    with st.container(gap=None):
        st.markdown(shown.told)
        where_used(shown, around)


def where_used(shown: Entry, around: Frame) -> None:
    """Draw links to the pages that use a word."""
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.caption("Used in:", width="content")
        for page in listed_on(shown.name):
            label = f"Chapter {page.number}" if isinstance(page, Chapter) else page.title
            page_link(page, around, label, is_marked=False)
        if not listed_on(shown.name):
            st.caption(f"*{shown.first.title}* (coming)", width="content")
