"""Larkspur mini run by NumPy on the server: the example that all pages tell of, and the stand-in for a browser."""

import time
from functools import cache

import numpy as np
import streamlit as st

from larkspur import Prompt, Step, generate, load, prompt
from pages.ui import link
from pages.ui.chips import chips
from pages.ui.mini_bytes import LIKELIEST
from pages.ui.mini_passes import Likeliest, MiniRun, Timing

EXAMPLE = "We reply within five business"
REPEATS = 3
MOST_CHARACTERS = 10_000


def run_mini(words: str) -> MiniRun:
    """Return mini's greedy reply to `words`, with the KV cache and without; ValueError if there are none."""
    return run_prompt(prompt(load("mini"), words))


def run_prompt(asked: Prompt) -> MiniRun:
    """Return mini's greedy reply to a prompt, timed on this machine."""
    steps, cached = timed_passes(asked, use_cache=True)
    _, uncached = timed_passes(asked, use_cache=False)
    return MiniRun(
        "server",
        len(asked.ids),
        tuple(step.token_id for step in steps),
        tuple(likeliest(step) for step in steps),
        cached,
        uncached,
        tick_s=time.get_clock_info("perf_counter").resolution,
    )


def timed_passes(asked: Prompt, *, use_cache: bool) -> tuple[list[Step], Timing]:
    """Return the passes of a greedy reply, and the median time of the repeats of each."""
    runs = [list(generate(load("mini"), asked.ids, use_cache=use_cache)) for _ in range(REPEATS)]
    passes_s = np.median([[step.pass_s for step in run] for run in runs], axis=0)  # [n_passes]
    return runs[0], Timing(tuple(passes_s.tolist()), (REPEATS,) * len(passes_s))


def likeliest(step: Step) -> Likeliest:
    """Return the likeliest next tokens of a pass and their chances, ties to the lower id."""
    ids = np.argsort(-step.probs, kind="stable")[:LIKELIEST]
    return tuple((int(token_id), float(step.probs[token_id])) for token_id in ids)


@cache
def example() -> MiniRun:
    """Return the run of the example that all pages tell of."""
    return run_mini(EXAMPLE)


@cache
def example_read() -> list[str]:
    """Return the example's tokens as text, the start marker first."""
    return read(prompt(load("mini"), EXAMPLE))


def read(asked: Prompt) -> list[str]:
    """Return a prompt's tokens as text, the start marker first."""
    return [load("mini").token_text(token_id) for token_id in asked.ids]


def stand_in(first_words: str) -> MiniRun | None:
    """Ask for a prompt, run mini on it here, draw the reply and return the run; or say what is missing."""
    words = st.text_input(
        "Your message", first_words, MOST_CHARACTERS, key=link.key("server_ask"), persist_state="session"
    )
    try:
        asked = prompt(load("mini"), words)
    except ValueError as problem:
        st.warning(str(problem).capitalize())
        return None
    kept: tuple[Prompt, MiniRun] | None = st.session_state.get(link.key("server_run"))
    run = kept[1] if kept and kept[0] == asked else run_prompt(asked)
    st.session_state[link.key("server_run")] = (asked, run)
    draw_reply(asked, run)
    return run


def draw_reply(asked: Prompt, run: MiniRun) -> None:
    """Draw a run: the tokens read, the tokens written, and what had to be changed in the prompt."""
    for note in asked.notes:
        st.caption(note)
    st.markdown(f"**Read in one pass** ({run.prompt_tokens} tokens, the start marker counted)")
    chips(read(asked), "prefill")
    st.markdown(f"**Written one pass a token** ({run.reply_tokens} tokens, the last is the end of the text)")
    chips(run.written, "decode")
