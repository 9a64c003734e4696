"""Why a customer missed, from the seconds that its wait is made of, and which knob would have helped it."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from pages.ui import monday_queue
from pages.ui.charts import KEPT
from pages.ui.ladder import rush, topics
from pages.ui.monday_try import CUSTOMERS, Change, attempt, best_change, changes, kept, met
from pages.ui.monday_two import listed
from sim import Settings, Targets

SEAT, ROOM, TURN, READ, SHARED, ASIDE, ALONE = (
    "the wait for a seat",
    "the wait for room in memory",
    "the wait for its turn in a pass",
    "others' prompts, read in the same passes",
    "others writing in the same passes",
    "being set aside for want of memory",
    "its own passes",
)
WAITS = (SEAT, ROOM, TURN)  # in the order of monday_queue's
KNOBS_FOR = {
    SEAT: "seats",
    ROOM: "memory promised, bits",
    TURN: "who is in the next pass, tokens a pass",
    READ: "who is in the next pass, tokens a pass",
    SHARED: "seats, bits, guesses",
    ASIDE: "seats, bits, when memory runs out",
    ALONE: "bits, guesses",
}
OTHERS = {"others_prefill_s": READ, "batch_s": SHARED, "preempted_s": ASIDE}
FIRST_WORD, PACE, FREEZE = "first word", "time per token", "freeze"


@dataclass(frozen=True)
class Miss:
    """One customer off target: what it missed, what cost it most, in seconds, and what froze it, if that was missed.

    Where the freeze alone was missed, the cause is what made it.
    """

    customer: int
    missed: tuple[str, ...]
    cause: str
    seconds: float
    froze: str = ""

    @property
    def causes(self) -> tuple[str, ...]:
        """What cost most, and then what made the freeze where that is something else."""
        return (self.cause,) if self.froze in ("", self.cause) else (self.cause, self.froze)


@lru_cache(maxsize=KEPT)
def misses(settings: Settings, targets: Targets) -> tuple[Miss, ...]:
    """Return who missed and why, by customer."""
    run = attempt(settings)
    off = ~met(settings, targets)
    frames = (run.requests[off], run.lateness()[off], run.freezes()[off])
    late = zip(*(frame.itertuples() for frame in frames), strict=True)
    return tuple(miss(request, causes, gap, targets, settings) for request, causes, gap in late)


def miss(request: Any, causes: Any, gap: Any, targets: Targets, settings: Settings) -> Miss:
    """Return why the customer of one row missed: its times, its seconds by cause, and those of its longest gap."""
    missed = what_was_missed(request, targets)
    froze, frozen_s = in_the_freeze(gap) if FREEZE in missed else ("", 0.0)
    if missed[0] == FIRST_WORD:
        cause, seconds = before_the_first_word(request, causes, settings)
    elif missed[0] == PACE:
        cause, seconds = while_writing(causes, targets)
    else:
        cause, seconds = froze, frozen_s
    return Miss(request.Index + 1, missed, cause, seconds, froze)


def what_was_missed(request: Any, targets: Targets) -> tuple[str, ...]:
    """Return which targets a customer missed; one that was rejected missed its first word."""
    limits = {
        FIRST_WORD: (request.ttft_s, targets.ttft_s),
        PACE: (request.tpot_s, targets.tpot_s),
        FREEZE: (request.longest_gap_s, targets.gap_s),
    }
    over = [name for name, (value, limit) in limits.items() if limit is not None and value > limit]
    return tuple(over) or (FIRST_WORD,)


def before_the_first_word(request: Any, causes: Any, settings: Settings) -> tuple[str, float]:
    """Return what cost most until the first word, beside reading one's own prompt."""
    others_s = request.ttft_s - causes.own_prefill_s - causes.queue_s
    if causes.queue_s < others_s:
        return READ, float(others_s)
    return WAITS[monday_queue.waited_for(settings)[request.Index]], float(causes.queue_s)


