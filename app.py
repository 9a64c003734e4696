"""Overview: what happens between the prompt and the reply, in one example, four ideas and a path of seven chapters."""

from functools import partial

import streamlit as st

from pages.ui import mini, mini_passes, overview, timeline
from pages.ui.chapters import CHAPTERS, OVERVIEW
from pages.ui.charts import draw
from pages.ui.chips import chips
from pages.ui.frame import frame, words_here
from pages.ui.prose import say
from pages.ui.served import costs
from pages.ui.sums import badge
from pages.ui.tables import see_the_numbers
from sim import lone_request

around = frame(OVERVIEW)
example = mini.example()
alone = lone_request(costs(), example.prompt_tokens, example.reply_tokens)
tell = partial(say, "app", **overview.figures())

st.caption("Module 13 · Inference")
st.title("What happens between the prompt and the reply", anchor=False)
st.markdown(tell("what"))
st.markdown(tell(f"reads.{around.reader}"))
overview.start(around)
words_here(around)

st.header("The whole idea in one example: one request, two speeds", anchor=False)
st.markdown(tell("example"))
reading, writing = st.columns(2)
with reading:
    st.markdown(f"**Reading (prefill)**: {alone.prefill_passes} pass, {example.prompt_tokens} tokens")
    chips(mini.example_read(), "prefill")
with writing:
    st.markdown(f"**Writing (decode)**: {alone.decode_passes} more passes; the first token came with reading")
    chips(example.written, "decode")
badge(mini_passes.passes_sum(example), around)
draw(
    timeline.short_timeline,
    overview.example_lanes(),
    timeline.request_alt(alone, example.prompt_tokens),
    "example",
)
st.markdown(tell("example.ends"))
badge(overview.example_sum(), around)
see_the_numbers(overview.example_passes, "example_passes")

st.header("How it works: four ideas", anchor=False)
for name in overview.IDEAS:
    st.markdown(tell(f"idea.{name}"))
    badge(overview.idea_sum(name), around)

st.header("The story", anchor=False)
st.markdown(tell("story"))
for column, (label, value, behind) in zip(st.columns(4), overview.big_numbers(), strict=True):
    with column:
        st.metric(label, value)
        badge(behind, around)

st.header("The path", anchor=False)
st.markdown(tell("done"))
for stop in CHAPTERS:
    overview.card(stop, around)
overview.short_route(tell, around)

st.header("Before this, and for whom", anchor=False)
overview.pointer_back(tell("transformers"))
st.markdown(tell("who"))
around.foot()
