"""Chapter 2. How much memory does the KV cache take on a real server, and what does that limit?

Covers the bytes of one token factor by factor, other models', Larkspur mini's own cache, what fills a card, and
Monday's rush in that memory: reserved in one piece or paged in blocks.
"""

from functools import partial

import streamlit as st

from pages.ui import (
    kv_card,
    kv_factors,
    kv_lengths,
    kv_seats,
    kv_sums,
    kv_waste,
    mini_cache,
    numbers,
    parking,
)
from pages.ui.chapters import chapter
from pages.ui.charts import draw
from pages.ui.check import check, mission
from pages.ui.code import code_that_ran
from pages.ui.controls import choice, reset, slider
from pages.ui.frame import frame, heading, take_away
from pages.ui.guess import answers, guess
from pages.ui.kv_figures import figures
from pages.ui.monday_memory import RESERVED, seats_promised
from pages.ui.overview import kv_sum
from pages.ui.parts import part
from pages.ui.prose import say
from pages.ui.sources import sources
from pages.ui.sums import badge
from pages.ui.tables import see_the_numbers
from sim import ModelShape

CHAPTER = chapter(2)

around = frame(CHAPTER)
told = figures()
tell = partial(say, CHAPTER.slug, **told)
heading(CHAPTER, around)
st.markdown(tell("question"))

st.subheader("Your guess", anchor=False)
st.markdown(tell("guess"))
made = guess("Requests at once", "requests", 0, 1_000)
shown = made.is_revealed
draw(kv_seats.seats, kv_seats.seat_lanes(made), kv_seats.seat_alt(made), "guess_chart")
badge(kv_sums.seats(shown), around)
see_the_numbers(partial(kv_seats.seat_numbers, made), "places")
if made.latest is not None:
    keys = answers(made.latest, seats_promised())
    st.markdown(" ".join(tell(key, guess=f"{made.latest:,}") for key in keys))
elif shown:
    st.markdown(f"{tell('guess.shown')} {tell('guess.because')}")
else:
    st.caption(tell("guess.empty"))

st.subheader("Where the bytes come from", anchor=False)
st.markdown(tell("factors"))
draw(kv_factors.kv_factors, kv_factors.factor_lanes(), kv_factors.factor_alt(), "factors")
badge(kv_sum(), around)
see_the_numbers(kv_factors.factor_numbers, "bytes_of_a_token")
st.markdown(tell("models"))
draw(kv_factors.kv_models, kv_factors.model_lanes(), kv_factors.model_alt(), "models")
badge(kv_sums.models(), around)
see_the_numbers(kv_factors.model_numbers, "models")
st.markdown(tell("mini"))
draw(mini_cache.cache_held, mini_cache.cache_lanes(), mini_cache.cache_alt(), "mini_cache")
badge(mini_cache.cache_sum(), around)
see_the_numbers(mini_cache.measured, "larkspur_mini_cache")


@part
def on_the_card() -> None:
    """Draw what fills a card."""
    st.subheader("What the weights leave", anchor=False)
    st.markdown(tell("cards"))
    weight_bits = int(choice("Bits a weight", kv_card.WEIGHT_BITS, "16", name="bits"))
    draw(kv_card.cards, kv_card.card_lanes(weight_bits, shown), kv_card.card_alt(weight_bits, shown), "cards")
    badge(kv_sums.card(weight_bits, shown), around)
    see_the_numbers(partial(kv_card.card_numbers, weight_bits, shown), "cards")


on_the_card()


@part
def car_park() -> None:
    """Draw Monday in memory."""
    st.subheader("The car park: Monday in that memory", anchor=False)
    st.markdown(tell("parking"))
    reserved = choice("Reserved above", RESERVED, "Max", name="reserved")
    st.caption(tell(f"parking.{reserved}"))
    draw(parking.parking, parking.car_park(reserved, shown), parking.parking_alt(reserved, shown), "parking")
    badge(kv_sums.parking(), around)
    see_the_numbers(partial(parking.parking_numbers, reserved, shown), "monday_in_memory")
    if not shown:
        st.caption(tell("parking.empty"))

    st.markdown("#### Seats over time")
    draw(
        kv_waste.seated,
        kv_waste.seated_lines(reserved, shown),
        kv_waste.seated_alt(reserved, shown),
        "seated",
    )
    badge(kv_sums.seated(shown), around)
    see_the_numbers(partial(kv_waste.seats_numbers, shown), "seats")


car_park()

st.markdown("#### What the memory holds")
st.markdown(tell("waste"))
draw(kv_waste.waste, kv_waste.waste_lanes(), kv_waste.waste_alt(), "waste")
badge(kv_sums.waste(), around)
badge(kv_sums.paper_shares(), around)
see_the_numbers(kv_waste.waste_numbers, "what_the_memory_holds")
st.markdown(tell("paper.differs") if shown else tell("paper.empty"))

st.subheader("What it shows", anchor=False)
st.markdown(tell(f"shows.{around.reader}") if shown else tell("shows.empty"))
if around.reader == "Engineer":
    code_that_ran(ModelShape.kv_bytes_per_token)


@part
def break_it() -> None:
    """Set the mission."""
    st.subheader("Break it", anchor=False)
    st.markdown(tell("break"))
    length = slider(
        "Tokens of every request, prompt and reply together",
        kv_lengths.SHORTEST,
        kv_lengths.LONGEST,
        kv_lengths.usual_tokens(),
        name="length",
        locked_at=None if shown else kv_lengths.usual_tokens(),
    )
    reset(("bits", "reserved", "length"))
    draw(kv_lengths.fits, kv_lengths.fit_lines(length, shown), kv_lengths.fit_alt(length, shown), "fits")
    badge(kv_sums.fit(length), around)
    see_the_numbers(partial(kv_lengths.fit_numbers, shown), "requests_of_one_length")
    fit = kv_lengths.paged_fit(length)
    stand = {"length": numbers.count(length), "fit": numbers.count(fit)}
    is_found = shown and fit <= seats_promised()
    mission(tell("mission"), tell("mission.now", **stand), is_found, tell("mission.done", **stand))


break_it()

st.subheader("Check", anchor=False)
check(
    f"After the weights, a card of {told['small_card']} has {told['small_kv']} left and one of {told['big_card']} has "
    f"{told['big_kv']}. How many times as many equal requests does the larger one hold?",
    {"a": "Twice as many", "b": "As many: the model is the same", "c": "Between four and five times as many"},
    "c",
    lambda key: tell(key) + (f" {tell('check.seats')}" if shown and key == "check.c" else ""),
)
check(
    f"One more, if you like: memory is given out in blocks of {told['block_size']} tokens. What can still be wasted?",
    {"a": "Nothing", "b": "The rest of each request's last block", "c": "What a longer reply is promised"},
    "b",
    tell,
    name="more",
)

take_away(tell("leaves"))
st.caption(tell("leaves.beside"))
sources(kv_sums.cited())
around.foot()
