"""What the server costs: the hourly price that the reader sets, and what replies cost at it."""

import re

import streamlit as st

from pages.ui import link
from sim import ACCELERATORS

LOW, HIGH = 0.1, 99.0  # dollars an hour
REPLIES = 1000
ASSUMED = ACCELERATORS["a100-80gb"].price_per_hour


def price_per_hour() -> float:
    """Draw the field of the server's price, in dollars an hour, and return it."""
    link.restore("price", ASSUMED, dollars_an_hour)
    value = st.number_input(
        "The server costs, dollars an hour",
        LOW,
        HIGH,
        step=0.1,
        format="%.2f",
        key=link.key("price"),
        persist_state="session",
    )
    link.publish("price", f"{value:g}")
    return value


def dollars_an_hour(text: str) -> float:
    """Return the price that a link asks for; ValueError if it is none."""
    if not re.fullmatch(r"[0-9]{1,3}(\.[0-9]{1,2})?", text, re.ASCII) or not LOW <= float(text) <= HIGH:
        raise ValueError(f"expected dollars an hour from {LOW:g} to {HIGH:g}")
    return float(text)


def replies_dollars(replies_per_s: float, per_hour: float) -> float:
    """Return what a thousand replies cost, in dollars."""
    return REPLIES / replies_per_s / 3600 * per_hour


def dollars(value: float) -> str:
    """Return a price: $0.28, $4.34, $217."""
    return f"${value:,.2f}" if value < 99.995 else f"${value:,.0f}"


def told(value: float) -> str:
    """Return a price for Markdown, where a bare dollar begins a formula."""
    return dollars(value).replace("$", "\\$")
