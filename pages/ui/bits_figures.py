"""The figures that chapter 4's texts name, as words."""

from collections.abc import Callable
from functools import lru_cache

import streamlit as st

from larkspur import held_out_texts
from pages.ui import numbers
from pages.ui.batch_curve import monday_trace
from pages.ui.bits_batch import POINTLESS, TOKENS, passes_s, room, told_times
from pages.ui.bits_browser import Both
from pages.ui.bits_cliff import told
from pages.ui.bits_layers import mean_change, percent, worst
from pages.ui.bits_models import (
    FEWER,
    FULL,
    LINEAR_WEIGHTS,
    METHODS,
    QUESTION,
    WHOLE_ROW,
    Replies,
    full,
    measured,
    num_tokens,
    replies,
)
from pages.ui.bits_quoted import FEW_MS, MANY_MS, more_percent, perplexity
from pages.ui.bits_seats import LONGEST, SO_FAR, gb, served, times_as_many
from pages.ui.bits_words import count_same
from pages.ui.guess import Guess
from pages.ui.served import server
from sim import MONDAY_TARGETS, QUOTED

PROMISED = 16 / 3  # what bits alone promise of the quoted 3-bit kernel


@lru_cache(maxsize=1)
def served_figures() -> dict[str, str]:
    """Return what does not depend on the reader's settings: the server's figures and the quoted ones."""
    many, few = served(16), served(4)
    figures = {
        "first_question": QUESTION,
        "linear_weights": numbers.count(LINEAR_WEIGHTS),
        "mini_params": numbers.count(full().num_params),
        "gpu_share": numbers.percent(server().gpu_memory_utilization),
        "ours_params": f"{server().model.params / 1e9:.0f} billion",
        "working_room": gb(server().assumptions.activation_bytes),
        "lone_tokens": numbers.tokens(SO_FAR),
        "ttft_target": f"{MONDAY_TARGETS.ttft_s:g} s",
        "tpot_target": numbers.ms(MONDAY_TARGETS.tpot_s),
        "full": str(FULL),
        "requests": str(len(monday_trace())),
        "longest": numbers.count(LONGEST),
        "fit_times": f"{times_as_many():.1f}",
        "alone_times": f"{many.alone_s / few.alone_s:.1f}",
        "alone_full": numbers.ms(many.alone_s, 1),
        "alone_few": numbers.ms(few.alone_s, 1),
        "preempted": str(many.preemptions),
        "tokens_each": str(TOKENS),
        "pointless": f"{POINTLESS:g}",
        "room": str(room(16)),
        "exact_freed": gb(many.weight_bytes - few.weight_bytes, 2),
        "exact_kv_16": gb(many.kv_bytes, 2),
        "exact_kv_4": gb(few.kv_bytes, 2),
        "last_seats": str(served(3).longest_requests - few.longest_requests),
    }
    figures |= {f"values_{bits}": str(2**bits) for bits in (8, 4, 2)}
    figures |= {"two": "2", "three": "3", "four": "4", "six": "6", "eight": "8"}
    for bits in (3, 4, 8, 16):
        one = served(bits)
        figures |= {f"weights_{bits}": gb(one.weight_bytes), f"kv_{bits}": gb(one.kv_bytes)}
        figures |= {f"fit_{bits}": str(one.longest_requests), f"on_{bits}": str(one.on_target)}
    return figures | published_figures()


def published_figures() -> dict[str, str]:
    """Return what was measured of large models: how fast a text appeared, and how far perplexity rose."""
    figures = {
        "many_ms": f"{MANY_MS:g} ms",
        "few_ms": f"{FEW_MS:g} ms",
        "measured_times": f"{MANY_MS / FEW_MS:.1f}",
        "promised_times": f"{PROMISED:.1f}",
        "big": "OPT-175B",
        "cards": f"{QUOTED['gptq-opt-175b-16-bit-cards'].value:g}",
        "ours_rounded": f"{perplexity('opt-13b', 3, 'rounded'):,g}",
    }
    for bits in (3, 4):
        figures |= {f"big_{bits}": f"{more_percent('opt-175b', bits, 'GPTQ'):.1f} %"}
        figures |= {f"ours_{bits}": f"{more_percent('opt-13b', bits, 'GPTQ'):.1f} %"}
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
            figures[f"{method.lower()}_agreement_{bits}"] = numbers.percent(found.agreement)
            figures[f"{method.lower()}_other_{bits}"] = numbers.percent(1 - found.agreement, 1)
        figures[f"bytes_{bits}"] = numbers.memory(measured(bits, "GPTQ", scales).weight_bytes)
    whole = measured(FULL, "GPTQ", scales).perplexity
    figures["gptq_rise_4"] = f"{100 * (measured(4, 'GPTQ', scales).perplexity / whole - 1):.1f} %"
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
    return {"batch": str(batch), "times": told_times(batch), "slow": slow, "fast": fast}


def verdict(tell: Callable[..., str], made: Guess, both: Both | None, method: str, scales: str) -> str:
    """Say how the guess and the reader's question stand to each other, or that the place is still empty."""
    if not made.is_revealed:
        return tell("guess.empty")
    if both is None:
        return tell("guess.asking")
    shown, way = both[method], f"{'GPTQ' if method == 'GPTQ' else 'rounding'} and one scale for {scales}"
    if shown.first_change is None:
        return f"{tell('guess.never', way=way)} {compared(tell, both, scales)}".strip()
    truth = f"{shown.first_change} bits"
    said = tell("guess.shown", truth=truth, way=way)
    if made.latest is not None:
        said = tell("guess.told", guess=str(made.latest), truth=truth, way=way)
    because = tell("guess.because", same=str(count_same(shown)))
    judged = tell("guess.bad" if is_nonsense(shown, method, scales) else "guess.judge")
    return f"{said} {because} {judged} {compared(tell, both, scales)}".strip()


def is_nonsense(shown: Replies, method: str, scales: str) -> bool:
    """Whether these are the replies to our first question as the page begins, whose first change makes no sense."""
    first = (method, scales) == ("GPTQ", WHOLE_ROW)
    return first and shown == replies(QUESTION, method, scales)


def compared(tell: Callable[..., str], both: Both, scales: str) -> str:
    """Say where the two methods' replies go against what they do over many tokens; nothing where they do not."""
    bits = against(both, scales)
    if bits is None:
        return ""
    kept = {
        f"{method.lower()}_kept": numbers.percent(measured(bits, method, scales).agreement, 1)
        for method in METHODS
    }
    return tell("guess.against", at=str(bits), **kept)


def against(both: Both, scales: str) -> int | None:
    """Return the first width at which GPTQ alone changed the reply, though it keeps more tokens; None if none."""
    for bits in FEWER:
        is_changed, is_also = (both[method].at(bits) != both[method].full for method in ("GPTQ", "rounded"))
        more, less = (measured(bits, method, scales).agreement for method in ("GPTQ", "rounded"))
        if is_changed and not is_also and more > less:
            return bits
    return None
