"""Glossary. Every word of the field that the pages use, what it means, and where it is used."""

from functools import partial

import streamlit as st

from pages.ui import glossary, words
from pages.ui.chapters import GLOSSARY
from pages.ui.frame import frame
from pages.ui.parts import part
from pages.ui.prose import say
from pages.ui.tables import see_the_numbers

around = frame(GLOSSARY)
tell = partial(say, GLOSSARY.slug)
st.title(GLOSSARY.title, anchor=False)
st.markdown(tell("what"))


@part
def words_found() -> None:
    """Draw the box and the filter, and the entries that answer them."""
    asked = words.search_box()
    page = words.page_filter()
    shown = glossary.found(asked, page)
    st.caption(words.counted(shown))
    if not shown:
        st.info(words.nothing(asked))
    for entry in shown:
        words.entry(entry, around)


words_found()
see_the_numbers(glossary.table, "glossary")
st.caption(tell("edit"))
around.foot()
