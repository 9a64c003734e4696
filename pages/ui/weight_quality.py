"""What is published of OPT-13B's quality at a width, so that rounding never looks free."""

from pages.ui.numbers import percent, spaced
from pages.ui.sources import cite_result
from pages.ui.sums import Sum
from sim import QUOTED

AT = {16: "gptq-opt-13b-16-bit", 4: "gptq-opt-13b-4-bit"}


def told(bits: int) -> str:
    """Say what perplexity OPT-13B has at a width, or that the paper prints none."""
    whole = QUOTED[AT[16]].value
    if bits not in AT:
        return (
            f"**What {bits} bits cost in quality**: the paper that we quote prints no perplexity at {bits} bits, only "
            f"{whole:.2f} at 16 and {QUOTED[AT[4]].value:.2f} at 4. Test it on your own questions."
        )
    if bits == 16:
        return f"**Quality**: the weights are as published; OPT-13B's perplexity on WikiText2 is {whole:.2f}."
    value = QUOTED[AT[bits]].value
    more = spaced(percent(value / whole - 1))
    return (
        f"**What {bits} bits cost in quality**: OPT-13B's *perplexity* (how surprised it is by real text; lower is "
        f"better) is {value:.2f} on WikiText2 with GPTQ, against {whole:.2f} at 16 bits: {more} more. "
        "That is not a share of wrong answers; test it on your own questions."
    )


def quality_sum() -> Sum:
    """Return where the perplexities are printed."""
    names = {**AT, 3: "gptq-opt-13b-3-bit"}
    return Sum(
        "quoted",
        "OPT-13B's perplexity",
        "Perplexity on WikiText2, as the authors of GPTQ measured it. The search leaves 3 bits out for what they cost.",
        tuple(
            (f"{bits} bits", f"{QUOTED[key].value:.2f}") for bits, key in sorted(names.items(), reverse=True)
        ),
        f"{QUOTED[AT[16]].value:.2f} at 16 bits, {QUOTED[AT[4]].value:.2f} at 4",
        cite_result(QUOTED[AT[4]]),
    )
