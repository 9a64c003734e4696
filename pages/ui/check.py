"""The check questions: answered, right or wrong, they say why; the first counts towards *done*."""

from collections.abc import Callable, Mapping

import streamlit as st

from pages.ui import link
from pages.ui.chapters import Page
from pages.ui.controls import one_of
from pages.ui.numbers import spaced
from pages.ui.parts import part

FIRST = "check"


def check(
    question: str,
    options: Mapping[str, str],
    right: str,
    tell: Callable[[str], str],
    *,
    name: str = FIRST,
) -> None:
    """Ask a question with worded `options`; what an answer is told is passage `name.answer` of `tell`."""
    if right not in options:
        raise ValueError(f"expected the right answer to be one of {', '.join(options)}, got {right!r}")
    ask(question, options, right, tell, name=name)


@part
def ask(
    question: str, options: Mapping[str, str], right: str, tell: Callable[[str], str], *, name: str
) -> None:
    """Draw a check, and under it what the answer is told."""
    link.restore(name, None, one_of(tuple(options)))
    answer = st.radio(
        spaced(question),
        tuple(options),
        index=None,
        format_func=options.__getitem__,
        key=link.key(name),
        persist_state="session",
    )
    link.publish(name, answer)
    if answer is None:
        return
    notice_answered(name)
    is_right = answer == right
    icon = ":material/check:" if is_right else ":material/arrow_forward:"
    st.info(f"**{'Yes.' if is_right else 'Not quite.'}** {tell(f'{name}.{answer}')}", icon=icon)


def notice_answered(name: str) -> None:
    """Run the whole page when its first check gets its first answer: the page may be done by that."""
    known = link.key(f"{name}.answered")
    is_news = not st.session_state.get(known)
    st.session_state[known] = True
    if name == FIRST and is_news and not link.is_whole():
        st.rerun()


def is_answered(page: Page) -> bool:
    """Whether the first check of a page has an answer."""
    return link.kept(FIRST, page) is not None


def was_accomplished(name: str) -> bool:
    """Whether a task of this page was done in this visit."""
    return bool(st.session_state.get(link.key(f"{name}.solved")))


def mission(task: str, now: str, is_accomplished: bool, praise: str, *, name: str = "mission") -> None:
    """Set a small task that the page checks by itself: say where the reader stands, when it is done, and that it was.

    `name` tells apart the tasks of a page; what was once done is remembered for the visit.
    """
    st.markdown(task)
    st.caption(now)
    solved = link.key(f"{name}.solved")
    if is_accomplished:
        st.session_state[solved] = True
        st.success(praise, icon=":material/check:")
    elif was_accomplished(name):
        st.caption(":material/check_circle: Solved earlier in this visit; the settings have moved on since.")
