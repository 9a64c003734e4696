"""Chapter 4. What does storing the weights in fewer bits save, and what does it cost?

Covers Larkspur mini quantized while the reader waits, rounded and with GPTQ: its reply to the reader's question,
perplexity, agreement and where the error sits; what fewer bits free on the simulated server, and GPTQ's own tables.
"""

from functools import partial

import streamlit as st

from larkspur.gptq import gptq
from pages.ui import (
    bits_batch,
    bits_browser,
    bits_cliff,
    bits_figures,
    bits_layers,
    bits_quoted,
    bits_seats,
    bits_sums,
    bits_words,
)
from pages.ui.bits_models import FEWER, METHODS, SCALES, WHOLE_ROW
from pages.ui.chapters import chapter
from pages.ui.charts import draw
from pages.ui.check import check, mission
from pages.ui.code import code_that_ran
from pages.ui.controls import choice, reset, slider
from pages.ui.frame import frame, heading, take_away
from pages.ui.guess import guess
from pages.ui.lone_sums import cite_counting
from pages.ui.parts import part
from pages.ui.prose import say
from pages.ui.sources import cite, cite_accelerator, cite_model, sources
from pages.ui.sums import badge
from pages.ui.tables import see_the_numbers
from sim import SOURCES

CHAPTER = chapter(4)

around = frame(CHAPTER)
tell = partial(say, CHAPTER.slug, **bits_figures.served_figures())
heading(CHAPTER, around)
st.markdown(tell("question"))

st.subheader("Your guess", anchor=False)
st.markdown(tell("guess"))
asking = st.container()  # filled below, once it is settled how mini is quantized
made = guess("The reply first changes at (bits)", "bits", min(FEWER), max(FEWER), among=FEWER)
answer = st.container()

st.subheader("Run it for real: the cliff", anchor=False)
running = st.container()
method_column, scales_column = st.columns(2)
with method_column:
    method = choice("Replies from mini", tuple(METHODS), "GPTQ", name="method")
with scales_column:
    scales = choice("One scale for", tuple(SCALES), WHOLE_ROW, name="scales")
with running:
    tell = partial(tell, **bits_figures.mini_figures(scales))
    st.markdown(tell("run"))
with asking:
    both = bits_browser.ask(tell, scales)
    shown = both[method] if both else None
with answer:
    st.markdown(bits_figures.verdict(tell, made, both, method, scales))
draw(
    bits_cliff.cliff,
    bits_cliff.cliff_marks(scales, shown, made),
    bits_cliff.cliff_alt(scales, shown, made),
    "cliff",
)
badge(bits_sums.cliff(scales), around)
see_the_numbers(partial(bits_cliff.cliff_table, scales), "widths")
st.markdown(f"{tell('cliff')} {tell('cliff.fine')}")

st.markdown(f"#### The replies, {method}")
bits_browser.asked()
st.html(bits_words.reply_rows(shown, made.is_revealed))
if bits_words.has_gaps(shown, made.is_revealed):
    st.caption(tell("replies.gap", gap=bits_words.GAP))
badge(bits_sums.reply(shown, is_revealed=made.is_revealed), around)
see_the_numbers(partial(bits_words.replies_table, shown, made.is_revealed), "replies")


@part
def layer_errors() -> None:
    """Draw where the error sits."""
    st.markdown("#### Where the error sits")
    bits = int(choice("Bits", tuple(map(str, FEWER)), "4", name="bits"))
    st.markdown(tell("layers", **bits_figures.layer_figures(bits, scales)))
    draw(
        bits_layers.layer_chart,
        bits_layers.layer_lanes(bits, scales),
        bits_layers.layer_alt(bits, scales),
        "layers",
    )
    badge(bits_sums.layers(bits, scales), around)
    see_the_numbers(partial(bits_layers.layer_table, bits, scales), "layers")


layer_errors()

st.subheader("At scale: what fewer bits free, and who then fits", anchor=False)
st.markdown(tell("server"))
draw(bits_seats.seats_chart, bits_seats.seats_lanes(), bits_seats.seats_alt(), "seats")
badge(bits_sums.seats(), around)
see_the_numbers(bits_seats.seats_table, "seats")
st.markdown(tell("seats"))

st.markdown("#### What it costs a large model")
st.markdown(tell("quoted"))
draw(bits_quoted.quoted_chart, bits_quoted.quoted_marks(), bits_quoted.quoted_alt(), "quoted")
badge(bits_sums.quoted(), around)
see_the_numbers(bits_quoted.quoted_table, "quoted_perplexities")
st.markdown(tell("latency"))
badge(bits_sums.latency(), around)

st.markdown("#### Bits, weighed")
st.markdown(tell("weighed"))
draw(bits_quoted.weighed_chart, bits_quoted.weighed_marks(), bits_quoted.weighed_alt(), "weighed")
badge(bits_sums.weighed(), around)
see_the_numbers(bits_quoted.weighed_table, "bits_weighed")

st.subheader("What it shows", anchor=False)
st.markdown(tell(f"shows.{around.reader}") if made.is_revealed else tell("shows.empty"))
if around.reader == "Engineer":
    code_that_ran(gptq)


@part
def break_it() -> None:
    """Set the mission."""
    st.subheader("Break it", anchor=False)
    batch = slider("Customers in the batch", 1, bits_batch.MOST, bits_batch.BEGIN, name="batch")
    stand = bits_figures.batch_figures(batch)
    now = "mission.now" if batch <= bits_batch.room(16) else "mission.now.full"
    mission(
        tell("mission"), tell(now, **stand), bits_batch.is_pointless(batch), tell("mission.done", **stand)
    )
    draw(bits_batch.batch_chart, bits_batch.batch_lines(batch), bits_batch.batch_alt(batch), "batch_chart")
    badge(bits_sums.batch(batch), around)
    see_the_numbers(bits_batch.batch_table, "passes_by_batch")
    reset(("method", "scales", "bits", "batch", "question"))


break_it()

st.subheader("Check", anchor=False)
before, after = (bits_seats.served(bits) for bits in (16, 4))
check(
    f"Weights shrink from {bits_seats.gb(before.weight_bytes)} to {bits_seats.gb(after.weight_bytes)} where "
    f"{bits_seats.gb(before.kv_bytes)} were free. How many times as many equal requests fit?",
    {"a": "Four times", "b": "About two and a half times", "c": "As many as before"},
    "b",
    tell,
)
check(
    "One more, if you like: perplexity rose by 2 %. Are 2 % of the answers wrong?",
    {
        "a": "Yes, about 2 in 100",
        "b": "No, so small a rise is harmless",
        "c": "It does not say: test it on your own questions",
    },
    "c",
    tell,
    name="more",
)

take_away(tell("leaves"))
sources([cite(SOURCES["gptq"]), cite_model("opt-13b"), cite_accelerator("a100-80gb"), cite_counting()])
around.foot()
