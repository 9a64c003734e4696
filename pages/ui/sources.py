"""The works and catalogs that a page quotes or counts from, each with the day it was checked."""

from datetime import date

import streamlit as st

from sim import ACCELERATOR_ENTRIES, MODEL_ENTRIES, Quoted, Source


def day(checked: date) -> str:
    """Return a day as readers write it: November 29, 2026."""
    return f"{checked:%B} {checked.day}, {checked.year}"


def cite(source: Source) -> str:
    """Return a work as a line of Markdown."""
    return f"{source.authors}: [{source.title}]({source.url}), {source.venue}. Checked {day(source.checked)}."


def cite_result(quoted: Quoted) -> str:
    """Return where in a work a quoted result stands, as a line of Markdown."""
    return f"{quoted.where} of {cite(quoted.source)}"


def cite_model(key: str) -> str:
    """Return where the shape of a model of the catalog is published, as a line of Markdown."""
    entry = MODEL_ENTRIES[key]
    return (
        f"{entry.name}'s published [config.json]({entry.origin.source}). Checked {day(entry.origin.checked)}."
    )


def cite_accelerator(key: str) -> str:
    """Return where the numbers of an accelerator come from, as a line of Markdown."""
    entry = ACCELERATOR_ENTRIES[key]
    memory, bandwidth, flops = (
        entry.origins[name] for name in ("memory_bytes", "bandwidth_bytes_per_s", "flops_per_s")
    )
    return escape_stars(
        f"{entry.name}: memory: {memory.source}; memory bandwidth from {bandwidth.source}; arithmetic from "
        f"{flops.source}. "
        f"Checked {day(bandwidth.checked)}."
    )


def escape_stars(text: str) -> str:
    """Return text in which a star is a star: file names have them."""
    return text.replace("*", r"\*")


def sources(lines: list[str]) -> None:
    """Draw a page's sources, folded."""
    with st.expander("Sources", icon=":material/menu_book:"):
        st.markdown("\n".join(f"- {line}" for line in lines))
