"""The figures that chapter 1's texts are filled with."""

from functools import cache

from larkspur import load
from pages.ui import mini, numbers
from pages.ui.pass_parts import two_passes
from pages.ui.prompt_lengths import LONGEST, sweep
from pages.ui.served import costs, server
from sim import lone_request, reading_breaks_even


@cache
def figures(letter: int) -> dict[str, str]:
    """Return the figures of the chapter's texts; `letter` is the prompt that is guessed about, in tokens."""
    return of_the_guess(letter) | of_the_lengths() | of_the_models()


def of_the_guess(letter: int) -> dict[str, str]:
    """Return the figures of the example and of the long letter."""
    example = mini.example()
    alone, truth = (lone_request(costs(), n, example.reply_tokens) for n in (example.prompt_tokens, letter))
    return {
        "example_prompt": numbers.count(example.prompt_tokens),
        "example_ttft": numbers.ms(alone.ttft_s),
        "guess_prompt": numbers.count(letter),
        "truth": numbers.ms(truth.ttft_s),
        "times": numbers.count(letter / example.prompt_tokens),
        "ratio": f"{truth.ttft_s / alone.ttft_s:.0f}",
        "pace": numbers.ms(alone.decode_s / alone.decode_passes),
    }


def of_the_lengths() -> dict[str, str]:
    """Return the figures of prompts of any length."""
    swept, even = sweep(), reading_breaks_even(costs()) or LONGEST
    first_ms, pace_ms = swept["first_token_ms"], swept["next_token_ms"]
    before_s, after_s = token_costs_s()
    return {
        "breaks_even": numbers.count(even),
        "token_before": numbers.brief(before_s),
        "token_after": numbers.brief(after_s),
        "shortest": numbers.count(swept["prompt_tokens"].iloc[0]),
        "longest_prompt": numbers.count(swept["prompt_tokens"].iloc[-1]),
        "shortest_ttft": numbers.ms(first_ms.iloc[0] / 1e3),
        "longest_ttft": numbers.ms(first_ms.iloc[-1] / 1e3),
        "shortest_pace": numbers.ms(pace_ms.iloc[0] / 1e3, 1),
        "longest_pace": numbers.ms(pace_ms.iloc[-1] / 1e3, 1),
        "rows": numbers.count(len(swept)),
    }


def token_costs_s() -> tuple[float, float]:
    """Return what one more prompt token costs, in seconds, shortly before arithmetic decides and well after."""
    even = reading_breaks_even(costs()) or LONGEST
    at_s = {n: lone_request(costs(), n, 1).ttft_s for n in (2, even - 1, 2 * even, 3 * even)}
    before_s = (at_s[even - 1] - at_s[2]) / (even - 3)
    return before_s, (at_s[3 * even] - at_s[2 * even]) / even


def of_the_models() -> dict[str, str]:
    """Return the figures of the two models."""
    model, mini_params = server().model, load("mini").num_params
    read, _ = two_passes(mini.example().prompt_tokens)
    return {
        "mini_params": numbers.count(mini_params),
        "billions": numbers.count(model.params / 1e9),
        "times_smaller": numbers.count(round(model.params / mini_params, -4)),
        "weight_bytes": numbers.count(model.weight_bytes()),
        "weight_read": numbers.ms(read.weight_read_s),
        "kv_token_bytes": numbers.count(model.kv_bytes_per_token()),
        "overlap": f"{costs().overlap:.0%}",
    }
