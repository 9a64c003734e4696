"""Chapter 5. How can a small model make a big one faster without changing a word of its reply?

Covers mini really written with its student guessing ahead, round by round; one sampled token; tokens a pass
measured and by the formula; the simulated server, where a full batch spoils it; Monday; and T5-XXL as published.
"""

from functools import partial

import streamlit as st

from larkspur.speculation import play_round
from pages.ui import (
    draft_figures,
    draft_guess,
    draft_picture,
    draft_rate,
    draft_scale,
    draft_server,
    draft_sums,
    draft_token,
)
from pages.ui.chapters import chapter
from pages.ui.charts import draw
from pages.ui.check import check, mission
from pages.ui.code import code_that_ran
from pages.ui.controls import choice, reset, slider
from pages.ui.draft_run import FIRST_GUESSES, MOST_GUESSES, QUESTIONS, draft, pick_question
from pages.ui.frame import frame, heading, take_away
from pages.ui.guess import guess
from pages.ui.parts import part
from pages.ui.prose import say
from pages.ui.sources import cite, cite_accelerator, cite_model, sources
from pages.ui.sums import badge
from pages.ui.tables import see_the_numbers
from sim import SOURCES

CHAPTER = chapter(5)

around = frame(CHAPTER)
tell = partial(say, CHAPTER.slug, **draft_figures.figures())
heading(CHAPTER, around)
st.markdown(tell("question"))

st.subheader("Your guess", anchor=False)
st.markdown(tell("guess"))
made = guess(f"{draft_guess.PASSES} passes yield (tokens)", "tokens", draft_guess.LEAST, draft_guess.MOST)
draw(draft_guess.ten_passes, draft_guess.guess_lanes(made), draft_guess.guess_alt(made), "guess_chart")
badge(draft_sums.ten_passes(is_revealed=made.is_revealed), around)
see_the_numbers(partial(draft_guess.guess_numbers, made), "ten_passes")
st.markdown(" ".join(tell(key, guess=f"{made.latest}") for key in draft_figures.answer(made)))

st.subheader("Run it for real: mini and its student", anchor=False)
st.markdown(tell("draft"))
question = pick_question()
tries = slider("Guesses a pass, at most", 1, MOST_GUESSES, FIRST_GUESSES, name="guesses")
reply = draft(question, tries)
written = draft_figures.of_the_draft(reply)
draft_picture.draw_picture(reply)
badge(draft_sums.really(reply), around)
see_the_numbers(partial(draft_picture.picture_numbers, reply), "rounds")
st.markdown(tell("draft.read", **written))
st.markdown(tell(draft_figures.seconds(reply), **written))


@part
def rate() -> None:
    """Draw how often the student is right."""
    st.markdown("#### How often the student is right")
    pick = choice("Mini picks", draft_rate.PICKS, draft_rate.GREEDY, name="pick")
    with st.spinner(f"Running mini and its student on {len(QUESTIONS)} questions"):
        measured = draft_figures.of_the_rate(pick, tries)
    st.markdown(tell("rate", **measured))
    shown = (pick, tries, made.is_revealed)
    draw(draft_rate.tokens_by_guesses, draft_rate.rate_marks(*shown), draft_rate.rate_alt(*shown), "rate")
    badge(draft_sums.rate(pick, tries, is_revealed=made.is_revealed), around)
    see_the_numbers(partial(draft_rate.shown_numbers, pick, made.is_revealed), "tokens_a_pass")
    st.markdown(tell("rate.read", **measured) if made.is_revealed else tell("rate.empty"))


rate()


@part
def one_token() -> None:
    """Draw one sampled token."""
    st.markdown("#### One sampled token")
    st.markdown(tell("token", temperature=f"{draft_token.TEMPERATURE:g}"))
    place = slider("Token of the reply", 1, draft_token.LAST_PLACE, 1, name="place")
    number = slider("Number of the draw", *draft_token.DRAWS, name="draw")
    at = (question, place)
    draw(draft_token.one_token, draft_token.token_lanes(*at), draft_token.token_alt(*at), "token")
    badge(draft_sums.one_token(*at), around)
    see_the_numbers(partial(draft_token.token_numbers, *at), "one_token")
    st.markdown(tell("token.read"))
    told = draft_figures.of_the_token(*at, number)
    passages = (draft_figures.standing(*at), draft_figures.drawn(*at, number))
    st.markdown(" ".join(tell(key, **told) for key in passages))


one_token()


@part
def at_scale() -> None:
    """Draw the simulated server, Monday on it, what both show, and the mission: all follow the same settings."""
    st.subheader("Run it at scale: the simulated server", anchor="server")
    st.markdown(tell("server"))
    percent = slider("Guesses that are right, %", *draft_server.PERCENTS, name="acceptance")
    ahead = slider("Guesses of the draft model a pass", 1, MOST_GUESSES, FIRST_GUESSES, name="ahead")
    batch = slider("Customers who write at once", *draft_server.BATCHES, name="batch")
    everything = ("question", "guesses", "pick", "place", "draw", "acceptance", "ahead", "batch")
    reset(everything, "Reset all of this page")
    shown = (ahead, percent, batch)
    stand = draft_scale.on_the_server(tell, around, *shown, is_revealed=made.is_revealed)
    rush = draft_scale.on_monday(tell, around, ahead, percent)
    draft_scale.as_published(tell, around)

    st.subheader("What it shows", anchor=False)
    figures = written | rush | stand
    st.markdown(tell(f"shows.{around.reader}", **figures) if made.is_revealed else tell("shows.empty"))
    if around.reader == "Engineer":
        code_that_ran(play_round)

    st.subheader("Break it", anchor=False)
    now, is_done = draft_figures.standing_now(*shown), draft_figures.is_accomplished(*shown)
    mission(tell("mission"), tell(now, **stand), is_done, tell("mission.done", **stand))


at_scale()

st.subheader("Check", anchor=False)
check(
    "The first guess of a round is wrong. What is lost?",
    {
        "a": "The time of guessing and checking; the pass still writes its own token",
        "b": "The whole pass: it has to be run again without guesses",
        "c": "A word of the reply: it is the student's instead of the big model's",
    },
    "a",
    tell,
)
check(
    "One more, if you like: new products launch, and the student guesses worse. What do customers notice?",
    {"a": "Wrong words now and then", "b": "Slower text, the same words", "c": "Nothing at all"},
    "b",
    tell,
    name="more",
)

take_away(tell("leaves"))
st.caption(tell("leaves.fine"))
papers = [cite(SOURCES["speculative-decoding"]), draft_sums.CHEN, draft_sums.VLLM]
sources([*papers, cite_model("opt-13b"), cite_model("opt-125m"), cite_accelerator("a100-80gb")])
around.foot()
