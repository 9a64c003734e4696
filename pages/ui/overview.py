"""What only the overview shows: its figures, its cards, and the pointer back to the module before."""

from functools import cache

import pandas as pd
import pyarrow as pa
import streamlit as st

from larkspur import load
from pages.ui import mini, numbers, site
from pages.ui.chapters import Chapter
from pages.ui.charts import marks_table
from pages.ui.frame import Frame, page_link
from pages.ui.lone_sums import request
from pages.ui.served import costs, server
from pages.ui.sources import cite_result
from pages.ui.sums import Sum
from pages.ui.timeline import EXAMPLE_EDGE_MS, request_alt, request_lane
from sim import QUOTED, Quoted, Settings, lone_passes, lone_request, monday

IDEAS = {
    "kv": "kv-bytes-per-token",
    "batch": "orca-throughput",
    "bits": "gptq-hours",
    "draft": "speculative-speed-up",
}


@cache
def figures() -> dict[str, str]:
    """Return the figures of the overview's texts."""
    example, trace, model = mini.example(), monday(), server().model
    alone = lone_request(costs(), example.prompt_tokens, example.reply_tokens)
    longest = Settings().max_model_len
    speed_up = QUOTED["speculative-speed-up"]
    return {
        "prompt": mini.EXAMPLE,
        "more": numbers.count(alone.decode_passes),
        "ttft": numbers.ms(alone.ttft_s),
        "pace": numbers.ms(alone.decode_s / alone.decode_passes),
        "decode": numbers.ms(alone.decode_s),
        "e2e": numbers.ms(alone.e2e_s),
        "kv_token": numbers.memory(model.kv_bytes_per_token()),
        "kv_request": numbers.memory(model.kv_bytes_per_token() * longest),
        "kv_tokens": numbers.count(longest),
        "orca": f"{QUOTED['orca-throughput'].value:g}",
        "gptq": f"{QUOTED['gptq-hours'].value:g}",
        "spec_low": f"{speed_up.value:g}",
        "spec_high": f"{speed_up.upper:g}",
        "requests": numbers.count(len(trace)),
        "seconds": f"{trace.arrival_s[-1] - trace.arrival_s[0]:.0f}",
    }


def big_numbers() -> tuple[tuple[str, str, str], ...]:
    """Return the four big numbers: label, value, and what each is."""
    params = {name: numbers.count(load(name).num_params) for name in ("mini", "student")}
    return (
        ("numbers in Larkspur mini", params["mini"], "Counted in its checkpoint, data/larkspur-mini."),
        ("in its student", params["student"], "The draft model of chapter 5; counted in its checkpoint."),
        (
            "requests on Monday",
            figures()["requests"],
            "Rows of data/monday.csv, which every server chapter runs.",
        ),
        (
            "of KV cache a token",
            figures()["kv_token"],
            "Counted from OPT-13B's shape: see the first idea above.",
        ),
    )


def example_frame() -> pa.Table:
    """Return the marks of the example's timeline."""
    example = mini.example()
    return marks_table(request_lane(0, example.prompt_tokens, example.reply_tokens, EXAMPLE_EDGE_MS))


def example_alt() -> str:
    """Say what the example's timeline shows."""
    example = mini.example()
    return request_alt(
        lone_request(costs(), example.prompt_tokens, example.reply_tokens), example.prompt_tokens
    )


def example_passes() -> pd.DataFrame:
    """Return a row a pass of the example."""
    example = mini.example()
    return lone_passes(costs(), example.prompt_tokens, example.reply_tokens)


def example_sum() -> Sum:
    """Return the sum behind the example's times."""
    example = mini.example()
    return request(example.prompt_tokens, example.reply_tokens)


def quoted_sum(key: str) -> Sum:
    """Return what stands behind a quoted result."""
    quoted: Quoted = QUOTED[key]
    value = numbers.count(quoted.value) if quoted.value >= 1000 else f"{quoted.value:g}"
    if quoted.upper is not None:
        value += f" to {quoted.upper:g}"
    return Sum("quoted", quoted.what, (), f"{value} {quoted.unit}", cite_result(quoted))


def card(chapter: Chapter, around: Frame) -> None:
    """Draw a chapter's card: its title, its question, its minutes, and whether it is done."""
    with st.container(border=True):
        page_link(chapter, around)
        st.markdown(chapter.question)
        st.caption(f"{chapter.minutes} minutes")


def pointer_back(words: str) -> None:
    """Point to the module before: a link where the host has given its address, else words alone."""
    url = site.transformers_url()
    st.markdown(f"{words} [Go to that chapter]({url})" if url else words)
