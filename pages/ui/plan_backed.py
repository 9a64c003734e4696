"""What real servers say of an answer: how far assumed times were off, and what of it no recorded run backs."""

from collections.abc import Callable

from pages.ui.numbers import percent
from pages.ui.prose import say
from pages.ui.trust_sums import figures
from sim import Settings
from sim.stress import OFF

PAGE = "plan_trust"
UNBACKED: dict[str, Callable[[Settings], bool]] = {
    "guessing": lambda settings: settings.num_speculative_tokens > 0,
    "fewer bits": lambda settings: settings.weight_bits < 16,
    "prompts first": lambda settings: settings.scheduler == "prefill-first",
    "fixed batches": lambda settings: settings.scheduler == "request-level",
    "whole prompts beside others' text": lambda settings: settings.scheduler == "iteration-level",
    "reserved memory": lambda settings: settings.kv_layout != "paged",
}


def backed() -> str:
    """Say how far assumed times were off beside real servers, and what no recorded run backs."""
    return say(PAGE, "backed", **told())


def backed_in_memo(answer: Settings) -> str:
    """Say the same of one answer, for a memo: only what it makes use of."""
    used, off = unbacked(answer), say(PAGE, "backed.memo", **told())
    return f"{off} {say(PAGE, 'backed.memo.none', unbacked=joined(used))}" if used else off


def unbacked(settings: Settings) -> list[str]:
    """Return what of settings no recorded run backs, in words."""
    return [name for name, is_used in UNBACKED.items() if is_used(settings)]


def joined(names: list[str]) -> str:
    """Return names as a sentence has them: a, b or c."""
    *first, last = names
    return f"{', '.join(first)} or {last}" if first else last


def told() -> dict[str, str]:
    """Return the trust page's own figures, with a space before each percent sign."""
    names = ("counted_worst", "writes_vllm_high", "writes_vllm_low", "vllm")
    return {name: figures()[name].replace("%", " %") for name in names} | {"off": percent(OFF)}
