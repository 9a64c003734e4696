"""What to write down: what runs today, the best, the steadiest or the reader's own, and why that one."""

from dataclasses import dataclass, replace

import streamlit as st

from pages.ui.controls import choice
from pages.ui.plan_held import DEFAULTS, MONDAYS, Trust, held
from pages.ui.prose import say
from sim import MONDAY_START, Server, Settings, Targets, monday
from sim.vllm_lines import nearest_today

PAGE = "plan_export"
TODAY, BEST, STEADIEST, MINE = "what runs today", "the best", "the steadiest", "mine"


@dataclass(frozen=True)
class Plan:
    """What the last chapter has found: the reader's own settings, the best, and what they are judged by.

    `best_today` is the best of those that engines offer today.
    """

    mine: Settings
    best: Settings
    best_today: Settings
    targets: Targets
    server: Server
    price_per_hour: float
    now: Settings = MONDAY_START


@dataclass(frozen=True)
class Choice:
    """The settings that are written down, what they are called, and why they were chosen."""

    name: str
    settings: Settings
    why: str = ""

    @property
    def runs_today(self) -> bool:
        """Whether an engine offers just these settings today."""
        return is_todays(self.settings)


def is_todays(settings: Settings) -> bool:
    """Whether a `vllm serve` line says all of the settings; seats that no customer would take do not count."""
    line = on_a_line(settings)
    return replace(line, max_num_seqs=settings.max_num_seqs) == settings


def on_a_line(settings: Settings) -> Settings:
    """Return what a line for Monday's customers says of settings."""
    return nearest_today(settings, len(monday()))


def pick(plan: Plan, trust: Trust | None) -> Choice:
    """Draw the choice of what to write down, and return it."""
    options = (TODAY, BEST, STEADIEST, MINE)
    name = choice("Write down", options, TODAY, name="export", wraps=True)
    if trust is None and name in (TODAY, STEADIEST):
        st.caption(say(PAGE, "steadiest.unknown"))
    return chosen(name, plan, trust)


def chosen(name: str, plan: Plan, trust: Trust | None) -> Choice:
    """Return what goes by one of the four names; until other Mondays have been tried, by this one alone."""
    if name == MINE:
        return Choice("the reader's own settings", plan.mine)
    if name == TODAY:
        offered = trust.answer.offered_today if trust else None
        if trust and offered:
            why = reason(plan, trust, offered, plan.best_today, "memo.why.rival.today")
            return Choice("the steadiest of the settings that engines offer today", offered, why)
        called = "the best here of the settings that engines offer today"
        return Choice(called, plan.best_today, say(PAGE, "memo.why.here.today"))
    if name == STEADIEST and trust:
        why = reason(plan, trust, trust.answer.offered, plan.best, "memo.why.rival")
        return Choice("the steadiest settings", trust.answer.offered, why)
    return Choice("the best settings here", plan.best, say(PAGE, "memo.why.here"))


def reason(plan: Plan, trust: Trust, offered: Settings, rival: Settings, called: str) -> str:
    """Say on how many other Mondays the offered settings hold, and on how many the best of this Monday."""
    most = trust.answer.most
    its, the_others = (held("", each, plan.targets, plan.server).held(most) for each in (offered, rival))
    numbers = {"most": str(most), "held": str(its), "mondays": str(MONDAYS), "rival_held": str(the_others)}
    key = "memo.why" if the_others < its else "memo.why.both" if offered == rival else "memo.why.same"
    return say(PAGE, key, rival=say(PAGE, called), **numbers)


def named(plan: Plan, answer: Settings) -> list[tuple[str, Settings]]:
    """Return the settings of the memo by their names on the page, the answer last."""
    known = [
        ("the start", plan.now),
        ("vLLM's defaults", DEFAULTS),
        ("mine", plan.mine),
        ("the best", plan.best),
    ]
    return [*known, ("the best of today's", plan.best_today), ("the answer", answer)]
