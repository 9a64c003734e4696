"""Waiting for the compiler: it is said, others can draw meanwhile, and nothing is left of it."""

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui import compiling, turns

PAGE = """
import streamlit as st
from pages.ui import turns
from pages.ui.compiling import until_compiled
turns.take()
until_compiled()
st.write("ready")
"""


def test_the_wait_is_said_holds_up_nobody_and_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    looks, drawn = iter([True, True, True, False]), []

    def is_compiling() -> bool:
        drawn.append(len(turns._TURNS._queue))
        return next(looks)

    monkeypatch.setattr(compiling, "is_compiling", is_compiling)
    at = AppTest.from_string(PAGE).run()
    assert drawn == [1, 0, 0, 0]  # its own turn, given up while it waits
    assert [each.value for each in at.markdown] == ["ready"]
    assert not at.caption
    assert not at.exception


def test_where_nothing_is_compiled_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling, "is_compiling", lambda: False)
    assert [each.value for each in AppTest.from_string(PAGE).run().markdown] == ["ready"]
