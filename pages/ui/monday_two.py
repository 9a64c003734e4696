"""Two settings on the same customers: who gains and who loses."""

from functools import lru_cache

import numpy as np
import pandas as pd

from pages.ui.charts import KEPT
from pages.ui.ladder import topics
from pages.ui.monday_try import attempt, met
from sim import Settings, Targets

BEST_TODAY = "the best of today's"
NAMES = ("the start", "vLLM's defaults", "mine", "the best", BEST_TODAY)


def listed(numbers: list[int]) -> str:
    """Return customers as words: nobody, or their numbers."""
    if not numbers:
        return "nobody"
    return f"customer{'s' * (len(numbers) > 1)} {', '.join(map(str, numbers))}"


@lru_cache(maxsize=KEPT)
def gains_and_losses(one: Settings, other: Settings, targets: Targets) -> tuple[list[int], list[int]]:
    """Return the customers that only `other` keeps, and those that only `one` keeps."""
    before, after = met(one, targets), met(other, targets)
    gain, lose = (np.flatnonzero(which) + 1 for which in (after & ~before, before & ~after))
    return gain.tolist(), lose.tolist()


def told(names: tuple[str, ...], one: Settings, other: Settings, targets: Targets) -> str:
    """Say who gains and who loses from the first setting to the second."""
    gain, lose = gains_and_losses(one, other, targets)
    first, second = attempt(one).requests, attempt(other).requests
    later = int((second["ttft_s"] > first["ttft_s"]).sum())
    slower = int((second["tpot_s"] > first["tpot_s"]).sum())
    frozen = int((second["longest_gap_s"] > first["longest_gap_s"]).sum())
    before_s, after_s = (requests["longest_gap_s"].max() for requests in (first, second))
    return (
        f"From *{names[0]}* to *{names[1]}*: **{len(gain)} gain** ({listed(gain)}), **{len(lose)} lose** "
        f"({listed(lose)}). "
        f"{later} of {len(first)} get their first word later, {slower} get their text more slowly, and for {frozen} "
        f"it stands still longer at a time: up to {after_s:.2f} s, before up to {before_s:.2f} s."
    )


def two_numbers(one: Settings, other: Settings, targets: Targets) -> pd.DataFrame:
    """Return a row a customer: its waits and whether it is on target under both settings."""
    table = {"customer": np.arange(len(topics())) + 1, "topic": topics()}
    for letter, settings in (("a", one), ("b", other)):
        requests = attempt(settings).requests
        table[f"{letter}_first_word_after_s"] = requests["ttft_s"]
        table[f"{letter}_each_token_ms"] = requests["tpot_s"] * 1e3
        table[f"{letter}_on_target"] = np.where(met(settings, targets), "yes", "no")
    return pd.DataFrame(table)
