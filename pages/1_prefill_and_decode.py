"""Chapter 1. Why does a reply's first token take a different time from every token after it?

Covers one request alone: Larkspur mini run for real with and without a KV cache, then the server at OPT-13B's
shape: where the time goes, where arithmetic begins to decide, and why the pace stays flat.
"""

from functools import partial

import streamlit as st

from pages.ui import (
    lone_figures,
    lone_sums,
    mini,
    mini_browser,
    mini_passes,
    numbers,
    pass_parts,
    prompt_lengths,
    timeline,
)
from pages.ui.chapters import chapter
from pages.ui.charts import draw
from pages.ui.check import check, mission
from pages.ui.code import code_that_ran
from pages.ui.controls import reset, slider
from pages.ui.frame import frame, heading, take_away
from pages.ui.guess import guess
from pages.ui.parts import part
from pages.ui.prose import say
from pages.ui.served import costs
from pages.ui.sources import cite_accelerator, cite_model, sources
from pages.ui.sums import badge
from pages.ui.tables import see_the_numbers
from sim import LoneRequest, lone_passes, lone_request, pass_time

CHAPTER = chapter(1)
LETTER = 700  # tokens of the prompt that the guess is about
LONGEST = prompt_lengths.LONGEST
LEAST_REPLY, MOST_REPLY = 10, 512

around = frame(CHAPTER)
example = mini.example()
tell = partial(say, CHAPTER.slug, **lone_figures.figures(LETTER), least_reply=str(LEAST_REPLY))
heading(CHAPTER, around)
st.markdown(tell("question"))

st.subheader("Your guess", anchor=False)
st.markdown(tell("guess"))
made = guess("The first token appears after (ms)", "ms", 1, 10_000)
if made.latest is not None:
    told = tell("guess.told", guess=f"{made.latest:,} ms")
    st.markdown(f"{told} {tell('guess.because')} {tell(lone_figures.verdict(made.latest, LETTER))}")
elif made.is_revealed:
    st.markdown(f"{tell('guess.shown')} {tell('guess.because')} {tell('guess.why')}")
else:
    st.caption(tell("guess.empty"))
draw(timeline.timeline, timeline.guess_lanes(made, LETTER), timeline.guess_alt(made, LETTER), "guess_chart")
badge(lone_sums.first_token(LETTER if made.is_revealed else example.prompt_tokens), around)
see_the_numbers(partial(timeline.guess_numbers, made, LETTER), "first_tokens")


@part
def for_real() -> None:
    """Run Larkspur mini."""
    st.subheader("Run it for real: Larkspur mini", anchor=False)
    st.markdown(tell("mini"))
    mini_run = mini_browser.run(tell)
    st.caption(tell("mini.beside"))
    draw(
        mini_passes.pass_times, mini_passes.pass_marks(mini_run), mini_passes.pass_alt(mini_run), "mini_chart"
    )
    if mini_run:
        badge(mini_passes.passes_sum(mini_run), around)
        see_the_numbers(partial(mini_passes.pass_table, mini_run), "larkspur_mini_passes")
    st.markdown(f"{tell('mini.cache')} {tell('mini.scale')}")


for_real()


def ask_for_a_request() -> tuple[int, int]:
    """Draw the sliders of the prompt and of the reply, and return both in tokens."""
    locked_at = None if made.is_revealed else example.prompt_tokens
    prompt_tokens = slider(
        "Prompt, tokens", 1, LONGEST - 1, example.prompt_tokens, name="prompt", locked_at=locked_at
    )
    asked_reply = slider("Reply, tokens", 1, MOST_REPLY, example.reply_tokens, name="reply")
    output_tokens = min(asked_reply, LONGEST - prompt_tokens)
    if not made.is_revealed:
        st.caption(tell("server.locked"))
    if output_tokens < asked_reply:
        st.caption(tell("server.limit", longest=numbers.count(LONGEST), reply=numbers.count(output_tokens)))
    reset(("prompt", "reply"))
    return prompt_tokens, output_tokens


