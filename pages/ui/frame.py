"""What stands around every page: its settings, the menu, the reader picker, the marks, and the way on."""

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.ui import check, glossary, guess, link, route, turns
from pages.ui.chapters import CHAPTERS, GLOSSARY, OVERVIEW, PAGES, Chapter, Page, beside, called
from pages.ui.controls import one_of
from pages.ui.warm import warm_in_background

READERS = ("Product manager", "Analyst", "Engineer")
ICON, STYLE = (Path(__file__).with_name(name) for name in ("icon.svg", "page.css"))
FOOT = (
    "Your settings, your reading and your marks are in this page's address and nowhere else: "
    "keep or share the link to come back to them."
)


@dataclass(frozen=True)
class Frame:
    """What a page needs to know of its visitor."""

    page: Page
    reader: str
    done: frozenset[int]
    is_short: bool = False  # on the ten-minute route
    top: DeltaGenerator | None = None  # the place above everything, for what is wrong with the link
    route_at: list[DeltaGenerator] = field(default_factory=list)  # under the title, where the route is told

    def foot(self) -> None:
        """End the page: previous and next, and an address that says where the reader stands."""
        if isinstance(self.page, Chapter):
            self.notice_done(self.page)
        st.divider()
        if self.is_short:
            route.note(self.page)
            for place in self.route_at:  # told at the end, when the page knows its guess and its search
                with place:
                    short_way(self)
            if route.leads_on(self.page):
                short_way(self)
        before, after = beside(self.page)
        with st.container(horizontal=True, horizontal_alignment="distribute"):
            if before:
                page_link(before, self, icon=":material/arrow_back:")
            if after:
                page_link(after, self, icon=":material/arrow_forward:")
        st.caption(FOOT)
        for name, value in passed_on(self).items():
            link.publish(name, value)
        link.write(self.page)
        with self.top or nullcontext():
            link.told_wrong()
        turns.give_up()
        warm_in_background()  # from here on, so that the first page drawn has the server to itself

    def notice_done(self, chapter: Chapter) -> None:
        """Run once more where a link has just brought both guess and check, so that the mark shows."""
        if is_earned(chapter) and chapter.number not in self.done:
            st.rerun()


def frame(page: Page) -> Frame:
    """Draw what stands above and beside `page`; every page calls this first."""
    turns.take()
    title = f"{page.title} · Inference"
    st.set_page_config(page_title=title, page_icon=ICON, layout="centered")
    st.html(STYLE)
    link.enter(page)
    top = st.container()
    around = Frame(page, pick_reader(), marks(), route.is_short(), top)
    with st.sidebar:
        menu(around)
    return around


def heading(page: Chapter, around: Frame) -> None:
    """Draw a chapter's heading: where it stands, its title, and its question."""
    mark = " · :material/check_circle: done" if page.number in around.done else ""
    st.caption(f"Chapter {page.number} of {len(CHAPTERS)} · {page.minutes} minutes{mark}")
    st.title(page.title, anchor=False)
    st.header(page.question, anchor=False)
    if around.is_short:
        around.route_at.append(st.container())
        st.button("Leave this route", link.key("leave"), on_click=route.leave, type="tertiary")
    words_here(around)


def words_here(around: Frame) -> None:
    """Draw a fold with the words that a reader meets first on this page, each with its entry of the glossary."""
    new = glossary.first_met(around.page, around.reader)
    if not new:
        return
    with st.expander(f"Words that are new here ({len(new)})", icon=":material/menu_book:"):
        st.markdown("\n\n".join(entry.told for entry in new))
        page_link(GLOSSARY, around, label="All words: the glossary", icon=":material/arrow_forward:")


def short_way(around: Frame) -> None:
    """Draw what the ten-minute route asks for on this page, and the link to its next stop, back to it, or home."""
    after = route.after(around.page)
    with st.container(horizontal=True, vertical_alignment="center", border=True):
        st.markdown(route.told(around.page), width="content")
        if around.page not in route.STOPS:
            stop = route.at()
            page_link(stop, around, label=f"Back to chapter {stop.number}", icon=":material/arrow_back:")
        elif after:
            page_link(after, around, label=f"On to chapter {after.number}", icon=":material/arrow_forward:")
        elif route.is_ended(around.page):
            page_link(OVERVIEW, around, label="Back to the overview", icon=":material/home:")


