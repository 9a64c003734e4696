"""The figures that chapter 1's texts are filled with."""

from functools import cache

from larkspur import load
from pages.ui import guess, mini, numbers
from pages.ui.pass_parts import two_passes
from pages.ui.prompt_lengths import LONGEST, sweep
from pages.ui.served import costs, server
from sim import lone_request, reading_breaks_even

CLOSE = 0.2  # of the truth


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
        "scaled": numbers.ms(alone.ttft_s * letter / example.prompt_tokens),
        "added": numbers.ms(two_passes(letter)[0].arithmetic_s),
        "pace": numbers.ms(alone.decode_s / alone.decode_passes),
    }


def verdict(guessed_ms: int, letter: int) -> str:
    """Return which passage answers a guess of the long letter's first token: over, close or under."""
    truth_ms = lone_request(costs(), letter, 1).ttft_s * 1e3
    return guess.verdict(guessed_ms, truth_ms, CLOSE * truth_ms)


def of_the_lengths() -> dict[str, str]:
    """Return the figures of prompts of any length."""
    swept, even = sweep(), reading_breaks_even(costs()) or LONGEST
    first_ms, pace_ms = swept["first_token_ms"], swept["next_token_ms"]
    before_s, after_s, last_s = token_costs_s()
    return {
        "breaks_even": numbers.count(even),
        "token_before": numbers.brief(before_s),
        "token_after": numbers.brief(after_s),
        "token_last": numbers.brief(last_s),
        "shortest": numbers.count(swept["prompt_tokens"].iloc[0]),
        "longest_prompt": numbers.count(swept["prompt_tokens"].iloc[-1]),
        "shortest_ttft": numbers.ms(first_ms.iloc[0] / 1e3),
        "longest_ttft": numbers.ms(first_ms.iloc[-1] / 1e3),
        "shortest_pace": numbers.ms(pace_ms.iloc[0] / 1e3, 1),
        "longest_pace": numbers.ms(pace_ms.iloc[-1] / 1e3, 1),
        "rows": numbers.count(len(swept)),
    }


def token_costs_s() -> tuple[float, float, float]:
    """Return the seconds that one more prompt token adds: before arithmetic decides, just past that, at the end."""
    even, last = reading_breaks_even(costs()) or LONGEST, LONGEST - 1
    return added_s(2, even - 1), added_s(even, even + 10), added_s(last - 10, last)


def added_s(fewer: int, more: int) -> float:
    """Return the seconds that each further token adds to the reading of a prompt between two lengths."""
    first_s = {n: lone_request(costs(), n, 1).ttft_s for n in (fewer, more)}
    return (first_s[more] - first_s[fewer]) / (more - fewer)


def of_the_models() -> dict[str, str]:
    """Return the figures of the two models."""
    model, mini_params = server().model, load("mini").num_params
    read, _ = two_passes(mini.example().prompt_tokens)
    assumed = server().assumptions
    return {
        "mini_params": numbers.count(mini_params),
        "billions": numbers.count(model.params / 1e9),
        "times_smaller": numbers.count(round(model.params / mini_params, -4)),
        "weight_bytes": numbers.count(model.weight_bytes()),
        "weight_read": numbers.ms(read.weight_read_s, 1),
        "kv_token_bytes": numbers.count(model.kv_bytes_per_token()),
        "weight_read_full": numbers.ms(read.weight_read_s * assumed.bandwidth_share, 1),
        "bandwidth_share": f"{assumed.bandwidth_share:.0%}",
        "flops_share": f"{assumed.flops_share:.0%}",
        "overlap": f"{costs().overlap:.0%}",
    }
