"""The reader's own question at every width: asked and answered in the reader's browser, or picked from a few.

What is typed stays in the browser; the page's server hears the tokens of the replies.
"""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from larkspur import load
from pages.ui import link
from pages.ui.bits_bytes import packed_widths
from pages.ui.bits_models import METHODS, QUESTION, QUESTIONS, Replies, replies
from pages.ui.controls import choice
from pages.ui.mini_browser import nothing, offer_server, use_server, whole
from pages.ui.mini_bytes import MAX_NEW_TOKENS
from pages.ui.prose import escape

HERE = Path(__file__).parent
SCRIPT = link.script("leaving.js", "walking.js", "mini_tokenizer.js", "mini_model.js", "box.js", "bits.js")
Both = Mapping[str, Replies]  # the replies by each method


def ask(tell: Callable[[str], str], scales: str) -> Both | None:
    """Draw the box, or the stand-in where it cannot run, and return the replies; None while they are being made."""
    if link.has_news("question"):
        use_server("linked")
    if not link.kept("on_server"):
        try:
            return in_browser(tell, scales)
        except (KeyError, OverflowError, TypeError, ValueError):
            use_server("unreadable")
    st.warning(tell(f"ask.{link.kept('on_server')}"), icon=":material/dns:")
    return on_server(choice("Ask", QUESTIONS, QUESTION, name="question"), scales)


def on_server(question: str, scales: str) -> Both:
    """Return the replies to one of the questions, written on the server."""
    return {method: replies(question, method, scales) for method in METHODS}


def in_browser(tell: Callable[[str], str], scales: str) -> Both | None:
    """Say what stays where, draw the box, and return the replies that it reports.

    Until its first report these are the replies to the first question, written on the server.
    """
    said = st.container()
    box = _BOX(
        key=link.key("box"),
        data=packed_widths(scales),
        on_run_change=nothing,
        on_problem_change=partial(use_server, "failed"),
    )
    said.markdown(tell("ask.starting" if box.run is None else "ask.private"))
    if box.run is not None:
        return reported(box.run, scales)
    offer_server("Does the box stay empty? Pick a question and run it on the server instead")
    return on_server(QUESTION, scales)


def asked() -> None:
    """Draw the question that the replies below it answer; one that was typed is put there by the browser."""
    if link.kept("on_server"):
        st.caption(f"To the question “{escape(str(link.kept('question')))}”")
    else:
        _ASKED(key=link.key("asked"))


def reported(report: Mapping[str, Any], scales: str) -> Both | None:
    """Return the replies of a report, None if of other scales; ValueError, TypeError or KeyError if it is none."""
    if report["scales"] != scales:
        return None
    if len(report["replies"]) != len(METHODS):
        raise ValueError(f"expected replies by each of {', '.join(METHODS)}, got {len(report['replies'])}")
    full = token_ids(report["full"])
    pairs = zip(METHODS, report["replies"], strict=True)
    return {method: Replies(full, tuple(map(token_ids, fewer))) for method, fewer in pairs}


def token_ids(values: list[Any]) -> tuple[int, ...]:
    """Return a reply's token ids; ValueError or TypeError if they are none."""
    whole(len(values), 1, MAX_NEW_TOKENS)
    return tuple(whole(value, 0, load("mini").config.n_vocab - 1) for value in values)


_BOX = st.components.v2.component(
    "larkspur_bits",
    html=(HERE / "bits.html").read_text("utf-8"),
    css=(HERE / "mini.css").read_text("utf-8"),
    js=SCRIPT,
)
_ASKED = st.components.v2.component(
    "larkspur_bits_asked",
    html=f'<p class="quiet asked">To the question “{QUESTION}”</p>',
    css=(HERE / "mini.css").read_text("utf-8"),
    js=link.script("bits_asked.js"),
)
