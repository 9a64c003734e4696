"""What an answer takes for granted, in the words of the memo."""

from pages.ui.numbers import ms, percent
from pages.ui.prose import say
from sim import QUOTED, Server, Settings

PAGE = "plan_export"


def assumed(server: Server, answer: Settings) -> str:
    """Say what the numbers take for granted."""
    shares = server.assumptions
    told = say(
        PAGE,
        "memo.assumed",
        bandwidth=percent(shares.bandwidth_share),
        flops=percent(shares.flops_share),
        overlap=percent(shares.overlap),
        overhead=ms(shares.overhead_s),
    )
    if answer.num_speculative_tokens > 0:
        told += " " + say(PAGE, "memo.assumed.guessing", acceptance=percent(answer.acceptance_rate))
    return told + quality(answer.weight_bits)


def quality(weight_bits: int) -> str:
    """Say what fewer bits cost, as far as a paper has measured it."""
    if weight_bits == 16:
        return ""
    full, less = QUOTED["gptq-opt-13b-16-bit"], QUOTED.get(f"gptq-opt-13b-{weight_bits}-bit")
    bits = str(weight_bits)
    if less is None:
        return " " + say(PAGE, "memo.assumed.bits.unknown", bits=bits)
    values = {"perplexity_full": f"{full.value:.2f}", "perplexity": f"{less.value:.2f}"}
    return " " + say(PAGE, "memo.assumed.bits", bits=bits, source=less.source.url, **values)
