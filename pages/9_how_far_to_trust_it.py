"""How far to trust it. What of all this is computed, from which assumptions, and how near is that to real servers?

Covers the three kinds of figures, the time of one pass by four sources, what each assumption moves, a recorded run
of a real server, what no recorded run backs, and what is left out.
"""

from functools import partial

import streamlit as st

from pages.ui import trust_passes, trust_sums, trust_what_if
from pages.ui.chapters import TRUST
from pages.ui.charts import draw
from pages.ui.cited import real_servers
from pages.ui.code import code_that_ran
from pages.ui.controls import choice, reset
from pages.ui.frame import frame, words_here
from pages.ui.lone_sums import cite_counting
from pages.ui.parts import part
from pages.ui.prose import say
from pages.ui.sources import cite_accelerator, cite_model, sources
from pages.ui.sums import badge
from pages.ui.tables import see_the_numbers
from sim import pass_time

around = frame(TRUST)
tell = partial(say, TRUST.slug, **trust_sums.figures())
st.title(TRUST.title, anchor=False)
st.header("Which of these numbers could you repeat to your boss?", anchor=False)
words_here(around)
st.markdown(tell("short"))

st.subheader("Three kinds of figures", anchor=False)
st.markdown(tell("kinds"))

st.subheader("How the server is simulated", anchor=False)
st.markdown(tell("how"))
st.markdown(tell("assumed"))

st.subheader("One pass, four sources", anchor=False)
st.markdown(tell("sources"))
draw(trust_passes.reads_chart, trust_passes.lines("reads"), trust_passes.alt_of("reads"), "reads")
badge(trust_sums.one_pass("reads"), around)
see_the_numbers(partial(trust_passes.numbers_of, "reads"), "passes_that_read")
draw(trust_passes.writes_chart, trust_passes.lines("writes"), trust_passes.alt_of("writes"), "writes")
badge(trust_sums.one_pass("writes"), around)
badge(trust_sums.published(), around)
see_the_numbers(partial(trust_passes.numbers_of, "writes"), "passes_that_write")
st.markdown(tell("sources.read"))
see_the_numbers(trust_passes.unit_costs, "unit_costs")

st.subheader("If an assumption is off", anchor=False)
st.markdown(tell("off"))


@part
def changed_assumptions() -> None:
    """Draw what one assumption that is off changes, of the result chosen."""
    shown = choice("What it changes", trust_what_if.SHOWN, trust_what_if.FIRST, name="changes")
    reset(("changes",))
    draw(trust_what_if.what_if, trust_what_if.lanes(shown), trust_what_if.alt_of(shown), "what_if")
    badge(trust_sums.what_if(shown), around)
    see_the_numbers(partial(trust_what_if.numbers_of, shown), "changed_assumptions")


changed_assumptions()
st.markdown(tell("off.read"))

st.subheader("Beside a recorded run", anchor=False)
st.markdown(tell("run"))
badge(trust_sums.recorded(), around)
see_the_numbers(trust_sums.run_table, "recorded_run")
st.markdown(tell("run.read"))

st.subheader("What no recorded run backs", anchor=False)
st.markdown(tell("unbacked"))

st.subheader("What is left out", anchor=False)
st.markdown(tell("left out"))

st.subheader("What it shows", anchor=False)
st.markdown(tell(f"shows.{around.reader}"))
if around.reader == "Engineer":
    code_that_ran(pass_time)
sources([cite_model("opt-13b"), cite_accelerator("a100-80gb"), cite_counting(), *real_servers()])
around.foot()
