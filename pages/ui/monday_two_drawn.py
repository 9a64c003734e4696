"""Two settings on the same customers, drawn: the target box with lines from the one to the other."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from pages.ui import monday_sums, monday_two, target_box
from pages.ui.charts import draw
from pages.ui.controls import choice
from pages.ui.frame import Frame
from pages.ui.sums import badge
from pages.ui.tables import see_the_numbers
from sim import Settings, Targets


def compare(named: dict[str, Settings], targets: Targets, tell: Callable[[str], str], around: Frame) -> None:
    """Draw the choice of two settings, where each customer goes from one to the other, and who gains and loses."""
    names = (
        choice("From", monday_two.NAMES, "vLLM's defaults", name="from"),
        choice("To", monday_two.NAMES, "mine", name="to"),
    )
    if not set(names) <= set(named):
        st.caption(tell("two.empty"))
        return
    one, other = (named[name] for name in names)
    st.markdown(tell("two"))
    shown = (other, one, targets)
    draw(target_box.target_box, target_box.box_marks(*shown), target_box.box_alt(*shown), "two")
    st.markdown(monday_two.told(names, one, other, targets))
    badge(monday_sums.attempt_sum(other, targets), around)
    see_the_numbers(partial(monday_two.two_numbers, one, other, targets), "two_settings")
