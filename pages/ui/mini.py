"""Larkspur mini run by NumPy on the server, for one visitor at a time."""

from dataclasses import dataclass, replace
from functools import cache

import altair as alt
import numpy as np
import pandas as pd
import pyarrow as pa
import streamlit as st

from larkspur import Model, Prompt, Step, generate, load, prompt
from pages.ui import link, numbers
from pages.ui.charts import Chart, layer, mark, marks_table, text
from pages.ui.chips import chips
from pages.ui.sums import Sum

EXAMPLE = "We reply within five business"
LIKELIEST, REPEATS = 5, 3
MOST_CHARACTERS = 10_000


@dataclass(frozen=True)
class MiniRun:
    """A reply that mini has written: its passes with the KV cache and without."""

    asked: Prompt
    cached: tuple[Step, ...]
    uncached: tuple[Step, ...]

    @property
    def prompt_tokens(self) -> int:
        """Tokens read, the start marker counted."""
        return len(self.asked.ids)

    @property
    def reply_tokens(self) -> int:
        """Tokens written, the end of text counted."""
        return len(self.cached)

    @property
    def read(self) -> list[str]:
        """The prompt's tokens as text, the start marker first."""
        return [load("mini").token_text(token_id) for token_id in self.asked.ids]

    @property
    def written(self) -> list[str]:
        """The reply's tokens as text, the end of text included."""
        return [load("mini").token_text(step.token_id) for step in self.cached]


def run_mini(words: str) -> MiniRun:
    """Return mini's greedy reply to `words`, with the KV cache and without; ValueError if there are none."""
    asked = prompt(load("mini"), words)
    return MiniRun(asked, timed_passes(asked, use_cache=True), timed_passes(asked, use_cache=False))


def timed_passes(asked: Prompt, *, use_cache: bool) -> tuple[Step, ...]:
    """Return the passes of a greedy reply, each with the median time of its repeats."""
    runs = [tuple(generate(load("mini"), asked.ids, use_cache=use_cache)) for _ in range(REPEATS)]
    passes_s = np.median([[step.pass_s for step in run] for run in runs], axis=0)  # [n_passes]
    return tuple(replace(step, pass_s=float(pass_s)) for step, pass_s in zip(runs[0], passes_s, strict=True))


@cache
def example() -> MiniRun:
    """Return the run of the example that all pages tell of."""
    return run_mini(EXAMPLE)


def ask() -> MiniRun | None:
    """Ask for a prompt and return mini's run of it, kept until the prompt changes, or say what is missing."""
    words = st.text_input(
        "Your message", EXAMPLE, MOST_CHARACTERS, key=link.key("ask"), persist_state="session"
    )
    kept: tuple[str, MiniRun] | None = st.session_state.get(link.key("mini_run"))
    if kept and kept[0] == words:
        return kept[1]
    try:
        run = run_mini(words)
    except ValueError as problem:
        st.warning(str(problem).capitalize())
        return None
    st.session_state[link.key("mini_run")] = (words, run)
    return run


def reply(run: MiniRun) -> None:
    """Draw a run: the tokens read, the tokens written, and what had to be changed in the prompt."""
    for note in run.asked.notes:
        st.caption(note)
    st.markdown(f"**Read in one pass** ({run.prompt_tokens} tokens, the start marker counted)")
    chips(run.read, "prefill")
    st.markdown(f"**Written one pass a token** ({run.reply_tokens} tokens, the last is the end of the text)")
    chips(run.written, "decode")


def likeliest(model: Model, step: Step) -> str:
    """Return the five likeliest next tokens of a pass, with their chances."""
    ids = np.argsort(-step.probs, kind="stable")[:LIKELIEST]
    return ", ".join(f"“{model.token_text(int(i))}” {step.probs[i]:.0%}" for i in ids)


def pass_table(run: MiniRun) -> pd.DataFrame:
    """Return a row a pass: the token, the likeliest five, tokens read and µs taken with the cache and without."""
    model = load("mini")
    return pd.DataFrame(
        {
            "pass": range(1, run.reply_tokens + 1),
            "token_written": run.written,
            "five_likeliest": [likeliest(model, step) for step in run.cached],
            "with_cache_tokens_read": [step.tokens_in_pass for step in run.cached],
            "with_cache_us": [round(step.pass_s * 1e6, 1) for step in run.cached],
            "without_cache_tokens_read": [step.tokens_in_pass for step in run.uncached],
            "without_cache_us": [round(step.pass_s * 1e6, 1) for step in run.uncached],
        }
    )


def pass_marks(run: MiniRun) -> pa.Table:
    """Return the times of all passes, with cache and without, and where their labels stand."""
    kinds = {"with": run.cached, "without": run.uncached}
    rows = [
        mark(0, kind, number, step.pass_s * 1e6)
        for kind, steps in kinds.items()
        for number, step in enumerate(steps, 1)
    ]
    words = {"with": "with the cache: one new token", "without": "without: everything again"}
    last = run.reply_tokens
    ends = [mark(0, "label", last, kinds[kind][-1].pass_s * 1e6, said) for kind, said in words.items()]
    return marks_table(rows + ends)


def pass_times() -> Chart:
    """Return the chart of mini's passes; `start` is the pass, `end` the microseconds it took."""
    x = alt.X("start:Q", title="pass", axis=alt.Axis(tickMinStep=1, format="d"), scale=alt.Scale(zero=False))
    y = alt.Y("end:Q", title="microseconds", scale=alt.Scale(zero=True))
    lines = [
        layer("with", "Larkspur mini").mark_line(
            strokeWidth=2.5, point=alt.OverlayMarkDef(size=60, filled=True)
        ),
        layer("without", "Larkspur mini").mark_line(
            strokeDash=[5, 4], point=alt.OverlayMarkDef(size=60, filled=False)
        ),
    ]
    labels = text("label", align="right", dy=-14).encode(x=x, y=y)
    return alt.layer(*(line.encode(x=x, y=y) for line in lines), labels).properties(height=220)


def pass_alt(run: MiniRun) -> str:
    """Say what the chart of mini's passes shows now."""
    with_s, without_s = mean_later_s(run.cached), mean_later_s(run.uncached)
    return (
        f"Time of each of {run.reply_tokens} passes. The first reads the whole prompt in "
        f"{numbers.brief(run.cached[0].pass_s)}; later passes take {numbers.brief(with_s)} on average with the "
        f"KV cache and {numbers.brief(without_s)} without."
    )


def passes_sum(run: MiniRun) -> Sum:
    """Return what the times of mini's passes are."""
    return Sum(
        "run for real here",
        "Larkspur mini's forward pass in NumPy on the server that hosts this page, one thread, one visitor; "
        f"each pass timed {REPEATS} times with a clock, the middle one shown, with the KV cache and without.",
        (
            ("the pass that reads", numbers.brief(run.cached[0].pass_s)),
            ("a later pass with the cache, mean", numbers.brief(mean_later_s(run.cached))),
            ("a later pass without, mean", numbers.brief(mean_later_s(run.uncached))),
            ("numbers in the model", numbers.count(load("mini").num_params)),
        ),
        f"{run.prompt_tokens} tokens read, {run.reply_tokens} written, in {run.reply_tokens} passes",
        "this machine's clock, this moment; the weights are in data/larkspur-mini",
    )


def mean_later_s(steps: tuple[Step, ...]) -> float:
    """Return the mean time of the passes after the first, or of the first if it is alone."""
    return float(np.mean([step.pass_s for step in steps[1:] or steps]))
