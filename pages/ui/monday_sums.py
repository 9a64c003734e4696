"""The sums behind chapter 7's figures."""

from functools import lru_cache

from pages.ui import cap_alone, monday_targets, numbers
from pages.ui.charts import KEPT
from pages.ui.lone_sums import counted_from
from pages.ui.monday_found import Result
from pages.ui.monday_knobs import KNOBS, short, thousands
from pages.ui.monday_search import COARSE_SPACE
from pages.ui.monday_try import CUSTOMERS, START, attempt, best_change, changes, kept
from pages.ui.plan_held import MONDAYS
from pages.ui.sums import Sum
from sim import MONDAY_SPACE, MONDAY_TARGETS, Settings, Targets

CITED = (
    "Zhong, Liu, Chen, Hu, Zhu, Liu, Jin, Zhang: [DistServe](https://arxiv.org/abs/2401.09670), OSDI 2024 (goodput: "
    "requests a second that meet their targets). Checked November 30, 2026.",
    "vLLM: [arg_utils.py](https://github.com/vllm-project/vllm/blob/main/vllm/engine/arg_utils.py) "
    "(the seats and tokens a pass that its server begins with on an A100). Checked November 30, 2026.",
)
MONDAY = "Requests: data/monday.csv, made for this module."
RULE = (
    "Every pass is made up by the scheduler's rule and takes as long as its work: weights and KV to fetch, tokens to "
    "compute. A customer is on target when every target holds."
)


def source() -> str:
    """Return where Monday and the server's costs come from."""
    return f"{MONDAY} {counted_from()}"


def values_of(settings: Settings) -> tuple[tuple[str, str], ...]:
    """Return the knobs of a setting as rows of a sum."""
    return tuple((knob.name, knob.word_of(settings)) for knob in KNOBS)


def one_change(*, is_revealed: bool) -> Sum:
    """Return the sum behind the guess: the start, and, when revealed, every single change from it."""
    best = best_change(START)
    told = f"; the best of {len(changes(START))} single changes keeps {best.kept}" if is_revealed else ""
    return Sum(
        "simulated",
        "customers on target",
        f"{RULE} Targets: {monday_targets.told(MONDAY_TARGETS)}.",
        values_of(START),
        f"the start keeps {kept(START)} of {CUSTOMERS}{told}",
        source(),
    )


@lru_cache(maxsize=KEPT)
def attempt_sum(settings: Settings, targets: Targets, what: str = "your try") -> Sum:
    """Return the sum behind the run of one setting, which is called `what`."""
    run = attempt(settings)
    return Sum(
        "simulated",
        f"{what} on Monday",
        f"{RULE} Targets: {monday_targets.told(targets)}.",
        (
            *values_of(settings),
            ("a guess is right (assumed)", numbers.percent(settings.acceptance_rate)),
            ("KV blocks", f"{run.outcome.num_blocks:,}"),
            ("passes", f"{run.outcome.num_passes:,}"),
        ),
        f"{kept(settings, targets)} of {CUSTOMERS} on target",
        source(),
    )


def search_sum(result: Result) -> Sum:
    """Return the sum behind the search."""
    frame = result.found.frame
    tried = tuple(
        (knob.name, ", ".join(thousands(knob.words[value]) for value in knob.values)) for knob in KNOBS
    )
    combined = len(frame) + frame.attrs["same"] + frame.attrs["left_out"]
    return Sum(
        "simulated",
        f"{len(frame):,} settings",
        f"Every combination of the knobs' values is one setting: {combined:,}. Of those that cannot differ one is run: "
        f"{len(frame):,}. {RULE} Of settings that keep equally many, the one that keeps so many on most of "
        f"{MONDAYS} other Mondays comes first, then the larger mean there, then the one unlike vLLM's defaults in "
        f"fewest knobs. Running them took {result.found.runs.seconds:.1f} s, once for everyone: "
        "for other targets the same runs are only counted anew.",
        tried,
        f"{result.most} of {CUSTOMERS} at best, by {len(result.ties):,} of {int(result.counts.sum()):,} accepted",
        f"{source()} vLLM's defaults, as far as this server knows them: {short(Settings())}.",
    )


def lost_sum(result: Result) -> Sum:
    """Return the sum behind the knobs that mattered."""
    return Sum(
        "simulated",
        "one knob put back",
        "The best setting is run again with one knob as it was at the start, all others as they are.",
        values_of(result.best),
        f"the best keeps {result.most}; what is left without a knob stands in the chart",
        source(),
    )


def front_sum(result: Result) -> Sum:
    """Return the sum behind the front of customers against cost."""
    coarse = len(result.found.more_cards[2])
    knobs = ", ".join(
        knob.name for knob in KNOBS if len(COARSE_SPACE[knob.field]) < len(MONDAY_SPACE[knob.field])
    )
    return Sum(
        "simulated",
        "one to four cards",
        f"Customers are dealt to identical cards in turn. On more than one card {coarse:,} settings are tried (fewer "
        f"values of: {knobs}), and the best of one card. Cost is the price × cards; of a thousand on target it is the "
        "cost of a second ÷ customers on target a second × 1,000.",
        (),
        "the price is yours; the server's speed is assumed, not measured",
        source(),
    )


def limits_sum() -> Sum:
    """Return the sum behind the limits."""
    return Sum(
        "simulated",
        "one limit lifted",
        "The same setting on the same customers, with one limit lifted: the one that keeps most customers binds. Then "
        "each other limit on top of the first of the table.",
        (),
        "customers on target before and after, in the table",
        source(),
    )


def cap_sum(cap: int) -> Sum:
    """Return the sum behind the mission."""
    per_s = cap_alone.tokens_per_s
    return Sum(
        "simulated",
        f"a cap of {cap}",
        f"vLLM's defaults with another cap on the batch. {RULE} Throughput is all tokens written ÷ the time from the "
        "first arrival to the last reply's end.",
        tuple(
            (
                f"{each} seat{'s' * (each != 1)}",
                f"{per_s(each):,.0f} tokens a second, {kept(cap_alone.capped(each))} on target",
            )
            for each in dict.fromkeys((cap_alone.BEGIN, cap))
        ),
        f"{kept(cap_alone.capped(cap))} of {CUSTOMERS} on target",
        source(),
    )
