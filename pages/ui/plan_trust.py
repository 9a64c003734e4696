"""Can the answer be trusted: the best, the reader's own and the defaults on other Mondays, and with costs off."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from pages.ui.aloud import aloud
from pages.ui.chapters import TRUST
from pages.ui.charts import draw
from pages.ui.frame import Frame, page_link
from pages.ui.lone_sums import counted_from
from pages.ui.numbers import percent
from pages.ui.plan_ask import asked_for
from pages.ui.plan_backed import backed
from pages.ui.plan_held import MONDAYS, NEARLY, Held, Trust, trusted
from pages.ui.plan_trust_chart import num_rows, strip_alt, strip_marks, strip_numbers, strip_of
from pages.ui.plan_words import as_told, in_words, taken
from pages.ui.prose import say
from pages.ui.sums import Sum, badge
from pages.ui.tables import see_the_numbers
from sim import Server, Settings, Targets, monday
from sim.stress import FAR_OFF, OFF

PAGE = "plan_trust"
CHANGE_NAMES = {
    "cheaper": "all costs {off} lower",
    "dearer": "all costs {off} higher",
    "far dearer": "all costs {far} higher",
    "added up": "reading and arithmetic added up",
    "overlapped": "the shorter wholly hidden",
}
SHORT_NAMES = {
    "cheaper": "−{off}",
    "dearer": "+{off}",
    "far dearer": "+{far}",
    "added up": "added up",
    "overlapped": "hidden",
}
STAYS, GOES = "●", "○"


def trust_section(
    mine: Settings,
    best: Settings,
    frame: pd.DataFrame,
    targets: Targets,
    space: Mapping[str, Sequence[Any]],
    server: Server,
    around: Frame,
    best_today: Settings | None = None,
) -> Trust | None:
    """Draw how settings hold and return it, or None until the reader has asked for it.

    `frame` is the search of `space`, best first; it picks the settings that are tied or nearly so.
    """
    st.markdown(say(PAGE, "others", **fixed()))
    answer = asked_for(frame, targets, space, server)
    trust = None if answer is None else trusted(answer, mine, best, targets, server, best_today)
    aloud(spoken(trust), "trust")
    drawn = None if trust is None else with_ties(trust)
    draw(strip_of(num_rows(drawn)), strip_marks(drawn), strip_alt(drawn), "others")
    if drawn is None or trust is None:
        st.caption(say(PAGE, "empty", **fixed()))
        return None
    badge(sum_of(trust), around)
    see_the_numbers(partial(strip_numbers, drawn), "other_mondays")
    told = figures(trust, best)
    st.markdown(f"{say(PAGE, 'read', **told)} {harder(trust, best)}".strip())
    st.markdown(f"{offered(trust, best, told)}\n\n{luck(trust)}".strip())
    st.markdown(say(PAGE, "changes", **told))
    st.markdown(changes_table(trust))
    st.markdown(outlasts(trust))
    page_link(TRUST, around)
    return trust


def spoken(trust: Trust | None) -> str:
    """Return what is said aloud of the answer."""
    if trust is None:
        return ""
    most, first = trust.answer.most, trust.rows[0]
    return f"Tried on {MONDAYS} other Mondays: {first.name} has {most} or more on {first.held(most)} of them."


def harder(trust: Trust, best: Settings) -> str:
    """Say that this Monday is harder than most, where the best has fewer here than elsewhere in the middle."""
    row = trust.row(best)
    if row is None or row.median <= row.here:
        return ""
    return say(PAGE, "harder", here=str(row.here), median=f"{row.median:g}")


def fixed() -> dict[str, str]:
    """Return the figures that hold before anything is run."""
    return {
        "customers": str(len(monday())),
        "mondays": f"{MONDAYS:,}",
        **costs_off(),
        "nearly_by": {1: "one"}.get(NEARLY, str(NEARLY)),
    }


def costs_off() -> dict[str, str]:
    """Return by how much costs are tried higher or lower, and how far higher."""
    return {"off": percent(OFF), "far": percent(FAR_OFF)}


def figures(trust: Trust, best: Settings) -> dict[str, str]:
    """Return the figures of the sentences."""
    answer = trust.answer

    def held_by(settings: Settings | None) -> str:
        row = None if settings is None else trust.row(settings)
        return "" if row is None else f"{row.held(answer.most):,}"

    return fixed() | {
        "most": f"{answer.most:,}",
        "tied": f"{answer.tied:,}",
        "nearly": f"{answer.nearly:,}",
        "offered": in_words(taken(answer.offered)),
        "offered_held": held_by(answer.offered),
        "best_held": held_by(best),
        "today": "" if answer.offered_today is None else in_words(taken(answer.offered_today)),
        "today_held": held_by(answer.offered_today),
    }


def offered(trust: Trust, best: Settings, told: dict[str, str]) -> str:
    """Say which of the settings tied or nearly so to take."""
    answer = trust.answer
    words = say(PAGE, "offer.same" if answer.offered == best else "offer", **told)
    if answer.offered_today == answer.offered:
        return words
    return f"{words} {say(PAGE, 'today' if answer.offered_today else 'today.none', **told)}"


def luck(trust: Trust) -> str:
    """Say how the settings that tie here spread on other Mondays; nothing where they cannot differ."""
    found = trust.answer.luck
    if len(found.tried) < 2:
        return ""
    least, largest = (edge(edge(one.counts) for one in found.tried) for edge in (min, max))
    key = "luck" if found.kinds == len(found.tried) else "luck.some"
    numbers = {
        "tied": f"{trust.answer.tied:,}",
        "kinds": str(found.kinds),
        "tried": str(len(found.tried)),
        "luck_best": str(found.best.held),
        "luck_middle": str(found.middle.held),
        "luck_worst": str(found.worst.held),
        "least": str(least),
        "largest": str(largest),
    }
    return say(PAGE, key, **fixed(), most=str(trust.answer.most), **numbers)


def with_ties(trust: Trust) -> Trust:
    """Return what is drawn: besides what a reader compares, those in the middle and last of all that tie here."""
    found, rows = trust.answer.luck, list(trust.rows)
    for name, one in (
        ("tied here, in the middle", found.middle),
        ("tied here, holds on fewest", found.worst),
    ):
        if one.counts not in [row.counts for row in rows]:
            rows.append(Held(name, one.settings, one.most, one.counts, ()))
    return Trust(trust.answer, tuple(rows))


def changes_table(trust: Trust) -> str:
    """Return the table of changes as Markdown: a row a setting, a column a change."""
    changes = trust.answer.changes
    heads = ["setting", *(SHORT_NAMES[each.change].format(**costs_off()) for each in changes)]
    most = [each.most for each in changes]
    lines = [
        ["the most of any that you accept", *map(str, most)],
        *([row.name, *map(mark, row.changed, most)] for row in trust.rows),
    ]
    rule = ["---", *["--:" for _ in heads[1:]]]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (heads, rule, *lines))


def mark(count: int, most: int) -> str:
    """Return how many are on target, with a mark that says whether any setting that is accepted has more."""
    return f"{count}{STAYS if count >= most else GOES}"


def outlasts(trust: Trust) -> str:
    """Say whether the offered setting stays first under every change, and if not what wins."""
    lost = [n for n, change in enumerate(trust.answer.changes) if not change.stays(0)]
    if not lost:
        words = say(PAGE, "stays")
    else:
        words = say(PAGE, "goes", winners="; ".join(winner(trust, number) for number in lost))
    return f"{words} {say(PAGE, 'trust')}\n\n{backed()}"


def winner(trust: Trust, number: int) -> str:
    """Say what wins under a change."""
    change = trust.answer.changes[number]
    name = CHANGE_NAMES[change.change].format(**costs_off())
    return f"with {name}, **{in_words(taken(change.winner))}** ({change.most} of {len(monday())})"


def sum_of(trust: Trust) -> Sum:
    """Return the sum behind the strip."""
    values = tuple(
        (
            row.name,
            f"{in_words(as_told(row.name, row.settings))}; mean {sum(row.counts) / len(row.counts):.2f}",
        )
        for row in trust.rows
    )
    first = trust.rows[0]
    return Sum(
        "simulated",
        f"{MONDAYS} other Mondays",
        f"Each setting serves each of {MONDAYS} Mondays drawn by this Monday's recipe (seed fixed), and the customers "
        "on target are counted. Settings that cannot differ are run once. First comes the setting that has as many as "
        "the best here on the most Mondays, then the larger mean, then the one closest to vLLM's defaults.",
        values,
        f"{first.name}: {first.held(trust.answer.most)} of {MONDAYS} Mondays with {trust.answer.most} or more",
        counted_from(),
    )
