"""Chapter 1. Why does the first token of a reply take another time than all that follow?

Covers one request alone: Larkspur mini run for real with and without a KV cache, then the server at OPT-13B's
shape: where the time goes, where reading the prompt stops being free, and why the pace stays flat.
"""

from functools import partial

import streamlit as st

from pages.ui import lone_sums as sums
from pages.ui import mini, mini_browser, mini_passes, numbers, pass_parts, prompt_lengths, timeline
from pages.ui.chapters import chapter
from pages.ui.charts import draw
from pages.ui.check import check, mission
from pages.ui.controls import locked_slider, reset, slider
from pages.ui.frame import frame, heading, take_away
from pages.ui.guess import guess
from pages.ui.prose import say
from pages.ui.served import costs
from pages.ui.sources import cite_accelerator, cite_model, sources
from pages.ui.sums import badge
from pages.ui.tables import see_the_numbers
from sim import lone_passes, lone_request

CHAPTER = chapter(1)
LETTER = 700  # tokens of the prompt that the guess is about
LONGEST = prompt_lengths.LONGEST
LEAST_REPLY, MOST_REPLY = 10, 512

around = frame(CHAPTER)
example = mini.example()
tell = partial(say, CHAPTER.slug, **sums.figures(LETTER), least_reply=str(LEAST_REPLY))
heading(CHAPTER, around)
st.markdown(tell("question"))

st.subheader("Your guess")
st.markdown(tell("guess"))
made = guess("The first token appears after (ms)", "ms", 1, 10_000)
draw(timeline.timeline, timeline.guess_frame(made, LETTER), timeline.guess_alt(made, LETTER), "guess_chart")
badge(sums.first_token(LETTER if made.is_revealed else example.prompt_tokens), around)
see_the_numbers(partial(timeline.guess_table, made, LETTER), "first_tokens")
if made.is_revealed:
    outcome = tell("guess.told", guess=numbers.ms_value(made.latest)) if made.latest else tell("guess.shown")
    st.markdown(f"{outcome} {tell('guess.because')}")
else:
    st.caption(tell("guess.empty"))

st.subheader("Run it for real: Larkspur mini")
st.markdown(tell("mini"))
mini_run = mini_browser.run(tell)
st.caption(tell("mini.beside"))
draw(mini_passes.pass_times, mini_passes.pass_marks(mini_run), mini_passes.pass_alt(mini_run), "mini_chart")
if mini_run:
    badge(mini_passes.passes_sum(mini_run), around)
    see_the_numbers(partial(mini_passes.pass_table, mini_run), "larkspur_mini_passes")
st.markdown(f"{tell('mini.cache')} {tell('mini.scale')}")

st.subheader("Run it at scale: the simulated server")
st.markdown(tell("server"))
if made.is_revealed:
    prompt_tokens = slider("Prompt, tokens", 1, LONGEST - 1, example.prompt_tokens, name="prompt")
else:
    prompt_tokens = locked_slider("Prompt, tokens", 1, LONGEST - 1, example.prompt_tokens)
    st.caption(tell("server.locked"))
asked_reply = slider("Reply, tokens", 1, MOST_REPLY, example.reply_tokens, name="reply")
output_tokens = min(asked_reply, LONGEST - prompt_tokens)
if output_tokens < asked_reply:
    st.caption(tell("server.limit", longest=numbers.count(LONGEST), reply=numbers.count(output_tokens)))
reset(("prompt", "reply"))

alone = lone_request(costs(), prompt_tokens, output_tokens)
sums.three_times(alone)
lane = timeline.request_frame(prompt_tokens, output_tokens)
draw(timeline.timeline, lane, timeline.request_alt(alone, prompt_tokens), "timeline")
badge(sums.request(prompt_tokens, output_tokens), around)
see_the_numbers(partial(lone_passes, costs(), prompt_tokens, output_tokens), "one_request_passes")

st.markdown("**Where each pass's time goes**")
st.markdown(tell("parts"))
parts = pass_parts.parts_frame(prompt_tokens)
draw(pass_parts.where_time_goes, parts, pass_parts.parts_alt(prompt_tokens), "parts")
badge(sums.parts(prompt_tokens), around)
see_the_numbers(partial(pass_parts.parts_table, prompt_tokens), "pass_parts")

st.markdown("**Prompts of any length**")
st.markdown(tell("lengths"))
lengths = prompt_lengths.lengths_frame(prompt_tokens, made.is_revealed)
lengths_alt = prompt_lengths.lengths_alt(prompt_tokens, made.is_revealed)
draw(prompt_lengths.lengths, lengths, lengths_alt, "lengths")
badge(sums.breaks_even(), around)
if made.is_revealed:
    see_the_numbers(prompt_lengths.sweep, "prompt_lengths")

    st.subheader("What it shows")
    st.markdown(tell(f"shows.{around.reader}"))

st.subheader("Break it")
is_accomplished = made.is_revealed and output_tokens >= LEAST_REPLY and alone.ttft_s > alone.decode_s
praise = tell("mission.done", ttft=numbers.ms(alone.ttft_s), decode=numbers.ms(alone.decode_s))
mission(tell("mission"), is_accomplished, praise)

st.subheader("Check")
check(
    "The reply gets twice as long. What changes?",
    {
        "a": "Only the time after the first token",
        "b": "The first token comes later",
        "c": "The first token comes later, and the end too",
    },
    "a",
    lambda answer: tell(f"check.{answer}"),
)
check(
    "One more, if you like: text starts at once but then trickles. What helps one lone customer most?",
    {
        "a": "Reading the weights faster, or making them smaller",
        "b": "Shorter prompts",
        "c": "More customers in each pass",
    },
    "a",
    lambda answer: tell(f"more.{answer}"),
    name="more",
)

take_away(tell("leaves"))
sources([cite_model("opt-13b"), cite_accelerator("a100-80gb"), sums.cite_counting()])
around.foot()
