"""What the search has found, drawn: the best, all settings counted, what mattered, and what more cards would buy."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from pages.ui import cards_front, knobs_mattered, monday_counts, monday_found, monday_knobs, monday_sums
from pages.ui.charts import draw
from pages.ui.folds import fold
from pages.ui.frame import Frame
from pages.ui.monday_found import Result
from pages.ui.monday_try import CUSTOMERS
from pages.ui.plan_choice import is_todays
from pages.ui.sums import badge
from pages.ui.tables import see_the_numbers
from pages.ui.weight_quality import quality_sum
from pages.ui.weight_quality import told as quality
from sim import Settings

Tell = Callable[[str], str]


def show(
    result: Result, named: dict[str, Settings], price: float, tell: Tell, around: Frame, is_revealed: bool
) -> None:
    """Draw the results of a search; what the guess is about is kept back until it is revealed."""
    show_best(result, named, tell, around)
    st.markdown("#### What the tied best share")
    st.markdown(f"{tell('ties')}\n\n{monday_found.shared(result)}")
    see_the_numbers(partial(monday_found.ties_numbers, result), "tied_best")
    show_knobs(result, tell, around, is_revealed)
    if inside := fold("What more cards would buy", name="cards"):
        with inside:
            show_front(result, named, price, tell, around)


def show_best(result: Result, named: dict[str, Settings], tell: Tell, around: Frame) -> None:
    """Draw the best beside the others, what its bits cost in quality, and all settings counted."""
    st.markdown(" ".join(tell(key) for key in ("found", *of_today(result), *what_it_hides(result))))
    st.table(monday_found.side_by_side(named, result))
    if result.best.num_speculative_tokens:
        st.caption(" ".join(tell(key) for key in ("found.guesses", *without_guesses(result))))
    see_the_numbers(partial(monday_found.named_numbers, named, result), "named_settings")
    monday_knobs.presets({"the best": result.best})
    st.markdown(quality(result.best.weight_bits))
    badge(quality_sum(), around)
    marks, said = monday_counts.count_marks(result, named), monday_counts.count_alt(result, named)
    draw(monday_counts.counts, marks, said, "counts")
    st.caption(tell("counts.key"))
    badge(monday_sums.search_sum(result), around)
    see_the_numbers(partial(monday_counts.count_numbers, result), "settings_counted")


def of_today(result: Result) -> list[str]:
    """Return the passage that names the best of today's settings, where the best is none of them."""
    return [] if is_todays(result.best) else ["found.today"]


def what_it_hides(result: Result) -> list[str]:
    """Return the passages on what a number on target does not tell: freezes, and seats that stay empty."""
    minds_no_freeze = result.found.targets.gap_s is None
    has_empty_seats = result.best.max_num_seqs > CUSTOMERS
    return ["found.freeze"] * minds_no_freeze + ["found.seats"] * has_empty_seats


def without_guesses(result: Result) -> list[str]:
    """Return the passage on those tied that do not guess, where there are any."""
    return ["found.without"] if (result.ties["num_speculative_tokens"] == 0).any() else []


def show_knobs(result: Result, tell: Tell, around: Frame, is_revealed: bool) -> None:
    """Draw what is lost when a knob is put back."""
    st.markdown("#### Which knobs mattered")
    st.markdown(tell("mattered"))
    best = (result.best, result.found.targets)
    draw(knobs_mattered.lost, knobs_mattered.lost_marks(*best), knobs_mattered.lost_alt(*best), "lost")
    badge(monday_sums.lost_sum(result), around)
    see_the_numbers(partial(knobs_mattered.lost_numbers, *best, is_revealed), "knobs_put_back")


def show_front(result: Result, named: dict[str, Settings], price: float, tell: Tell, around: Frame) -> None:
    """Draw customers on target against what the cards cost."""
    st.markdown(tell("front"))
    shown = (result, named, price)
    draw(cards_front.front, cards_front.front_marks(*shown), cards_front.front_alt(*shown), "front")
    badge(monday_sums.front_sum(result), around)
    see_the_numbers(partial(cards_front.front_numbers, *shown), "cards_and_customers")
