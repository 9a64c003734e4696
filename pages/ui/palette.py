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
    "fixed",
    "Larkspur mini",
    "student",
    "ink",
)


def painted(chart: alt.Chart, meaning: str) -> alt.Chart:
    """Return `chart` in the color of one meaning, whatever the reader's theme."""
    if meaning not in MEANINGS:
        raise ValueError(f"expected one of {', '.join(MEANINGS)}, got {meaning!r}")
    scale = alt.Scale(domain=list(MEANINGS), range="category")
    color = alt.Color("meaning:N", scale=scale, legend=None)
    return chart.transform_calculate(meaning=f"'{meaning}'").encode(color=color)
