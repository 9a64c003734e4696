"""The sums behind chapter 1's figures."""

from functools import lru_cache

from pages.ui import numbers
from pages.ui.charts import KEPT
from pages.ui.cited import cite_work
from pages.ui.numbers import ms
from pages.ui.pass_parts import two_passes
from pages.ui.prompt_lengths import LONGEST, sweep
from pages.ui.served import costs, server
from pages.ui.sources import cite_accelerator, cite_model
from pages.ui.sums import Sum
from sim import PassTime, lone_request, reading_breaks_even


@lru_cache(maxsize=KEPT)
def first_token(prompt_tokens: int) -> Sum:
    """Return the sum behind the time to the first token."""
    time, _ = two_passes(prompt_tokens)
    return Sum(
        "simulated",
        f"first token of {numbers.tokens(prompt_tokens)}",
        "One pass reads the whole prompt. It takes its fixed part, fetching and arithmetic, less what of the "
        "shorter of those two hides under the longer.",
        part_values(time),
        f"{numbers.tokens(prompt_tokens)} read: first token after {ms(time.total_s, 2)}",
        counted_from(),
    )


def part_values(time: PassTime[float]) -> tuple[tuple[str, str], ...]:
    """Return the parts of a pass, as the rows of a sum."""
    parts = {
        "fixed": time.fixed_s,
        "fetching the weights": time.weight_read_s,
        "fetching KV": time.kv_read_s,
        "arithmetic": time.arithmetic_s,
        f"hidden ({costs().overlap:.0%} of the shorter)": -time.hidden_s,
    }
    return tuple(zip(parts, in_ms(list(parts.values())), strict=True))


def in_ms(seconds: list[float], decimals: int = 2) -> list[str]:
    """Return times that are added up, in milliseconds that add up as printed."""
    return [
        ms(each_ms / 1e3, decimals)
        for each_ms in numbers.adding_up([1e3 * each for each in seconds], decimals)
    ]


@lru_cache(maxsize=KEPT)
def request(prompt_tokens: int, output_tokens: int) -> Sum:
    """Return the sum behind a whole request."""
    alone = lone_request(costs(), prompt_tokens, output_tokens)
    reading, writing = in_ms([alone.ttft_s, alone.decode_s])
    return Sum(
        "simulated",
        "one request",
        "One pass reads the prompt and writes the first token; each later token is one more pass, which fetches "
        "all weights, and the KV cache of the text so far.",
        (
            ("prompt", numbers.tokens(prompt_tokens)),
            ("reply", numbers.tokens(output_tokens)),
            ("the pass that reads", reading),
            (f"{numbers.count(alone.decode_passes)} passes that write", writing),
        ),
        f"whole reply after {ms(alone.e2e_s, 2)}",
        counted_from(),
    )


@lru_cache(maxsize=KEPT)
def parts(prompt_tokens: int) -> Sum:
    """Return the sum behind the parts of the two kinds of pass."""
    unit, model, card = costs(), server().model, server().accelerator
    assumed = server().assumptions
    return Sum(
        "simulated",
        "the parts of a pass",
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
            ("fixed part of a pass", f"{ms(unit.pass_s, 1)} (assumed)"),
            ("hidden", f"{unit.overlap:.0%} of the shorter (assumed)"),
        ),
        f"{numbers.tokens(prompt_tokens)} are read in {ms(two_passes(prompt_tokens)[0].total_s, 2)}",
        counted_from(),
    )


@lru_cache(maxsize=KEPT)
def breaks_even() -> Sum:
    """Return the sum behind the prompt length from which arithmetic takes longer than fetching."""
    unit, tokens = costs(), reading_breaks_even(costs()) or LONGEST
    time, _ = two_passes(tokens)
    return Sum(
        "simulated",
        "prompts of any length",
        "The marked length is the shortest prompt whose arithmetic takes longer than fetching weights and KV. "
        f"Each of the {len(sweep())} points is one pass, counted as above.",
        (
            ("fetching", ms(time.weight_read_s + time.kv_read_s, 2)),
            (f"arithmetic of {numbers.tokens(tokens)}", ms(time.arithmetic_s, 2)),
            ("arithmetic of one token", numbers.brief(unit.token_s)),
        ),
        f"from {numbers.tokens(tokens)} on",
        counted_from(),
    )


@lru_cache(maxsize=KEPT)
def counted_from() -> str:
    """Return where the server's numbers come from, as Markdown."""
    return f"{cite_model('opt-13b')} {cite_accelerator('a100-80gb')} Unit costs: assumptions of this module."


def cite_counting() -> str:
    """Return the work whose way of counting bytes and operations is followed, as Markdown."""
    return cite_work("counting")
