"""The colors, by what they mean; `.streamlit/config.toml` lists them in this order, light and dark."""

import altair as alt

MEANINGS = (
    "waiting",
    "prefill",
    "decode",
    "standing still",
    "preempted",
    "weights",
    "KV",
    "draft",
    "free",
    "Larkspur mini",
    "student",
    "ink",
)


def scale() -> alt.Scale:
    """Return the color scale that gives each meaning its color in the reader's theme."""
    return alt.Scale(domain=list(MEANINGS), range="category")


def color(meaning: str) -> alt.ColorDatum:
    """Return the color of one meaning, for a whole layer."""
    if meaning not in MEANINGS:
        raise ValueError(f"expected one of {', '.join(MEANINGS)}, got {meaning!r}")
    return alt.ColorDatum(meaning, scale=scale(), legend=None)
