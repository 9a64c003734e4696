"""Parts of a page that run by themselves: when one of their controls moves, the rest of the page stays as it is."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import ParamSpec

import streamlit as st

from pages.ui import link, turns

P = ParamSpec("P")
_DRAWN = ContextVar("the part that is being drawn", default="")


@contextmanager
def drawing(name: str) -> Iterator[None]:
    """Note that part `name` is being drawn; RuntimeError if another one is."""
    if _DRAWN.get():
        raise RuntimeError(f"expected no part within another, got {name} within {_DRAWN.get()}")
    token = _DRAWN.set(name)
    try:
        yield
    finally:
        _DRAWN.reset(token)


def part(draw: Callable[P, None]) -> Callable[P, None]:
    """Return `draw` as a part of its page: nothing outside may depend on what is set in it.

    A part that a page has several times is told apart by a `name`, given by keyword. Parts never stand within each
    other: on a busy server, Streamlit lost settings of the outer one while both ran in quick turn. Each has a
    container to itself that is never empty: where a busy browser takes a part away before it draws it anew,
    whatever comes behind would move up, and be drawn over.
    Run alone it ends by writing the address; where it settles what the link got wrong, the whole page runs again,
    since that is said at the top.
    """

    @st.fragment
    @wraps(draw)
    def alone(*args: P.args, **kwargs: P.kwargs) -> None:
        name = str(kwargs.get("name", draw.__name__))
        with turns.turn(), drawing(name):
            wrong = link.wrong()
            draw(*args, **kwargs)
            if link.is_whole():
                link.keep_ready(name)
                return
            link.write_alone(name)
            if link.wrong() != wrong:
                st.rerun()

    @wraps(draw)
    def in_its_place(*args: P.args, **kwargs: P.kwargs) -> None:
        with st.container():
            alone(*args, **kwargs)
            st.empty()  # keeps the place

    return in_its_place
