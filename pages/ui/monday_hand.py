"""What came of the reader's own setting, drawn: the target box, who missed and why, the timeline and the memory."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from pages.ui import monday_lanes, monday_load, monday_misses, monday_sums, target_box
from pages.ui.charts import draw
from pages.ui.folds import fold
from pages.ui.frame import Frame
from pages.ui.guess import Guess
from pages.ui.monday_try import named
from pages.ui.sums import badge
from pages.ui.tables import see_the_numbers
from sim import Settings, Targets


def show(
    mine: Settings,
    before: Settings | None,
    targets: Targets,
    made: Guess,
    tell: Callable[[str], str],
    around: Frame,
) -> None:
    """Draw all that one setting, the reader's, brings on Monday; what would help it comes with the guess."""
    drawn = (mine, before, targets)
    draw(target_box.target_box, target_box.box_marks(*drawn), target_box.box_alt(*drawn), "box")
    st.caption(tell("box.key") if targets.gap_s is None else f"{tell('box.key')} {tell('box.freeze')}")
    badge(monday_sums.attempt_sum(mine, targets), around)
    see_the_numbers(partial(target_box.box_numbers, mine, targets), "your_customers")

    st.markdown("#### Who missed, and why")
    st.markdown(monday_misses.summed_up(mine, targets))
    if inside := fold("The one change that would help most", name="hint"):
        helps = monday_misses.what_helps(mine, targets) if made.is_revealed else tell("helps.empty")
        inside.markdown(helps)
    see_the_numbers(partial(monday_misses.miss_numbers, mine, targets, made.is_revealed), "misses")
    rows = (monday_lanes.lanes(mine, targets), monday_lanes.alt_text(mine, targets))
    draw(monday_lanes.timeline, *rows, "lanes")
    st.caption(tell("lanes.key"))
    see_the_numbers(partial(monday_lanes.lane_numbers, mine, targets), "your_timeline")
    draw(monday_load.load, monday_load.load_marks(mine), monday_load.load_alt(mine), "load")
    see_the_numbers(partial(monday_load.load_numbers, mine), "your_passes")

    st.markdown("#### What customers feel")
    st.markdown(monday_load.felt_table(named(mine), targets))
