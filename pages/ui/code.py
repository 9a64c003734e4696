"""The code that ran, for engineers."""

import inspect
from collections.abc import Callable
from typing import Any

import streamlit as st


def code_that_ran(function: Callable[..., Any]) -> None:
    """Draw a fold with the source of a function that the page's figures come from."""
    with st.expander(f"The code that ran: {function.__module__}.{function.__name__}", icon=":material/code:"):
        st.code(inspect.getsource(function), language="python")
