"""A plan as chapter 7 makes it from a small search, and how its settings hold."""

import pytest

from pages.ui.plan_choice import Plan
from pages.ui.plan_held import Trust, trusted, work_out
from pages.ui.served import server
from sim import (
    MONDAY_SPACE,
    MONDAY_TARGETS,
    Settings,
    monday,
    search,
)
from sim.other_mondays import settings_of

MINE = Settings(max_num_seqs=16, weight_bits=8)
SPACE = MONDAY_SPACE | {"max_num_seqs": (8, 256), "num_speculative_tokens": (0, 2)}


@pytest.fixture(scope="session")
def plan() -> Plan:
    frame = search(monday(), server(), SPACE, MONDAY_TARGETS)
    best, today = (settings_of(rows.head(1))[0] for rows in (frame, frame[frame["exists_today"]]))
    return Plan(MINE, best, today, MONDAY_TARGETS, server(), price_per_hour=2.5)


@pytest.fixture(scope="session")
def trust(plan: Plan) -> Trust:
    frame = search(monday(), server(), SPACE, MONDAY_TARGETS)
    answer = work_out(frame, MONDAY_TARGETS, SPACE, server(), lambda share: None)
    return trusted(answer, plan.mine, plan.best, MONDAY_TARGETS, server(), plan.best_today)
