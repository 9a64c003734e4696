"""The sums behind chapter 1's figures, and the figures its texts are filled with."""

from functools import cache

import streamlit as st

from larkspur import load
from pages.ui import mini, numbers
from pages.ui.pass_parts import two_passes
from pages.ui.prompt_lengths import LONGEST, sweep
from pages.ui.served import costs, server
from pages.ui.sources import cite_accelerator, cite_model
from pages.ui.sums import Sum
from sim import LoneRequest, PassTime, lone_request, reading_breaks_even


@cache
def figures(letter: int) -> dict[str, str]:
    """Return the figures of the chapter's texts; `letter` is the length of the prompt that is guessed about."""
    example = mini.example()
    alone = lone_request(costs(), example.prompt_tokens, example.reply_tokens)
    truth, swept = lone_request(costs(), letter, 1), sweep()
    parts, model = reading(example.prompt_tokens), server().model
    return {
        "example_prompt": numbers.count(example.prompt_tokens),
        "example_ttft": numbers.ms(alone.ttft_s),
        "guess_prompt": numbers.count(letter),
        "truth": numbers.ms(truth.ttft_s),
        "times": numbers.count(letter / example.prompt_tokens),
        "ratio": f"{truth.ttft_s / alone.ttft_s:.0f}",
        "breaks_even": numbers.count(reading_breaks_even(costs()) or LONGEST),
        "mini_params": numbers.count(load("mini").num_params),
        "times_smaller": numbers.count(round(model.params / load("mini").num_params, -4)),
        "pace": numbers.ms(alone.decode_s / alone.decode_passes),
        "shortest": numbers.count(swept["prompt_tokens"].iloc[0]),
        "longest_prompt": numbers.count(swept["prompt_tokens"].iloc[-1]),
        "shortest_ttft": numbers.ms(swept["first_token_ms"].iloc[0] / 1e3),
        "longest_ttft": numbers.ms(swept["first_token_ms"].iloc[-1] / 1e3),
        "shortest_pace": f"{swept['next_token_ms'].iloc[0]:.1f} ms",
        "longest_pace": f"{swept['next_token_ms'].iloc[-1]:.1f} ms",
        "rows": numbers.count(len(swept)),
        "weight_bytes": numbers.count(model.weight_bytes()),
        "weight_read": numbers.ms(parts.weight_read_s),
        "kv_token_bytes": numbers.count(model.kv_bytes_per_token()),
    }


def reading(prompt_tokens: int) -> PassTime[float]:
    """Return the pass that reads a prompt."""
    return two_passes(prompt_tokens)[0]


def three_times(alone: LoneRequest) -> None:
    """Draw a request's three times: to the first token, for each later one, and for all."""
    first, later, whole = st.columns(3)
    first.metric("First token", numbers.ms(alone.ttft_s))
    pace = alone.decode_s / alone.decode_passes if alone.decode_passes else None
    later.metric("Each later token", "—" if pace is None else f"{pace * 1e3:.1f} ms")
    whole.metric("Whole reply", numbers.ms(alone.e2e_s))


def first_token(prompt_tokens: int) -> Sum:
    """Return the sum behind the time to the first token."""
    time = reading(prompt_tokens)
    return Sum(
        "simulated",
        "One pass reads the whole prompt. It takes its fixed part, the longer of fetching and arithmetic, "
        "and half of the shorter.",
        part_values(time),
        f"{numbers.count(prompt_tokens)} tokens read: first token after {time.total_s * 1e3:.1f} ms",
        counted_from(),
    )


def part_values(time: PassTime[float]) -> tuple[tuple[str, str], ...]:
    """Return the parts of a pass, as the rows of a sum."""
    parts = {
        "fixed": time.fixed_s,
        "fetching the weights": time.weight_read_s,
        "fetching KV": time.kv_read_s,
        "arithmetic": time.arithmetic_s,
        "hidden (half of the shorter)": -time.hidden_s,
    }
    return tuple((name, f"{seconds * 1e3:.2f} ms") for name, seconds in parts.items())


def request(prompt_tokens: int, output_tokens: int) -> Sum:
    """Return the sum behind a whole request."""
    alone = lone_request(costs(), prompt_tokens, output_tokens)
    return Sum(
        "simulated",
        "One pass reads the prompt and writes the first token; each later token is one more pass. "
        "Every later pass fetches all weights, and the KV cache of the text so far.",
        (
            ("prompt", f"{numbers.count(prompt_tokens)} tokens"),
            ("reply", f"{numbers.count(output_tokens)} tokens"),
            ("the pass that reads", f"{alone.ttft_s * 1e3:.1f} ms"),
            (f"{numbers.count(alone.decode_passes)} passes that write", f"{alone.decode_s * 1e3:.1f} ms"),
        ),
        f"whole reply after {alone.e2e_s * 1e3:.1f} ms",
        counted_from(),
    )


def parts(prompt_tokens: int) -> Sum:
    """Return the sum behind the parts of the two kinds of pass."""
    unit, model, card = costs(), server().model, server().accelerator
    assumed = server().assumptions
    return Sum(
        "simulated",
        "Fetching = bytes ÷ usable bandwidth. Arithmetic = 2 × parameters × tokens ÷ usable FLOP/s, "
        "and a little for every pair of prompt tokens that look at each other.",
        (
            ("weights", f"{numbers.count(model.weight_bytes())} bytes"),
            ("KV of a token", f"{numbers.count(model.kv_bytes_per_token())} bytes"),
            (
                "bandwidth",
                f"{card.bandwidth_bytes_per_s:.4g} bytes/s × {assumed.bandwidth_share:g} usable (assumed)",
            ),
            ("parameters", numbers.count(model.params)),
            ("arithmetic", f"{card.flops_per_s:.3g} FLOP/s × {assumed.flops_share:g} usable (assumed)"),
            ("fixed part of a pass", f"{unit.pass_s * 1e3:g} ms (assumed)"),
            ("overlap", f"{unit.overlap:g} of the shorter (assumed)"),
        ),
        f"{numbers.count(prompt_tokens)} tokens are read in {reading(prompt_tokens).total_s * 1e3:.1f} ms",
        counted_from(),
    )


def breaks_even() -> Sum:
    """Return the sum behind the prompt length at which reading stops being free."""
    unit, tokens = costs(), reading_breaks_even(costs()) or LONGEST
    time = reading(tokens)
    return Sum(
        "simulated",
        "The shortest prompt whose arithmetic takes longer than fetching weights and KV.",
        (
            ("fetching", f"{(time.weight_read_s + time.kv_read_s) * 1e3:.2f} ms"),
            (f"arithmetic of {numbers.count(tokens)} tokens", f"{time.arithmetic_s * 1e3:.2f} ms"),
            ("arithmetic of one token", f"{unit.token_s * 1e6:.0f} µs"),
        ),
        f"from {numbers.count(tokens)} tokens on",
        counted_from(),
    )


def counted_from() -> str:
    """Return where the server's numbers come from, as Markdown."""
    return f"{cite_model('opt-13b')} {cite_accelerator('a100-80gb')} Unit costs: assumptions of this module."


def cite_counting() -> str:
    """Return the work whose way of counting bytes and operations is followed, as Markdown."""
    return (
        "Counting the work of a pass in bytes and operations follows Pope et al. 2022, "
        "[Efficiently Scaling Transformer Inference](https://arxiv.org/abs/2211.05102), section 2."
    )
