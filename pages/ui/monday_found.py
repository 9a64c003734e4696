"""What a search has found among the settings that the reader accepts: the best, those tied with it, and the rest."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from pages.ui.monday_knobs import KNOBS, NAMES, Knob, thousands
from pages.ui.monday_rows import narrow
from pages.ui.monday_search import Found, find
from pages.ui.monday_try import CUSTOMERS, DEFAULTS, kept
from pages.ui.monday_two import BEST_TODAY
from pages.ui.monday_wish import Wish
from pages.ui.plan_choice import is_todays
from pages.ui.plan_held import known, others
from pages.ui.served import server
from sim import Settings, Targets
from sim.other_mondays import order_ties

OrderTies = Callable[
    [pd.DataFrame, Targets], pd.DataFrame
]  # rows that keep equally many, the same rows in order
RESULTS_KEPT = 16


def brief_name(knob: Knob) -> str:
    """Return a knob's name without what explains it: seats, guesses ahead."""
    return knob.name.partition(":")[0].partition(",")[0]


COLUMNS = {knob.field: brief_name(knob).replace(" ", "_") for knob in KNOBS}


@dataclass(frozen=True, eq=False)
class Result:
    """The accepted settings of a search: how many keep 0, 1, … customers [25], and those tied at the most, in order.

    `place` of those tied is their row in the search.
    """

    found: Found
    wish: Wish
    counts: npt.NDArray[np.int64]
    all_counts: npt.NDArray[np.int64]
    ties: pd.DataFrame
    in_order: OrderTies

    @property
    def frame(self) -> pd.DataFrame:
        """The accepted rows of the search."""
        allowed = accepted(self.found.frame, self.wish)
        return self.found.frame if allowed.all() else self.found.frame[allowed]

    @cached_property
    def best(self) -> Settings:
        """The setting that comes first."""
        return settings_of(self.ties.iloc[0])

    @cached_property
    def best_today(self) -> Settings:
        """The setting that comes first of those that engines offer today."""
        return result(self.found, replace(self.wish, only_today=True), self.in_order).best

    @cached_property
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
    return order_ties(ties, others(), server(), targets, base=DEFAULTS, known=known(targets, server()))


@lru_cache(maxsize=RESULTS_KEPT)
def result(found: Found, wish: Wish, in_order: OrderTies = by_holding) -> Result:
    """Return what was found among the settings that `wish` accepts."""
    allowed = found.frame.assign(place=np.arange(len(found.frame), dtype=np.int32))[
        accepted(found.frame, wish)
    ]
    on_target = allowed["on_target"].to_numpy()
    ties = narrow(in_order(allowed[on_target == on_target.max()], found.targets))
    return Result(
        found, wish, counted(on_target), counted(found.frame["on_target"].to_numpy()), ties, in_order
    )


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
        among = [thousands(word) for value, word in knob.words.items() if value in used]
        never = [thousands(word) for value, word in knob.words.items() if value in allowed - used]
        one = f"**always {among[0]}**" if len(among) == 1 < len(allowed) else ", ".join(among)
        lines.append(f"| {knob.name} | {one} | {', '.join(never) or '—'} |")
    return "\n".join(lines)


def side_by_side(named: dict[str, Settings], result: Result) -> pd.DataFrame:
    """Return named settings side by side: a row a knob, a column a setting, and what each keeps."""
    rows = {
        f"on target, of {CUSTOMERS}": [f"**{kept(each, result.found.targets)}**" for each in named.values()]
    }
    rows |= {brief_name(knob): [knob.word_of(each) for each in named.values()] for knob in KNOBS}
    rows["offered today"] = ["yes" if is_todays(each) else "no" for each in named.values()]
    each = zip(*rows.values(), strict=True)
    return pd.DataFrame(
        {name: list(column) for name, column in zip(named, each, strict=True)}, index=list(rows)
    )


def named_numbers(named: dict[str, Settings], result: Result) -> pd.DataFrame:
    """Return a row a knob, a column a named setting, and how many customers each keeps."""
    table = pd.DataFrame({"knob": [*(knob.name for knob in KNOBS), "on target, requests"]})
    for name, settings in named.items():
        cells = [*(knob.word_of(settings) for knob in KNOBS), str(kept(settings, result.found.targets))]
        table[name.replace(" ", "_").replace("'", "")] = cells
    return table


def best_of_today(result: Result | None) -> dict[str, Settings]:
    """Return the best of what engines offer today by its name, once it is found."""
    return {} if result is None else {BEST_TODAY: result.best_today}


def spoken(result: Result | None) -> str:
    """Return what is said aloud of a search."""
    return f"Found: the best keeps {result.most} of {CUSTOMERS}." if result else ""


def in_page_order(result: Result) -> pd.DataFrame:
    """Return the accepted settings for a CSV: the tied best as the page orders them, then the search's order.

    The targets stand in columns, then the knobs in the page's order, then what each gives.
    """
    frame, targets = result.found.frame, result.found.targets
    rest = np.flatnonzero(accepted(frame, result.wish) & (frame["on_target"] < result.most))
    places = np.concatenate([result.ties["place"], rest])
    rows = result.found.whole().iloc[places].reset_index(drop=True)
    others = [name for name in rows.columns if name not in NAMES]
    table = rows[[*NAMES, *others]]
    asked = {
        "target_first_word_s": targets.ttft_s,
        "target_token_s": targets.tpot_s,
        "target_freeze_s": targets.gap_s,
    }
    for place, (name, value) in enumerate(asked.items()):
        table.insert(place, name, np.nan if value is None else value)
    return table


def for_csv(targets: Targets, wish: Wish) -> pd.DataFrame:
    """Return what was found for these targets and this wish, for a CSV; if it is not kept any more it is searched."""
    return in_page_order(result(find(targets, lambda words, share: None), wish))


def ties_numbers(result: Result) -> pd.DataFrame:
    """Return the tied best in order, a row a setting: its knobs in words or numbers, and what it gives."""
    table = pd.DataFrame(
        {COLUMNS[knob.field]: [knob.cell_of(value) for value in result.ties[knob.field]] for knob in KNOBS}
    )
    table["on_target_requests"] = result.ties["on_target"]
    table["first_word_mean_s"] = result.ties["ttft_mean_s"]
    table["whole_reply_mean_s"] = result.ties["e2e_mean_s"]
    table["offered_today"] = np.where(result.ties["exists_today"], "yes", "no")
    return table
