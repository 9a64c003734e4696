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
st.write(f"ready {len(turns._TURNS._queue)}")
"""


def test_the_wait_is_said_holds_up_nobody_and_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    looks, turns_on, said = iter([True, True, True, False]), [], []

    class Place:
        caption, empty = said.append, lambda self: said.append("")

    def is_compiling() -> bool:
        turns_on.append(len(turns._TURNS._queue))
        return next(looks)

    monkeypatch.setattr(compiling, "is_compiling", is_compiling)
    monkeypatch.setattr(compiling.st, "empty", Place)
    at = AppTest.from_string(PAGE).run()
    assert turns_on == [1, 0, 0, 0]  # its own turn, given up while it waits
    assert said == [compiling.WAITS, compiling.WAITS, ""]
    assert [each.value for each in at.markdown] == ["ready 1"]  # and taken again
    assert not at.exception


def test_where_nothing_is_compiled_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling, "is_compiling", lambda: False)
    assert [each.value for each in AppTest.from_string(PAGE).run().markdown] == ["ready 1"]
