"""Settings beside each other, drawn on demand: which limit binds each, and who gains and loses between two."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from pages.ui import monday_limits, monday_sums, monday_two, target_box
from pages.ui.charts import draw
from pages.ui.controls import choice, one_of
from pages.ui.folds import fold, open_for_complaints
from pages.ui.frame import Frame
from pages.ui.sums import badge
from pages.ui.tables import see_the_numbers
from sim import Settings, Targets

Tell = Callable[[str], str]


def show(named: dict[str, Settings], targets: Targets, tell: Tell, around: Frame) -> None:
    """Draw the two folds: which limit binds, and two settings on the same customers."""
    if inside := fold("Which limit binds, and which is next", name="limits"):
        with inside:
            limits(named, targets, tell, around)
    open_for_complaints("two", dict.fromkeys(("from", "to"), one_of(monday_two.NAMES)))
    if inside := fold("Two settings, the same customers: who gains, who loses", name="two"):
        with inside:
            compare(named, targets, tell, around)


def limits(named: dict[str, Settings], targets: Targets, tell: Tell, around: Frame) -> None:
    """Draw which limit binds each setting, and which is next."""
    st.markdown(tell("limits"))
    st.markdown("\n".join(monday_limits.told(name, each, targets) for name, each in named.items()))
    badge(monday_sums.limits_sum(), around)
    see_the_numbers(partial(monday_limits.limit_numbers, named, targets), "limits_lifted")


def compare(named: dict[str, Settings], targets: Targets, tell: Tell, around: Frame) -> None:
    """Draw the choice of two settings, where each customer goes from one to the other, and who gains and loses."""
    names = (
        choice("From", monday_two.NAMES, "vLLM's defaults", name="from", wraps=True),
        choice("To", monday_two.NAMES, "mine", name="to", wraps=True),
    )
    if not set(names) <= set(named):
        st.caption(tell("two.empty"))
        return
    one, other = (named[name] for name in names)
    st.markdown(tell("two"))
    shown = (other, one, targets)
    draw(target_box.target_box, target_box.box_marks(*shown), target_box.box_alt(*shown), "two_box")
    st.markdown(monday_two.told(names, one, other, targets))
    badge(monday_sums.attempt_sum(other, targets, names[1]), around)
    see_the_numbers(partial(monday_two.two_numbers, one, other, targets), "two_settings")
