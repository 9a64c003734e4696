"""Which limit binds: what a setting would keep if one limit of the server or of the setting were lifted."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import pandas as pd

from pages.ui.batch_curve import ROOMY
from pages.ui.charts import KEPT
from pages.ui.monday_try import CUSTOMERS, kept, met_on
from pages.ui.served import server
from sim import MONDAY_SPACE, Server, Settings, Targets

Case = tuple[Server, Settings]
TIMES = 2  # as fast: what is asked of bandwidth and arithmetic


def faster(field: str) -> Callable[[Case], Case]:
    """Return what makes a card `TIMES` as fast in one respect."""

    def lift(case: Case) -> Case:
        card = case[0].accelerator
        return replace(case[0], accelerator=replace(card, **{field: TIMES * getattr(card, field)})), case[1]

    return lift


def at_most(field: str, value: int) -> Callable[[Case], Case]:
    """Return what raises a limit of the setting."""
    raised: dict[str, Any] = {field: value}
    return lambda case: (case[0], replace(case[1], **raised))


LIMITS: dict[str, Callable[[Case], Case]] = {
    "seats": at_most("max_num_seqs", max(MONDAY_SPACE["max_num_seqs"])),
    "tokens a pass": at_most("max_num_batched_tokens", max(MONDAY_SPACE["max_num_batched_tokens"])),
    "memory full (room)": lambda case: (replace(case[0], gpu_memory_utilization=ROOMY), case[1]),
    "fetching from memory (speed)": faster("bandwidth_bytes_per_s"),
    "arithmetic": faster("flops_per_s"),
}
LIFTED = {
    "seats": f"{max(MONDAY_SPACE['max_num_seqs'])} seats",
    "tokens a pass": f"{max(MONDAY_SPACE['max_num_batched_tokens']):,} tokens a pass",
    "memory full (room)": "the search index's half of the card, too",
    "fetching from memory (speed)": "memory twice as fast",
    "arithmetic": "arithmetic twice as fast",
}


@dataclass(frozen=True)
class Lifted:
    """A limit, and how many customers are kept once it is lifted."""

    limit: str
    kept: int


@lru_cache(maxsize=KEPT)
def lifted(settings: Settings, targets: Targets, without: str = "") -> tuple[Lifted, ...]:
    """Return each limit lifted by itself (after `without`, if that is lifted already), the most helpful first."""
    case = (server(), settings)
    if without:
        case = LIMITS[without](case)
    found = []
    for limit in LIMITS:
        if limit != without:
            other = LIMITS[limit](case)
            found.append(Lifted(limit, int(met_on(*other, targets).sum())))
    return tuple(sorted(found, key=lambda one: -one.kept))


def binding(settings: Settings, targets: Targets) -> tuple[Lifted | None, Lifted | None]:
    """Return the limit that binds and the next one; None where lifting any of them helps nobody."""
    first = lifted(settings, targets)[0]
    if first.kept <= kept(settings, targets):
        return None, None
    second = lifted(settings, targets, first.limit)[0]
    return first, second if second.kept > first.kept else None


def tied(settings: Settings, targets: Targets) -> str:
    """Return the limits whose lifting keeps most customers: more than one where several keep as many."""
    found = lifted(settings, targets)
    return " or, as well, ".join(f"**{one.limit}**" for one in found if one.kept == found[0].kept)


def told(name: str, settings: Settings, targets: Targets) -> str:
    """Say which limit binds a setting, and which is next."""
    now, (first, second) = kept(settings, targets), binding(settings, targets)
    if now == CUSTOMERS:
        return f"- **{name}** ({now} of {CUSTOMERS}): no limit binds, everyone is on target."
    if first is None:
        return f"- **{name}** ({now} of {CUSTOMERS}): no single one binds; lifting any one of them brings nobody in."
    then = (
        "Then everyone is on target."
        if first.kept == CUSTOMERS
        else "Lifting another as well brings nobody in."
    )
    if second is not None:
        then = f"Then it is **{second.limit}**: with {LIFTED[second.limit]} as well, {second.kept}."
    binds = f"what binds is {tied(settings, targets)}. With {LIFTED[first.limit]} it would keep {first.kept}."
    return f"- **{name}** ({now} of {CUSTOMERS}): {binds} {then}"


def limit_numbers(named: dict[str, Settings], targets: Targets) -> pd.DataFrame:
    """Return a row a setting and limit: customers on target as it is, and with that limit lifted.

    A last row a setting lifts the two that `told` names, where there are two.
    """
    rows = []
    for name, settings in named.items():
        now, (first, second) = kept(settings, targets), binding(settings, targets)
        rows += [(name, one.limit, LIFTED[one.limit], now, one.kept) for one in lifted(settings, targets)]
        if first and second:
            limits = f"{first.limit}, then {second.limit}"
            rows.append((name, limits, f"{LIFTED[first.limit]}, {LIFTED[second.limit]}", now, second.kept))
    return pd.DataFrame(rows, columns=["setting", "limit", "lifted", "now_requests", "then_requests"])
