"""Chapter 5's figures at scale: guessing on the simulated server, Monday with guesses, and T5-XXL as published."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from pages.ui import draft_figures, draft_monday, draft_quoted, draft_server, draft_sums
from pages.ui.charts import draw
from pages.ui.frame import Frame
from pages.ui.sums import badge
from pages.ui.tables import see_the_numbers

Tell = Callable[..., str]


def on_the_server(
    tell: Tell, around: Frame, ahead: int, percent: int, batch: int, *, is_revealed: bool
) -> dict[str, str]:
    """Draw what guesses bring each of a batch, and return its figures."""
    shown = (ahead, percent, batch)
    draw(draft_server.pace_by_batch, draft_server.pace_marks(*shown), draft_server.pace_alt(*shown), "pace")
    badge(draft_sums.on_the_server(*shown, is_revealed=is_revealed), around)
    see_the_numbers(partial(draft_server.pace_numbers, ahead, percent), "guessing_by_batch")
    stand = draft_figures.of_the_server(*shown, is_revealed=is_revealed)
    told = draft_figures.reading(ahead, is_revealed=is_revealed)
    st.markdown(f"{tell(told, **stand)} {tell(draft_figures.turning(ahead, percent), **stand)}")
    return stand


def on_monday(tell: Tell, around: Frame, ahead: int, percent: int) -> dict[str, str]:
    """Draw Monday, with guesses and without, and return its figures."""
    st.markdown("#### Monday, with guesses and without")
    guessed = (ahead, percent)
    rush = draft_figures.of_monday(*guessed)
    st.markdown(tell("monday", **rush))
    draw(draft_monday.per_token, draft_monday.lanes(*guessed), draft_monday.lanes_alt(*guessed), "monday")
    badge(draft_sums.rush(*guessed), around)
    see_the_numbers(partial(draft_monday.monday_numbers, *guessed), "monday_per_token")
    st.markdown(tell("monday.read", **rush))
    return rush


def as_published(tell: Tell, around: Frame) -> None:
    """Draw what was measured of T5-XXL."""
    st.markdown("#### As published: T5-XXL")
    st.markdown(f"{tell('quoted', **draft_quoted.figures())}\n\n{draft_quoted.told()}")
    badge(draft_quoted.quoted(), around)
    see_the_numbers(draft_quoted.quoted_numbers, "t5_xxl")
