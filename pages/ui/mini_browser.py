"""Larkspur mini in the reader's browser: what is typed stays there, and only the finished run is heard of here."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Literal

import streamlit as st

from larkspur import load
from larkspur.prompts import MAX_PROMPT_TOKENS
from pages.ui import link, mini
from pages.ui.mini_bytes import LIKELIEST, MAX_NEW_TOKENS, packed
from pages.ui.mini_passes import Likeliest, MiniRun, Timing

HERE = Path(__file__).parent
SCRIPT = link.script(
    "leaving.js",
    "walking.js",
    "mini_tokenizer.js",
    "mini_model.js",
    "mini_run.js",
    "mini_result.js",
    "address.js",
    "box.js",
    "mini.js",
)


def run(tell: Callable[[str], str]) -> MiniRun | None:
    """Draw mini's box, or the server's stand-in where it cannot run, and return the last finished run."""
    shared = shared_prompt()
    if not link.kept("on_server"):
        try:
            return in_browser(shared)
        except (KeyError, OverflowError, TypeError, ValueError):
            use_server("unreadable")
    st.warning(tell(f"mini.{link.kept('on_server')}"), icon=":material/dns:")
    st.markdown(tell("mini.sent"))
    return mini.stand_in(shared or mini.EXAMPLE)


def in_browser(shared: str) -> MiniRun | None:
    """Draw mini's box and return the last finished run, if any; an error if the report of it makes no sense."""
    box = _COMPONENT(
        key=link.key("mini"),
        data=packed(mini.EXAMPLE, shared),
        on_run_change=nothing,
        on_problem_change=partial(use_server, "failed"),
    )
    if box.run is not None:
        return finished_run(box.run)
    offer_server("Does the box stay empty? Run it on the server instead")
    return None


def shared_prompt() -> str:
    """Return the prompt that a link has brought, or nothing; it stays in the page's address."""
    link.restore("ask", "", lambda text: text if text.strip() else "")
    shared = str(link.kept("ask"))
    link.publish("ask", shared or None)
    return shared


def offer_server(words: str) -> None:
    """Offer the server's stand-in, for where the box stays empty."""
    key, icon = link.key("use_server"), ":material/dns:"
    st.button(words, key=key, on_click=use_server, args=("chosen",), type="tertiary", icon=icon)


def use_server(why: Literal["chosen", "failed", "linked", "unreadable"]) -> None:
    """Let the server stand in for this visit."""
    st.session_state[link.key("on_server")] = why


def nothing() -> None:
    """Do nothing: the page reads the component's state as it runs."""


def finished_run(report: Mapping[str, Any]) -> MiniRun:
    """Return the run that a browser reports; ValueError, TypeError or KeyError if it is none."""
    ids = tuple(whole(token_id, 0, load("mini").config.n_vocab - 1) for token_id in report["ids"])
    whole(len(ids), 1, MAX_NEW_TOKENS)
    return MiniRun(
        "browser",
        whole(report["prompt_tokens"], 2, MAX_PROMPT_TOKENS),
        ids,
        tuple(likeliest(pairs) for pairs in report["likeliest"]),
        timing(report["cached_us"], report["cached_repeats"]),
        timing(report["uncached_us"], report["uncached_repeats"]),
        tick_s=positive(report["tick_us"]) / 1e6,
    )


def likeliest(pairs: list[list[Any]]) -> Likeliest:
    """Return a pass's likeliest tokens and their chances."""
    if len(pairs) != LIKELIEST:
        raise ValueError(f"expected {LIKELIEST} tokens, got {len(pairs)}")
    last = load("mini").config.n_vocab - 1
    return tuple((whole(token_id, 0, last), chance(share)) for token_id, share in pairs)


def timing(passes_us: list[Any], repeats: list[Any]) -> Timing:
    """Return times in seconds with their repeats."""
    return Timing(
        tuple(positive(us) / 1e6 for us in passes_us), tuple(whole(n, 1, 10_000_000) for n in repeats)
    )


def whole(value: Any, low: int, high: int) -> int:
    """Return a whole number from `low` to `high`; ValueError or TypeError otherwise."""
    if int(value) != value or not low <= value <= high:
        raise ValueError(f"expected a whole number from {low} to {high}, got {value!r}")
    return int(value)


def chance(value: Any) -> float:
    """Return a number from 0 to 1; ValueError or TypeError otherwise."""
    if not 0 <= value <= 1:
        raise ValueError(f"expected a chance from 0 to 1, got {value!r}")
    return float(value)


def positive(value: Any) -> float:
    """Return a number above 0 and below an hour of microseconds; ValueError or TypeError otherwise."""
    if not 0 < value < 3.6e9:
        raise ValueError(f"expected a time in microseconds, got {value!r}")
    return float(value)


_COMPONENT = st.components.v2.component(
    "larkspur_mini",
    html=(HERE / "mini.html").read_text("utf-8"),
    css=(HERE / "mini.css").read_text("utf-8"),
    js=SCRIPT,
)
