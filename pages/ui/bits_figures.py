"""The figures that chapter 4's texts name, as words."""

from collections.abc import Callable
from functools import lru_cache

import streamlit as st

from larkspur import held_out_texts
from pages.ui import numbers
from pages.ui.batch_curve import monday_trace
from pages.ui.bits_batch import POINTLESS, TOKENS, passes_s, room, times_faster
from pages.ui.bits_cliff import told
from pages.ui.bits_layers import mean_change, percent, worst
from pages.ui.bits_models import FEWER, FULL, METHODS, Replies, measured, num_tokens
from pages.ui.bits_quoted import FEW_MS, MANY_MS, more_percent, perplexity
from pages.ui.bits_seats import LONGEST, gb, served, times_as_many
from pages.ui.bits_words import count_same
from pages.ui.guess import Guess
from sim import QUOTED

PROMISED = 16 / 3  # what bits alone promise of the quoted 3-bit kernel


@lru_cache(maxsize=1)
def served_figures() -> dict[str, str]:
    """Return what does not depend on the reader's settings: the server's figures and the quoted ones."""
    full, few = served(16), served(4)
    figures = {
        "full": str(FULL),
        "requests": str(len(monday_trace())),
        "longest": numbers.count(LONGEST),
        "fit_times": f"{times_as_many():.1f}",
        "alone_times": f"{full.alone_s / few.alone_s:.1f}",
        "alone_full": numbers.ms(full.alone_s, 1),
        "alone_few": numbers.ms(few.alone_s, 1),
        "preempted": str(full.preemptions),
        "tokens_each": str(TOKENS),
        "pointless": f"{POINTLESS:g}",
        "room": str(room(16)),
        "many_ms": f"{MANY_MS:g} ms",
        "few_ms": f"{FEW_MS:g} ms",
        "measured_times": f"{MANY_MS / FEW_MS:.1f}",
        "promised_times": f"{PROMISED:.1f}",
        "big": "OPT-175B",
        "cards": f"{QUOTED['gptq-opt-175b-16-bit-cards'].value:g}",
        "freed": gb(full.weight_bytes - few.weight_bytes),
        "last_seats": str(served(3).longest_requests - few.longest_requests),
        "ours_rounded": f"{perplexity('opt-13b', 3, 'rounded'):,g}",
    }
    figures |= {"two": "2", "three": "3", "four": "4", "six": "6", "eight": "8"}
    for bits in (3, 4, 8, 16):
        one = served(bits)
        figures |= {f"weights_{bits}": gb(one.weight_bytes), f"kv_{bits}": gb(one.kv_bytes)}
        figures |= {f"fit_{bits}": str(one.longest_requests), f"on_{bits}": str(one.on_target)}
    for bits in (3, 4):
        figures |= {f"big_{bits}": f"{more_percent('opt-175b', bits, 'GPTQ'):.1f} %"}
        figures |= {f"ours_{bits}": f"{more_percent('opt-13b', bits, 'GPTQ'):.0f} %"}
        figures |= {f"ours_rounded_{bits}": f"{more_percent('opt-13b', bits, 'rounded'):.0f} %"}
    return figures


@lru_cache(maxsize=8)
def mini_figures(scales: str) -> dict[str, str]:
    """Return what is measured of mini with these scales; who is the first to ask is told what is waited for."""
    with st.spinner(f"Quantizing Larkspur mini, {len(FEWER) * len(METHODS)} times over"):
        for bits in FEWER:
            for method in METHODS:
                measured(bits, method, scales)
    figures = {"texts": str(len(held_out_texts())), "tokens": numbers.count(num_tokens())}
    figures |= {"widths": str(len(FEWER)), "full_perplexity": told(measured(FULL, "GPTQ", scales).perplexity)}
    for bits in FEWER:
        for method in METHODS:
            found = measured(bits, method, scales)
            figures[f"{method.lower()}_perplexity_{bits}"] = told(found.perplexity)
            figures[f"{method.lower()}_agreement_{bits}"] = f"{100 * found.agreement:.0f} %"
            figures[f"{method.lower()}_other_{bits}"] = f"{100 * (1 - found.agreement):.1f} %"
        figures[f"bytes_{bits}"] = numbers.memory(measured(bits, "GPTQ", scales).weight_bytes)
    figures["bytes_full"] = numbers.memory(measured(FULL, "GPTQ", scales).weight_bytes)
    return figures


@lru_cache(maxsize=32)
def layer_figures(bits: int, scales: str) -> dict[str, str]:
    """Return where the error sits at so many bits."""
    figures = {"bits": str(bits), "worst_layer": worst(bits, "rounded", scales)[0]}
    for method in METHODS:
        name = method.lower()
        figures[f"{name}_weights"] = percent(mean_change(bits, method, scales, "weights"))
        figures[f"{name}_outputs"] = percent(mean_change(bits, method, scales, "outputs"))
        figures[f"{name}_worst"] = percent(worst(bits, method, scales)[1])
    return figures


def batch_figures(batch: int) -> dict[str, str]:
    """Return what a pass of a batch takes at 16 and at 4 bits."""
    slow, fast = (numbers.ms(passes_s(bits)[batch - 1], 1) for bits in (16, 4))
    return {"batch": str(batch), "times": f"{times_faster(batch):.2f}", "slow": slow, "fast": fast}


def verdict(tell: Callable[..., str], made: Guess, shown: Replies | None) -> str:
    """Say how the guess and the reader's question stand to each other, or that the place is still empty."""
    if not made.is_revealed:
        return tell("guess.empty")
    if shown is None:
        return tell("guess.asking")
    if shown.first_change is None:
        return tell("guess.never")
    truth = f"{shown.first_change} bits"
    said = tell("guess.shown", truth=truth)
    if made.latest is not None:
        said = tell("guess.told", guess=str(made.latest), truth=truth)
    return f"{said} {tell('guess.because', same=str(count_same(shown)))}"