def one_request(alone: LoneRequest, prompt_tokens: int, output_tokens: int) -> None:
    """Draw one request: its times, and its timeline."""
    first, later, whole = st.columns(3)
    first.metric("First token", numbers.ms(alone.ttft_s))
    later.metric(
        "Each later token",
        numbers.ms(alone.decode_s / alone.decode_passes, 1) if alone.decode_passes else "none",
    )
    whole.metric("Until the last token", numbers.ms(alone.e2e_s))
    lanes = timeline.request_lanes(prompt_tokens, output_tokens)
    draw(timeline.timeline, lanes, timeline.request_alt(alone, prompt_tokens), "timeline")
    badge(lone_sums.request(prompt_tokens, output_tokens), around)
    see_the_numbers(partial(lone_passes, costs(), prompt_tokens, output_tokens), "one_request_passes")


def its_passes(alone: LoneRequest, prompt_tokens: int) -> None:
    """Draw where each pass's time goes, and what changes with the prompt's length."""
    st.markdown("#### Where each pass's time goes")
    st.markdown(tell("parts"))
    if not alone.decode_passes:
        st.caption(tell("parts.none"))
    parts = pass_parts.parts_lanes(prompt_tokens)
    draw(pass_parts.where_time_goes, parts, pass_parts.parts_alt(prompt_tokens), "parts")
    badge(lone_sums.parts(prompt_tokens), around)
    see_the_numbers(partial(pass_parts.parts_numbers, prompt_tokens), "pass_parts")

    st.markdown("#### Prompts of any length")
    lines = prompt_lengths.lengths_lines(prompt_tokens, made.is_revealed)
    draw(
        prompt_lengths.lengths, lines, prompt_lengths.lengths_alt(prompt_tokens, made.is_revealed), "lengths"
    )
    badge(lone_sums.breaks_even(), around)
    see_the_numbers(partial(prompt_lengths.sweep, is_revealed=made.is_revealed), "prompt_lengths")


@part
def at_scale() -> None:
    """Run one request at scale, down to the mission that asks about it."""
    st.subheader("Run it at scale: the simulated server", anchor=False)
    st.markdown(tell("server"))
    prompt_tokens, output_tokens = ask_for_a_request()
    alone = lone_request(costs(), prompt_tokens, output_tokens)
    one_request(alone, prompt_tokens, output_tokens)
    its_passes(alone, prompt_tokens)

    st.subheader("What it shows", anchor=False)
    st.markdown(tell(f"shows.{around.reader}") if made.is_revealed else tell("shows.empty"))
    if around.reader == "Engineer":
        code_that_ran(pass_time)

    st.subheader("Break it", anchor=False)
    is_accomplished = made.is_revealed and output_tokens >= LEAST_REPLY and alone.ttft_s > alone.decode_s
    stand = {
        "ttft": numbers.ms(alone.ttft_s),
        "decode": numbers.ms(alone.decode_s),
        "reply": numbers.tokens(output_tokens),
    }
    mission(tell("mission"), tell("mission.now", **stand), is_accomplished, tell("mission.done", **stand))


at_scale()

st.subheader("Check", anchor=False)
check(
    "The reply gets twice as long. What changes?",
    {
        "a": "The first token comes later",
        "b": "Only the time after the first token",
        "c": "The first token comes later, and the end too",
    },
    "b",
    tell,
)
check(
    "One more, if you like: text starts at once but then trickles. What helps one lone customer most?",
    {
        "a": "Shorter prompts",
        "b": "More customers in each pass",
        "c": "Reading the weights faster, or making them smaller",
    },
    "c",
    tell,
    name="more",
)

take_away(tell("leaves"))
sources([cite_model("opt-13b"), cite_accelerator("a100-80gb"), lone_sums.cite_counting()])
around.foot()
