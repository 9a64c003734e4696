"""What only the overview shows: its figures, its cards, and the pointer back to the module before."""

from collections.abc import Callable
from functools import cache

import pandas as pd
import pyarrow as pa
import streamlit as st

from larkspur import load
from pages.ui import frame, mini, numbers, route, site
from pages.ui.chapters import TRUST, Chapter, Page, chapter_to_do
from pages.ui.charts import marks_table
from pages.ui.frame import Frame, page_link
from pages.ui.lone_sums import request
from pages.ui.served import costs, server
from pages.ui.sources import cite_result
from pages.ui.sums import Sum
from pages.ui.timeline import EXAMPLE_EDGE_MS, request_lane
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
        "billions": numbers.count(model.params / 1e9),
        "gpu_share": f"{server().gpu_memory_utilization:.0%}",
        "requests": numbers.count(len(trace)),
        "seconds": f"{trace.arrival_s[-1] - trace.arrival_s[0]:.1f}",
    }


@cache
def big_numbers() -> tuple[tuple[str, str, Sum], ...]:
    """Return the four big numbers: label, value, and the sum behind it."""
    mini_params, student_params = (load(name).num_params for name in ("mini", "student"))
    return (
        ("numbers in Larkspur mini", numbers.count(mini_params), counted_weights("mini")),
        ("in its student", numbers.count(student_params), counted_weights("student")),
        ("requests on Monday", figures()["requests"], counted_requests()),
        ("of KV cache a token", figures()["kv_token"], kv_sum()),
    )


def counted_weights(name: str) -> Sum:
    """Return the sum behind the numbers of a tiny model: its architecture's, and as counted in its checkpoint."""
    model = load(name)
    config = model.config
    return Sum(
        "run for real here",
        "counted",
        "d (V + T) + L (12 d² + 13 d) + 2 d, and the same when the numbers in the checkpoint are counted.",
        (
            ("width d", numbers.count(config.n_embd)),
            ("vocabulary V + positions T", f"{config.n_vocab} + {config.n_ctx}"),
            ("layers L", numbers.count(config.n_layer)),
        ),
        f"{numbers.count(config.num_params)} by the formula, {numbers.count(model.num_params)} counted",
        f"data/larkspur-{name}, trained for this module",
    )


def counted_requests() -> Sum:
    """Return the sum behind the number of Monday's requests."""
    trace = monday()
    return Sum(
        "run for real here",
        "counted",
        "The rows of the trace that every server chapter runs.",
        (
            ("prompt tokens, all", numbers.count(trace.prompt_tokens.sum())),
            ("reply tokens, all", numbers.count(trace.output_tokens.sum())),
            ("first to last arrival", numbers.brief(trace.arrival_s[-1] - trace.arrival_s[0])),
        ),
        f"{len(trace)} requests",
        "data/monday.csv, made for this module",
    )


@cache
def kv_sum() -> Sum:
    """Return the sum behind the KV cache of a token, and of the longest request."""
    model, longest = server().model, Settings().max_model_len
    token_bytes = model.kv_bytes_per_token()
    return Sum(
        "quoted",
        f"{QUOTED['kv-bytes-per-token'].where} of PagedAttention",
        "2 (key and value) × hidden size × layers × 2 bytes; the paper prints the same figures.",
        (
            ("hidden size", numbers.count(model.hidden_size)),
            ("layers", numbers.count(model.num_layers)),
            ("one token", f"{numbers.count(token_bytes)} bytes = {numbers.memory(token_bytes)}"),
            (numbers.tokens(longest), f"{numbers.count(token_bytes * longest)} bytes"),
        ),
        f"{numbers.memory(token_bytes)} a token, {numbers.memory(token_bytes * longest)} for {numbers.tokens(longest)}",
        cite_result(QUOTED["kv-bytes-per-token"]),
    )


@cache
def example_lanes() -> pa.Table:
    """Return the marks of the example's timeline."""
    example = mini.example()
    return marks_table(request_lane(0, example.prompt_tokens, example.reply_tokens, EXAMPLE_EDGE_MS))


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
    value = f"{quoted.value:g}" if quoted.upper is None else f"{quoted.value:g} to {quoted.upper:g}"
    where = f"{quoted.where} of {quoted.source.title.partition(':')[0]}"
    return Sum("quoted", where, quoted.what, (), f"{value} {quoted.unit}", cite_result(quoted))


@cache
def idea_sum(name: str) -> Sum:
    """Return the sum behind the figure of one of the four ideas."""
    return kv_sum() if name == "kv" else quoted_sum(IDEAS[name])


def card(chapter: Chapter, around: Frame) -> None:
    """Draw a chapter's card: its title, its question, its minutes, and whether it is done."""
    with st.container(border=True):
        page_link(chapter, around)
        st.markdown(chapter.question)
        st.caption(f"{chapter.minutes} minutes")


def start(around: Frame) -> None:
    """Draw where to begin, or where to go on: the first chapter that is not done yet."""
    stop: Page = chapter_to_do(around.done) or TRUST
    label = "All done. Walk on to how far to trust it"
    if isinstance(stop, Chapter):
        begin = "Go on with" if around.done else "Start with"
        label = f"{begin} chapter {stop.number} ({stop.minutes} minutes)"
    page_link(stop, around, label, ":material/play_arrow:")
    if around.done:
        words = "Forgets marks, guesses and settings. Your reading stays."
        icon = ":material/restart_alt:"
        st.button("Begin anew", "begin_anew", words, frame.begin_anew, type="tertiary", icon=icon)


def short_route(tell: Callable[[str], str], around: Frame) -> None:
    """Draw the ten-minute route: its stops once all are written, until then words."""
    with st.container(border=True):
        if not route.is_open():
            st.markdown(tell("short route.closed"))
            return
        st.markdown(tell("short route"))
        for stop in route.STOPS:
            is_walked = stop.number in route.walked()
            words = f"{stop.number} · {tell(f'short route.{stop.number}')}{' · walked' * is_walked}"
            icon = ":material/check:" if is_walked else ":material/timer:"
            page_link(stop, around, words, icon, {"route": route.way()})


def pointer_back(words: str) -> None:
    """Point to the module before: a link where the host has given its address, else words alone."""
    st.markdown(words)
    if url := site.transformers_url():
        st.link_button("Go to that chapter", url, type="tertiary", icon=":material/arrow_outward:")