def route_ends(around: Frame) -> None:
    """Draw, where the ten-minute route comes to its end in the middle of a page, that it does."""
    if around.is_short:
        route.note(around.page)
        if route.is_ended(around.page):
            short_way(around)


def take_away(sentence: str) -> None:
    """Draw the one sentence that the chapter leaves, with a button that copies it."""
    st.subheader("Take away", anchor=False)
    st.markdown(f"> {sentence}")
    link.copy_button(sentence, "take_away")


def pick_reader() -> str:
    """Draw the picker of the three readings and return the one chosen."""
    st.session_state.setdefault("reader", READERS[0])
    if (asked := link.news("reader")) is not None:
        try:
            st.session_state["reader"] = one_of(READERS)(asked)
        except ValueError as problem:
            link.complain("reader", asked, str(problem), st.session_state["reader"])
    link.repeat_complaint("reader", st.session_state["reader"])
    chosen = st.segmented_control(
        "Read as",
        READERS,
        required=True,
        key="reader",
        persist_state="session",
        help="The same facts, told for you: what customers feel, the tables, or the mechanism.",
    )
    return chosen or READERS[0]


def marks() -> frozenset[int]:
    """Return the chapters done: those the link tells of, and those earned in this visit."""
    done: frozenset[int] = st.session_state.get("done", frozenset())
    if (told := link.news("done")) is not None:
        try:
            done |= told_marks(told)
        except ValueError as problem:
            link.complain("done", told, str(problem), None)
    link.repeat_complaint("done", None)
    # All of them: a page may be left before it is drawn with its last answer.
    done |= {chapter.number for chapter in CHAPTERS if is_earned(chapter)}
    st.session_state["done"] = done
    return done


def told_marks(text: str) -> frozenset[int]:
    """Return the chapters that a link says are done; ValueError if it names others."""
    numbers = {str(chapter.number) for chapter in CHAPTERS}
    if not set(text) <= numbers:
        raise ValueError(f"expected digits of chapters done, from 1 to {len(CHAPTERS)}")
    return frozenset(map(int, text))


def begin_anew() -> None:
    """Forget this visit's marks, guesses and settings; the reading stays."""
    for key in map(str, list(st.session_state)):
        if key != "reader" and not key.startswith("link."):
            del st.session_state[key]


def is_earned(chapter: Chapter) -> bool:
    """Whether a chapter's guess is made (or shown) and its first check answered."""
    return guess.is_made(chapter) and check.is_answered(chapter)


def passed_on(around: Frame) -> dict[str, str]:
    """Return what every link of the frame passes on: the reading and the marks."""
    done = {"done": "".join(map(str, sorted(around.done)))} if around.done else {}
    return {"reader": around.reader} | done | ({"route": route.way()} if around.is_short else {})


def menu(around: Frame) -> None:
    """Draw the menu with done marks; what is not written yet stands there as coming."""
    st.markdown("**Inference**  \nwhat happens between the prompt and the reply")
    for page in PAGES:
        page_link(page, around)


def page_link(
    page: Page,
    around: Frame,
    label: str | None = None,
    icon: str | None = None,
    more: Mapping[str, str] | None = None,
    is_marked: bool = True,
) -> None:
    """Draw a link to `page` that takes reading and marks along, or its name marked as coming.

    `more` is what else the link asks of the page; `is_marked` whether it says that a chapter is done.
    """
    text = label or called(page)
    if not page.is_ready:
        st.markdown(f":gray[{text} · *coming*]")
        return
    is_done = is_marked and isinstance(page, Chapter) and page.number in around.done
    mark = icon or (":material/check_circle:" if is_done else None)
    text = f"{text} · done" if is_done else text
    st.page_link(target(page), label=text, icon=mark, query_params=passed_on(around) | dict(more or {}))


@cache
def target(page: Page) -> st.Page:
    """Return `page` as links lead to it, found on the disk once: by its path it would be looked up there by each."""
    return st.Page(page.path, default=page is OVERVIEW)
