"""Chapter 7. Which serving settings get the most of Monday's customers their reply on target?

Covers what *on target* means, Monday under a setting made by hand, why customers miss, every setting tried, which
knobs and limits mattered, what cards cost, who gains and loses between two settings, how the answer holds on other
Mondays and under other assumptions, and how to take it to a real server.
"""

from functools import partial

import streamlit as st

from pages.ui import (
    cap_alone,
    monday_compared,
    monday_figures,
    monday_found,
    monday_guess,
    monday_hand,
    monday_knobs,
    monday_results,
    monday_sums,
    monday_targets,
    monday_wish,
)
from pages.ui.aloud import aloud
from pages.ui.batch_price import price_per_hour
from pages.ui.chapters import chapter
from pages.ui.charts import draw
from pages.ui.check import check, mission
from pages.ui.code import code_that_ran
from pages.ui.controls import reset, slider
from pages.ui.frame import frame, heading, route_ends, take_away
from pages.ui.guess import guess
from pages.ui.monday_try import CUSTOMERS, DEFAULTS, named
from pages.ui.plan_choice import Plan
from pages.ui.plan_export import export_section
from pages.ui.plan_trust import trust_section
from pages.ui.prose import say
from pages.ui.served import server
from pages.ui.sources import cite, cite_accelerator, cite_model, sources
from pages.ui.sums import badge
from pages.ui.tables import see_the_numbers
from sim import SOURCES, search

CHAPTER = chapter(7)

around = frame(CHAPTER)
tell = partial(say, CHAPTER.slug, **monday_figures.figures())
heading(CHAPTER, around)
st.markdown(tell("question"))

st.subheader("Your guess", anchor=False)
st.markdown(tell("guess"))
made = guess("On target after the best single change", "customers", 0, CUSTOMERS)
draw(monday_guess.one_change, monday_guess.guess_lanes(made), monday_guess.guess_alt(made), "guess_chart")
badge(monday_sums.one_change(is_revealed=made.is_revealed), around)
see_the_numbers(partial(monday_guess.guess_numbers, made), "single_changes")
if made.latest is not None:
    told = tell("guess.told", guess=str(made.latest))
    st.markdown(f"{told} {tell(monday_figures.verdict(made))} {tell('guess.because')}")
elif made.is_revealed:
    st.markdown(f"{tell('guess.shown')} {tell('guess.because')}")
else:
    st.caption(tell("guess.empty"))

st.subheader("Run it: your own try", anchor="knobs")
st.markdown(tell("targets"))
targets = monday_targets.choose()
st.markdown(monday_targets.reasons(targets))
st.markdown(tell("knobs"))
mine = monday_knobs.set_by_hand(around)
with st.container(horizontal=True, vertical_alignment="center"):
    monday_knobs.presets({"vLLM's defaults": DEFAULTS})
    reset((*monday_targets.NAMES, *monday_knobs.NAMES))
before = monday_figures.last_try(mine)
tell = partial(tell, **monday_figures.of_the_try(mine, targets))
monday_hand.show(mine, before, targets, made, tell, around)

st.subheader("Search: every setting", anchor="search")
st.markdown(tell("search"))
wish, price = monday_wish.wishes(), price_per_hour()
found = monday_wish.search_here(targets, monday_figures.figures()["settings"])
result = monday_found.result(found, wish) if found else None
route_ends(around)
aloud(monday_found.spoken(result), "search")
called = named(mine, result.best if result else None)
if result:
    tell = partial(tell, **monday_figures.of_the_search(result, mine))
    monday_results.show(result, called, price, tell, around, made.is_revealed)
else:
    st.caption(tell("search.empty"))

monday_compared.show(called | monday_found.best_of_today(result), targets, tell, around)

st.subheader("Can it be trusted", anchor=False)
trust = None
if result:
    known = (targets, wish.space, server(), around, result.best_today)
    trust = trust_section(mine, result.best, result.frame, *known)
else:
    st.caption(tell("search.first"))

st.subheader("What it shows", anchor="shows")
is_told = result and made.is_revealed
st.markdown(monday_figures.reading(around.reader, result, tell) if is_told else tell("shows.empty"))
if around.reader == "Engineer":
    code_that_ran(search)

st.subheader("Break it", anchor=False)
cap = slider("Seats, everything else as vLLM's defaults", 1, CUSTOMERS, cap_alone.BEGIN, name="cap")
stand = cap_alone.figures(cap)
mission(
    tell("mission", **stand),
    tell("mission.now", **stand),
    cap_alone.is_broken(cap),
    tell("mission.done", **stand),
)
badge(monday_sums.cap_sum(cap), around)

st.subheader("Check", anchor=False)
check(
    "The best of 20,000 settings keeps 23 customers this Monday and 19 the next. Why?",
    {
        "a": "The server got slower",
        "b": "It was picked for these customers, and part of that was their luck",
        "c": "The search missed a better setting",
    },
    "b",
    tell,
)
check(
    "One more, if you like. Setting A: first word after 0.4 s on average, 18 of 24 on target. Setting B: after 0.6 s, "
    "22 on target. Which serves more customers well?",
    {"a": "A, it is faster", "c": "They are about equal", "b": "B"},
    "b",
    tell,
    name="more",
)

st.subheader("To a real server", anchor=False)
if result:
    plan = Plan(mine, result.best, result.best_today, targets, server(), price)
    export_section(
        plan, partial(monday_found.for_csv, targets, wish), int(result.counts.sum()), trust, around
    )
else:
    st.caption(tell("search.first"))

take_away(tell("leaves"))
sources([cite(SOURCES["gptq"]), cite_model("opt-13b"), cite_accelerator("a100-80gb"), *monday_sums.CITED])
around.foot()
