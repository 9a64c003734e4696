"""Chapter 6. What does a bigger batch buy, and what does each customer pay for it?

Covers the trade between one customer's pace and the server's throughput where there is always a queue, the price
of a thousand replies, waits of steady traffic at a chosen rate, and Monday, cap by cap.
"""

from functools import partial

import streamlit as st

from pages.ui import batch_figures, batch_guess, batch_sums, cap_waits, trade, trade_chart
from pages.ui.batch_curve import MOST, curve, tried
from pages.ui.batch_figures import PROMISE
from pages.ui.batch_price import price_per_hour
from pages.ui.chapters import chapter
from pages.ui.charts import draw
from pages.ui.check import check, mission, was_accomplished
from pages.ui.code import code_that_ran
from pages.ui.compiling import until_compiled
from pages.ui.controls import choice, reset, slider
from pages.ui.frame import frame, heading, take_away
from pages.ui.guess import answers, guess
from pages.ui.lone_sums import cite_counting
from pages.ui.parts import part
from pages.ui.prose import say
from pages.ui.sources import cite_accelerator, cite_model, sources
from pages.ui.sums import badge
from pages.ui.tables import see_the_numbers

CHAPTER = chapter(6)
TEXTS = {"as they are": 1, "doubled": 2}  # how many times as long everyone's texts are

around = frame(CHAPTER)
tell = partial(say, CHAPTER.slug, **batch_figures.of_the_guess())
heading(CHAPTER, around)
st.markdown(tell("question"))

st.subheader("Your guess", anchor=False)
st.markdown(tell("guess"))
made = guess(
    f"Each of the {batch_guess.CROWD} gets (tokens a second)", "tokens a second", 1, 500, is_whole=False
)
draw(batch_guess.each_of_many, batch_guess.guess_lanes(made), batch_guess.guess_alt(made), "guess_chart")
badge(batch_sums.each(batch_guess.CROWD if made.is_revealed else 1), around)
see_the_numbers(partial(batch_guess.guess_numbers, made), "pace_of_each")
if made.latest is not None:
    keys = answers(made.latest, batch_guess.each_per_s(batch_guess.CROWD))
    st.markdown(" ".join(tell(key, guess=f"{made.latest:,}") for key in keys))
elif made.is_revealed:
    st.markdown(f"{tell('guess.shown')} {tell('guess.because')}")
else:
    st.caption(tell("guess.empty"))

st.subheader("Run it: a server that always has a queue", anchor=False)
until_compiled()
with st.spinner(f"Trying {MOST} batches"):
    curve(TEXTS["as they are"])


def waits_at_a_rate() -> None:
    """Draw how long customers wait at a rate that the reader chooses."""
    st.markdown("#### Waits at a rate that you choose")
    st.markdown(tell("waits", **batch_figures.of_the_queue()))
    rate = slider("Customers a minute", cap_waits.SLOWEST, cap_waits.FASTEST, cap_waits.BEGIN, name="rate")
    draw(cap_waits.waits_by_cap, cap_waits.waits_lines(rate), cap_waits.waits_alt(rate), "waits")
    badge(batch_sums.steady(rate), around)
    see_the_numbers(partial(cap_waits.waits_numbers, rate), "waits_by_cap")
    because = "waits.full" if cap_waits.is_full(rate) else "waits.free"
    st.markdown(f"{tell('waits.read', **cap_waits.figures(rate))} {tell(because)}")


def monday(promise: int, price: float) -> None:
    """Draw Monday, cap by cap."""
    st.markdown("#### Monday, cap by cap")
    st.markdown(tell("monday", **batch_figures.figures(price)))
    draw(
        trade_chart.monday_trade,
        trade.monday_marks(promise, price),
        trade.monday_alt(promise, price),
        "monday",
    )
    badge(batch_sums.rush(), around)
    see_the_numbers(partial(trade.monday_numbers, price), "monday_by_cap")
    st.markdown(tell("monday.read", **batch_figures.of_monday()))


def break_it(texts: int) -> int:
    """Set the mission, and return the reader's cap."""
    st.subheader("Break it", anchor=False)
    cap = slider("Your cap on the batch, customers at once", 1, MOST, trade_chart.BEGIN, name="cap")
    is_found = made.is_revealed and batch_figures.is_found(texts, cap)
    of_the_queue = batch_figures.of_the_queue()
    praise = tell(f"mission.done.{texts}", **of_the_queue, **batch_figures.of_the_mission(texts))
    given = tell("mission.now", **batch_figures.of_the_cap(texts, cap))
    given = given if made.is_revealed else tell("mission.empty")
    mission(tell("mission", **of_the_queue), given, is_found, praise, name=f"mission.{texts}")
    other = 3 - texts
    if was_accomplished(f"mission.{other}"):
        st.caption(tell(f"mission.half.{other}", **of_the_queue))
    return cap


@part
def with_a_queue() -> None:
    """Run the server that always has a queue, down to the mission that asks about it."""
    text_column, price_column = st.columns(2, vertical_alignment="bottom")
    with text_column:
        texts = TEXTS[choice("Everyone's texts", tuple(TEXTS), "as they are", name="texts")]
    with price_column:
        price = price_per_hour()
    promise = slider("You promise each customer, tokens a second", 20, 60, PROMISE, name="promise")
    figures = batch_figures.figures(price)
    st.markdown(tell("trade", **figures | batch_figures.of_the_texts(texts)))
    shown = (texts, promise, price, made.is_revealed)
    chart = trade_chart.trade if made.is_revealed else trade_chart.trade_alone
    draw(chart, trade.trade_marks(*shown), trade.trade_alt(*shown), "trade")
    sum_place = st.container()  # its sum is of the reader's cap, which is set further down
    see_the_numbers(partial(trade.trade_numbers, texts, price, made.is_revealed), "batches")
    st.markdown(tell("trade.read", **figures) if made.is_revealed else tell("trade.empty"))

    waits_at_a_rate()
    monday(promise, price)
    reset(("texts", "promise", "price", "rate", "cap"))

    st.subheader("What it shows", anchor=False)
    st.markdown(tell(f"shows.{around.reader}", **figures) if made.is_revealed else tell("shows.empty"))
    if around.reader == "Engineer":
        code_that_ran(tried)
    cap = break_it(texts)
    with sum_place:
        badge(batch_sums.saturated(texts, price, cap if made.is_revealed else 1), around)


with_a_queue()

st.subheader("Check", anchor=False)
check(
    "A vendor promises 2,500 tokens a second. What does one customer get?",
    {
        "a": "2,500 tokens a second",
        "b": "2,500 divided by all of the vendor's customers",
        "c": "It cannot be known without the batch and the texts behind it",
    },
    "c",
    tell,
)
check(
    "One more, if you like: there are never more than 4 customers at once, and the cap goes from 16 to 64. "
    "What happens?",
    {"a": "Nothing", "b": "Everyone's text slows down", "c": "Replies get cheaper"},
    "a",
    tell,
    name="more",
)

take_away(tell("leaves"))
sources([cite_model("opt-13b"), cite_accelerator("a100-80gb"), cite_counting()])
around.foot()