def while_writing(causes: Any, targets: Targets) -> tuple[str, float]:
    """Return what cost most of a reply that was written too slowly."""
    if causes.alone_s > targets.tpot_s * (int(rush().output_tokens[causes.Index]) - 1):
        return ALONE, float(causes.alone_s)
    cause = max(OTHERS, key=lambda name: getattr(causes, name))
    return OTHERS[cause], float(getattr(causes, cause))


def in_the_freeze(gap: Any) -> tuple[str, float]:
    """Return what took most of the longest gap in a reply: what happened in it, and nowhere else."""
    causes = OTHERS | {"alone_s": ALONE}
    cause = max(causes, key=lambda name: getattr(gap, name))
    return causes[cause], float(getattr(gap, cause))


def change_for(number: int, settings: Settings, targets: Targets) -> Change | None:
    """Return the single change that puts a customer on target and keeps most of all; None where there is none."""
    return next((one for one in changes(settings, targets) if met(one.settings, targets)[number]), None)


@lru_cache(maxsize=KEPT)
def persons(settings: Settings, targets: Targets) -> tuple[tuple[str, str], ...]:
    """Return for each customer who it is, and that it is on target, or what it missed and why."""
    told = ["on target"] * len(rush())
    for one in misses(settings, targets):
        told[one.customer - 1] = (
            f"missed: {' and '.join(one.missed)}; most by {one.cause} ({one.seconds:.1f} s){froze(one)}"
        )
    return tuple(
        (f"{number}: {topic}", why) for number, (topic, why) in enumerate(zip(topics(), told, strict=True), 1)
    )


@lru_cache(maxsize=KEPT)
def summed_up(settings: Settings, targets: Targets) -> str:
    """Say by cause who missed, as a Markdown list, most first."""
    found = misses(settings, targets)
    if not found:
        return "Nobody missed."
    groups: dict[str, list[int]] = {}
    for one in found:
        groups.setdefault(why(one), []).append(one.customer)
    ordered = sorted(groups.items(), key=lambda group: -len(group[1]))
    return "\n".join(f"- **{len(who)}** {told.format(who=listed(who))}" for told, who in ordered)


def why(one: Miss) -> str:
    """Say what was missed and why, with a place for the customers, and which knobs work on it."""
    cost = "what made it" if one.missed == (FREEZE,) else "what cost most"
    knobs = ", ".join(dict.fromkeys(", ".join(KNOBS_FOR[cause] for cause in one.causes).split(", ")))
    told = f"missed the {' and '.join(one.missed)}; {cost} was {one.cause}{froze(one)}"
    return f"{told} ({{who}}). Knobs that work on it: {knobs}."


def froze(one: Miss) -> str:
    """Say what made the freeze, where that is not what cost most."""
    return f"; what made the freeze was {one.froze}" if len(one.causes) > 1 else ""


def what_helps(settings: Settings, targets: Targets) -> str:
    """Say which single change keeps most customers, and whether that is any help."""
    best, now = best_change(settings, targets), kept(settings, targets)
    if now == CUSTOMERS:
        return "Everyone is on target."
    if best.kept <= now:
        return f"No single change keeps more than {now}: it takes two knobs or more together."
    as_good = sum(change.kept == best.kept for change in changes(settings, targets)) - 1
    others = f"; {as_good} other change{'s keep' if as_good > 1 else ' keeps'} as many" if as_good else ""
    knob = f"**{best.knob.name}** at **{best.knob.word_of(best.settings)}**"
    return f"The most that one change brings: {knob} keeps {best.kept} instead of {now}{others}."


def miss_numbers(settings: Settings, targets: Targets, is_revealed: bool) -> pd.DataFrame:
    """Return a row a miss: customer, what it missed, the cause and its seconds, and the one change that helps."""
    found = misses(settings, targets)
    table = pd.DataFrame(
        {
            "customer": [one.customer for one in found],
            "missed": [" and ".join(one.missed) for one in found],
            "cause": [one.cause for one in found],
            "cost_s": np.array([one.seconds for one in found], dtype=np.float64),
        }
    )
    if is_revealed:
        helps = [change_for(one.customer - 1, settings, targets) for one in found]
        table["one_change_that_helps"] = ["none" if one is None else one.told for one in helps]
    return table
