"""Chapter 3. How can one server answer many customers at once without the quick waiting for the slow?

Covers Monday's rush under four schedulers: who waits for whom, the batch pass by pass, the longest freeze, and
what deciding anew after every pass buys at equal latency.
"""

from functools import partial

import streamlit as st

from pages.ui import (
    batching_figures,
    batching_sums,
    blamed,
    first_word,
    ladder,
    numbers,
    same_latency,
    seats,
    waits,
)
from pages.ui.chapters import chapter
from pages.ui.charts import draw
from pages.ui.check import check, mission
from pages.ui.code import code_that_ran
from pages.ui.controls import choice, reset, slider
from pages.ui.frame import frame, heading, take_away
from pages.ui.guess import answers, guess
from pages.ui.parts import part
from pages.ui.prose import say
from pages.ui.sources import cite, cite_accelerator, cite_model, sources
from pages.ui.sums import badge
from pages.ui.tables import see_the_numbers
from sim import SOURCES
from sim.kernel.schedulers import make_up

CHAPTER = chapter(3)

around = frame(CHAPTER)
figures = batching_figures.figures()
tell = partial(say, CHAPTER.slug, **figures)
heading(CHAPTER, around)
st.markdown(tell("question"))

st.subheader("Your guess", anchor=False)
st.markdown(tell("guess"))
made = guess("The first word appears after (ms)", "ms", first_word.LEAST_MS, first_word.MOST_MS)
draw(first_word.first_words, first_word.guess_lanes(made), first_word.guess_alt(made), "guess_chart")
badge(batching_sums.first_word(made), around)
see_the_numbers(partial(first_word.guess_numbers, made), "first_words")
if made.latest is not None:
    keys = answers(made.latest, first_word.first_word_s(ladder.ANEW.word) * 1e3, near=2.0)
    st.markdown(" ".join(tell(key, guess=f"{made.latest:,} ms") for key in keys))
elif made.is_revealed:
    st.markdown(f"{tell('guess.shown')} {tell('guess.because')}")
else:
    st.caption(tell("guess.empty"))


def what_customers_feel(above: str, below: str, budget: str) -> None:
    """Draw who waits for whom under both schedulers, and what customers feel of it."""
    shown = (above, below, budget)
    draw(waits.waits, waits.lanes(*shown), waits.waits_alt(*shown), "waits")
    st.caption(tell("key"))
    badge(batching_sums.waits(*shown), around)
    see_the_numbers(partial(ladder.customers, *shown), "customers")

    st.markdown("#### What customers feel")
    st.markdown(tell("freeze"))
    st.markdown(batching_figures.side_by_side(*shown))
    badge(batching_sums.freezes(*shown), around)

    st.markdown("#### Pass by pass")
    st.markdown(tell("passes"))
    draw(seats.seats, seats.lanes(*shown), seats.seats_alt(*shown), "seats")
    badge(batching_sums.passes(*shown), around)
    see_the_numbers(partial(seats.passes_table, *shown), "passes")


def one_customer(above: str, below: str, budget: str) -> None:
    """Say who made one customer wait."""
    st.markdown("#### Who made one customer wait")
    st.markdown(tell("blame"))
    customer = slider("Customer", 1, len(ladder.rush()), 10, name="customer")
    st.markdown(blamed.both_told(above, below, budget, customer))
    badge(batching_sums.blame(customer), around)
    see_the_numbers(partial(blamed.pairs, above, below, budget, customer), "who_made_one_wait")


def what_it_shows() -> None:
    """Draw what holds whatever is chosen: Orca's claim, our own ratio, and what it shows."""
    st.markdown("#### Orca's claim, and our own ratio")
    st.markdown(tell("orca"))
    badge(batching_sums.orca(), around)
    draw(same_latency.same_latency, same_latency.curves(), same_latency.curves_alt(), "same_latency")
    st.caption(tell("orca.key"))
    badge(batching_sums.ratio(), around)
    see_the_numbers(same_latency.curves_table, "steady_traffic")

    st.subheader("What it shows", anchor=False)
    st.markdown(tell(f"shows.{around.reader}") if made.is_revealed else tell("shows.empty"))
    if around.reader == "Engineer":
        code_that_ran(make_up)


@part
def two_schedulers() -> None:
    """Run Monday under two schedulers, down to the mission that asks about both."""
    st.subheader("Run it: who waits for whom", anchor=False)
    st.markdown(f"{tell('ladder')}\n\n{ladder.told()}")
    st.markdown(tell("run"))
    above = choice("Above", ladder.WORDS, ladder.FIXED.word, name="above")
    below = choice("Below", ladder.WORDS, ladder.ANEW.word, name="below")
    budget = choice(
        "Tokens a pass, at most (in pieces)", ladder.BUDGETS, ladder.DEFAULT_BUDGET, name="budget"
    )
    reset(("above", "below", "budget"))
    what_customers_feel(above, below, budget)
    one_customer(above, below, budget)
    what_it_shows()

    st.subheader("Break it", anchor=False)
    freezes_s = sorted(ladder.felt(word, budget).freeze_s for word in (above, below))
    stand = {"before": numbers.ms(freezes_s[1]), "after": numbers.ms(freezes_s[0])}
    is_halved = made.is_revealed and batching_figures.is_halved(above, below, budget)
    mission(tell("mission"), tell("mission.now", **stand), is_halved, tell("mission.done", **stand))


two_schedulers()

st.subheader("Check", anchor=False)
check(
    f"Deciding anew, the average wait fell, yet {figures['anew_frozen']} texts stood still for "
    f"{figures['anew_freeze']}. Why?",
    {
        "b": "The batch was full",
        "a": "Someone's long prompt was read in one pass",
        "c": "Too many customers were waiting in the queue",
    },
    "a",
    tell,
)
check(
    f"One more, if you like: prompts are now read in pieces of {figures['piece']} tokens. Who pays most?",
    {
        "a": "Nobody",
        "c": "Everyone whose text is being written",
        "b": "The customer with the long prompt",
    },
    "b",
    tell,
    name="more",
)

take_away(tell("leaves"))
papers = [cite(SOURCES["orca"]), cite(SOURCES["pagedattention"])]
sources([*papers, *ladder.CITED, cite_model("opt-13b"), cite_accelerator("a100-80gb")])
around.foot()
