"""The reader's own question at every width: asked and answered in the reader's browser, or picked from a few.

What is typed stays in the browser; the page's server hears the tokens of the replies.
"""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Literal

import streamlit as st

from larkspur import load
from pages.ui import link
from pages.ui.bits_bytes import packed_widths
from pages.ui.bits_models import METHODS, QUESTION, QUESTIONS, Replies, replies
from pages.ui.controls import choice
from pages.ui.mini_browser import nothing, whole
from pages.ui.mini_bytes import MAX_NEW_TOKENS

HERE = Path(__file__).parent
SCRIPT = link.script("walking.js", "mini_tokenizer.js", "mini_model.js", "bits.js")


def ask(tell: Callable[[str], str], method: str, scales: str) -> Replies | None:
    """Draw the box, or the stand-in where it cannot run, and return the replies; None while they are being made."""
    if not link.kept("on_server"):
        try:
            return in_browser(tell, method, scales)
        except (KeyError, OverflowError, TypeError, ValueError):
            use_server("unreadable")
    st.warning(tell(f"ask.{link.kept('on_server')}"), icon=":material/dns:")
    question = choice("Ask", QUESTIONS, QUESTION, name="question")
    return replies(question, method, scales)


def in_browser(tell: Callable[[str], str], method: str, scales: str) -> Replies | None:
    """Say what stays where, draw the box, and return the replies that it reports.

    Until its first report these are the replies to the first question, written on the server.
    """
    st.markdown(tell("ask.private"))
    box = _COMPONENT(
        key=link.key("box"),
        data=packed_widths(scales),
        on_run_change=nothing,
        on_problem_change=partial(use_server, "failed"),
    )
    if box.run is not None:
        return reported(box.run, method, scales)
    st.button(
        "Does the box stay empty? Pick a question and run it on the server instead",
        key=link.key("use_server"),
        on_click=use_server,
        args=("chosen",),
        type="tertiary",
        icon=":material/dns:",
    )
    return replies(QUESTION, method, scales)


def reported(report: Mapping[str, Any], method: str, scales: str) -> Replies | None:
    """Return the replies of a report, None if of other scales; ValueError, TypeError or KeyError if it is none."""
    if report["scales"] != scales:
        return None
    if len(report["replies"]) != len(METHODS):
        raise ValueError(f"expected replies by each of {', '.join(METHODS)}, got {len(report['replies'])}")
    of_method = report["replies"][tuple(METHODS).index(method)]
    return Replies(token_ids(report["full"]), tuple(map(token_ids, of_method)))


def token_ids(values: list[Any]) -> tuple[int, ...]:
    """Return a reply's token ids; ValueError or TypeError if they are none."""
    whole(len(values), 1, MAX_NEW_TOKENS)
    return tuple(whole(value, 0, load("mini").config.n_vocab - 1) for value in values)


def use_server(why: Literal["chosen", "failed", "unreadable"]) -> None:
    """Let the server stand in for this visit."""
    st.session_state[link.key("on_server")] = why


_COMPONENT = st.components.v2.component(
    "larkspur_bits",
    html=(HERE / "bits.html").read_text("utf-8"),
    css=(HERE / "mini.css").read_text("utf-8"),
    js=SCRIPT,
)
