"""What stands around every page: its settings, the menu, the reader picker, the marks, and the way on."""

from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from pages.ui import link
from pages.ui.chapters import CHAPTERS, OVERVIEW, TRUST, Chapter, Page, beside
from pages.ui.prose import escape

READERS = ("Product manager", "Analyst", "Engineer")
FIRST_CHECK = "check"
ICON = Path(__file__).with_name("icon.svg")


@dataclass(frozen=True)
class Frame:
    """What a page needs to know of its visitor."""

    page: Page
    reader: str
    done: frozenset[int]

    def foot(self) -> None:
        """End the page: previous and next, and an address that says where the reader stands."""
        if isinstance(self.page, Chapter):
            st.divider()
            before, after = beside(self.page)
            with st.container(horizontal=True, horizontal_alignment="distribute"):
                page_link(before, self, icon=":material/arrow_back:")
                if after:
                    page_link(after, self, icon=":material/arrow_forward:")
        st.caption(
            "Your settings, your reading and your marks are in this page's address and nowhere else: "
            "keep or share the link to come back to them."
        )
        for name, value in travelling(self).items():
            link.publish(name, value)
        link.write(self.page)


def frame(page: Page) -> Frame:
    """Draw what stands above and beside `page`; every page calls this first."""
    title = f"{page.title} · Inference"
    st.set_page_config(page_title=title, page_icon=ICON, layout="centered")
    link.enter(page)
    around = Frame(page, pick_reader(), marks(page))
    with st.sidebar:
        menu(around)
    return around


def heading(page: Chapter, around: Frame) -> None:
    """Draw a chapter's heading: where it stands, its title, and its question."""
    is_done = page.number in around.done
    mark = " · :material/check_circle: done" if is_done else ""
    st.caption(f"Chapter {page.number} of {len(CHAPTERS)} · {page.minutes} minutes{mark}")
    st.title(page.title, anchor=False)
    st.header(page.question, anchor=False)


def take_away(sentence: str) -> None:
    """Draw the one sentence that the chapter leaves, with a button that copies it."""
    st.subheader("Take away", anchor=False)
    st.code(sentence, language=None, wrap_lines=True)


def pick_reader() -> str:
    """Draw the picker of the three readings and return the one chosen."""
    asked = link.news("reader")
    if asked in READERS:
        st.session_state["reader"] = asked
    st.session_state.setdefault("reader", READERS[0])
    chosen = st.segmented_control(
        "Read as",
        READERS,
        required=True,
        key="reader",
        persist_state="session",
        help="The same facts, told for you: what customers feel, the tables, or the mechanism.",
    )
    if asked is not None and asked not in READERS:
        st.caption(f"The link asks to read as “{escape(asked)}”; expected one of {', '.join(READERS)}.")
    return chosen or READERS[0]


def marks(page: Page) -> frozenset[int]:
    """Return the chapters done: by the link, in this visit, and this one if it has just been earned."""
    numbers = {chapter.number for chapter in CHAPTERS}
    told = {int(digit) for digit in link.news("done") or "" if digit in "1234567"}
    here = {page.number} if isinstance(page, Chapter) and is_earned() else set()
    done = (st.session_state.get("done", frozenset()) | told | here) & numbers
    st.session_state["done"] = frozenset(done)
    return frozenset(done)


def is_earned() -> bool:
    """Whether this chapter's guess is made (or shown) and its first check answered."""
    return link.kept("shown") is True and link.kept(FIRST_CHECK) is not None


def travelling(around: Frame) -> dict[str, str]:
    """Return what every link of the frame passes on, where it is not the default: reading and marks."""
    passed = {"reader": around.reader} if around.reader != READERS[0] else {}
    return passed | ({"done": "".join(map(str, sorted(around.done)))} if around.done else {})


def menu(around: Frame) -> None:
    """Draw the menu with done marks; what is not written yet stands there as coming."""
    st.markdown("**Inference**  \nwhat happens between the prompt and the reply")
    page_link(OVERVIEW, around)
    for chapter in CHAPTERS:
        page_link(chapter, around)
    page_link(TRUST, around)


def page_link(page: Page, around: Frame, label: str | None = None, icon: str | None = None) -> None:
    """Draw a link to `page` that takes reading and marks along, or its name marked as coming."""
    number = f"{page.number} · " if isinstance(page, Chapter) else ""
    text = label or f"{number}{page.title}"
    if not page.is_ready:
        st.markdown(f":gray[{text} · *coming*]")
        return
    is_done = isinstance(page, Chapter) and page.number in around.done
    mark = ":material/check_circle:" if is_done else icon
    text = f"{text} · done" if is_done else text
    st.page_link(page.path, label=text, icon=mark, query_params=travelling(around))
