"""What a search has found among the settings that the reader accepts: the best, those tied with it, and the rest."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from pages.ui.monday_knobs import KNOBS, NAMES, short
from pages.ui.monday_search import Found
from pages.ui.monday_try import CUSTOMERS, DEFAULTS, kept
from pages.ui.monday_wish import Wish
from pages.ui.plan_held import others
from pages.ui.served import server
from sim import Settings, Targets
from sim.other_mondays import order_ties

OrderTies = Callable[
    [pd.DataFrame, Targets], pd.DataFrame
]  # rows that keep equally many, the same rows in order
RESULTS_KEPT = 16
COLUMNS = {knob.field: knob.name.partition(":")[0].partition(",")[0].replace(" ", "_") for knob in KNOBS}


@dataclass(frozen=True, eq=False)
class Result:
    """The accepted settings of a search: how many keep 0, 1, … customers [25], and those tied at the most, in order."""

    found: Found
    wish: Wish
    counts: npt.NDArray[np.int64]
    all_counts: npt.NDArray[np.int64]
    ties: pd.DataFrame

    @property
    def frame(self) -> pd.DataFrame:
        """The accepted rows of the search."""
        allowed = accepted(self.found.frame, self.wish)
        return self.found.frame if allowed.all() else self.found.frame[allowed]

    @property
    def best(self) -> Settings:
        """The setting that comes first."""
        return settings_of(self.ties.iloc[0])

    @property
    def most(self) -> int:
        """How many customers the best keeps."""
        return int(self.ties["on_target"].iloc[0])

    def better_than(self, settings: Settings) -> int:
        """Return how many accepted settings keep more customers than `settings`."""
        return int(self.counts[kept(settings, self.found.targets) + 1 :].sum())


def settings_of(row: "pd.Series[Any]") -> Settings:
    """Return the setting of a row."""
    return Settings(**{name: plain(row[name]) for name in NAMES})


def plain(value: Any) -> Any:
    """Return a value of a frame as a plain word or number."""
    return value.item() if isinstance(value, np.generic) else value


def by_holding(ties: pd.DataFrame, targets: Targets) -> pd.DataFrame:
    """Return tied settings with those first that hold on most other Mondays, then those closest to the defaults."""
    return order_ties(ties, others(), server(), targets, base=DEFAULTS)


@lru_cache(maxsize=RESULTS_KEPT)
def result(found: Found, wish: Wish, in_order: OrderTies = by_holding) -> Result:
    """Return what was found among the settings that `wish` accepts."""
    allowed = found.frame[accepted(found.frame, wish)]
    on_target = allowed["on_target"].to_numpy()
    ties = in_order(allowed[on_target == on_target.max()], found.targets)
    return Result(found, wish, counted(on_target), counted(found.frame["on_target"].to_numpy()), ties)


def accepted(frame: pd.DataFrame, wish: Wish) -> npt.NDArray[np.bool_]:
    """Return [n_settings] which settings a wish accepts."""
    allowed = frame["weight_bits"].to_numpy() >= wish.fewest_bits
    if not wish.may_guess:
        allowed = allowed & (frame["num_speculative_tokens"].to_numpy() == 0)
    return allowed & frame["exists_today"].to_numpy() if wish.only_today else allowed


def counted(on_target: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return [25] how many settings keep 0, 1, … customers."""
    return np.bincount(on_target, minlength=CUSTOMERS + 1)


@lru_cache(maxsize=RESULTS_KEPT)
def shared(result: Result) -> str:
    """Return what the tied best have in common among what is accepted, a line a knob, as a Markdown table."""
    lines = ["| knob | among the best | never among them |", "|:--|:--|:--|"]
    frame = result.found.frame[accepted(result.found.frame, result.wish)]
    for knob in KNOBS:
        used, allowed = set(result.ties[knob.field]), set(frame[knob.field])
        among = [word for value, word in knob.words.items() if value in used]
        never = [word for value, word in knob.words.items() if value in allowed - used]
        one = f"**always {among[0]}**" if len(among) == 1 < len(allowed) else ", ".join(among)
        lines.append(f"| {knob.name} | {one} | {', '.join(never) or '—'} |")
    return "\n".join(lines)


def side_by_side(named: dict[str, Settings], result: Result) -> str:
    """Say of named settings how many customers they keep and what they are, a line each, as Markdown."""
    lines = []
    for name, settings in named.items():
        is_it = settings == DEFAULTS
        what = short(settings) if is_it else f"unlike vLLM's defaults in {short(settings, like=DEFAULTS)}"
        lines.append(f"- **{name}, {kept(settings, result.found.targets)} of {CUSTOMERS}**: {what}")
    return "\n".join(lines)


def named_numbers(named: dict[str, Settings], result: Result) -> pd.DataFrame:
    """Return a row a named setting: its knobs in words, and how many customers it keeps."""
    rows = [{knob.field: knob.word_of(each) for knob in KNOBS} for each in named.values()]
    table = pd.DataFrame(rows).rename(columns=COLUMNS)
    table.insert(0, "setting", list(named))
    return table.assign(on_target_requests=[kept(each, result.found.targets) for each in named.values()])


def ties_numbers(result: Result) -> pd.DataFrame:
    """Return the tied best in order, a row a setting: its knobs in words, and what it gives."""
    table = pd.DataFrame({COLUMNS[knob.field]: result.ties[knob.field].map(knob.words) for knob in KNOBS})
    table["on_target_requests"] = result.ties["on_target"]
    table["first_word_mean_s"] = result.ties["ttft_mean_s"]
    table["whole_reply_mean_s"] = result.ties["e2e_mean_s"]
    table["offered_today"] = np.where(result.ties["exists_today"], "yes", "no")
    return table
