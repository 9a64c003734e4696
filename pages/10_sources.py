"""Sources. What do the pages quote and count from, where do they use it, and when was it checked?"""

from functools import partial

import streamlit as st

from pages.ui import catalogs, cited, flags
from pages.ui.chapters import SOURCES
from pages.ui.frame import frame
from pages.ui.prose import say
from pages.ui.tables import see_the_numbers
from sim import SOURCES as PAPERS

around = frame(SOURCES)
tell = partial(say, SOURCES.slug)
st.title(SOURCES.title, anchor=False)
st.markdown(tell("what"))

st.header("Quoted figures", anchor=False)
for paper in PAPERS.values():
    st.markdown(cited.of_source(paper))
see_the_numbers(cited.figures_table, "quoted_figures")

st.header("Works named for what they did", anchor=False)
st.markdown(cited.of_works())

st.header("Times of real servers", anchor=False)
st.markdown(tell("real servers"))
st.markdown("\n".join(f"- {line}" for line in cited.real_servers()))

st.header("Models and cards", anchor=False)
st.markdown(tell("models"))
st.markdown(catalogs.of_models())
see_the_numbers(catalogs.models_table, "models")
see_the_numbers(catalogs.defaults_table, "left_out_of_config_json")
st.markdown(tell("cards"))
st.markdown(catalogs.of_cards())
see_the_numbers(catalogs.cards_table, "cards")

st.header("vLLM's flags", anchor=False)
st.markdown(tell("flags"))
st.markdown(flags.of_vllm())

st.header("Our own", anchor=False)
st.markdown(tell("own"))
around.foot()
