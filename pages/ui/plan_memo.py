"""A memo of one page that can be forwarded: Markdown, every number from a run, the commands to check it with."""

from dataclasses import dataclass, replace
from functools import lru_cache

from pages.ui.batch_price import REPLIES, dollars
from pages.ui.charts import KEPT
from pages.ui.numbers import brief, ms, percent
from pages.ui.plan_assumed import assumed
from pages.ui.plan_backed import backed_in_memo
from pages.ui.plan_choice import Choice, Plan, is_todays, named, on_a_line
from pages.ui.plan_held import DEFAULTS, MONDAYS, Held, Trust, held
from pages.ui.plan_trust import CHANGE_NAMES, costs_off
from pages.ui.plan_words import as_told, in_words, plainly, taken
from pages.ui.prose import say
from pages.ui.sources import day
from sim import Server, Settings, Targets, monday, simulate
from sim.vllm_flags import CHECKPOINTS, RELEASE
from sim.vllm_lines import Line

PAGE = "plan_export"
HEADS = (
    "which",
    "on target",
    "on other Mondays",
    f"price of {REPLIES:,} on target, if every hour were like this rush",
)
MOST_CARDS = 4


@dataclass(frozen=True)
class Row:
    """A row of the memo's table: how settings fare, and their price of a thousand customers on target."""

    name: str
    settings: Settings
    count: int
    others: Held | None
    dollars: float | None


@lru_cache(maxsize=KEPT)
def summary(settings: Settings, targets: Targets, server: Server) -> dict[str, float]:
    """Return the summary of this Monday under settings."""
    told = simulate(monday(), server, settings, targets).summary()
    return {name: float(told[name]) for name in ("on_target", "goodput_per_s")}


def row_of(name: str, settings: Settings, plan: Plan, *, is_tried: bool) -> Row:
    """Return a row of the table."""
    told = summary(settings, plan.targets, plan.server)
    hourly = plan.price_per_hour * plan.server.replicas
    cost = REPLIES / told["goodput_per_s"] / 3600 * hourly if told["goodput_per_s"] > 0 else None
    others = held(name, settings, plan.targets, plan.server) if is_tried else None
    return Row(name, settings, int(told["on_target"]), others, cost)


def rows(plan: Plan, answer: Settings, trust: Trust | None) -> list[Row]:
    """Return the rows of the table: the settings that have a name, and what is written down."""
    names: dict[Settings, list[str]] = {}
    for name, settings in named(plan, answer):
        names.setdefault(settings, []).append(name)
    return [row_of(", ".join(each), one, plan, is_tried=trust is not None) for one, each in names.items()]


def table(each: list[Row]) -> str:
    """Return rows as a table of Markdown, and below it which settings they are."""
    lines = [HEADS, ("---", *["--:"] * (len(HEADS) - 1)), *map(cells, each)]
    which = "\n".join(f"- *{row.name}*: {in_words(as_told(row.name, row.settings))}" for row in each)
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + f"\n\n{which}"


def cells(row: Row) -> tuple[str, ...]:
    """Return a row's cells."""
    others = (
        "–" if row.others is None else f"{row.others.median:g} ({' to '.join(map(str, row.others.range))})"
    )
    cost = "–" if row.dollars is None else dollars(row.dollars)
    return (row.name, f"{row.count} of {len(monday())}", others, cost)


def memo(plan: Plan, choice: Choice, trust: Trust | None, lines: tuple[Line, Line], link: str) -> str:
    """Return the memo that recommends what was chosen."""
    answer = choice.settings
    each = rows(plan, answer, trust)
    count = {row.settings: str(row.count) for row in each}
    row = next(row for row in each if row.settings == answer)
    return say(
        PAGE,
        "memo",
        customers=str(len(monday())),
        targets=targets_in_words(plan.targets),
        answer_name=choice.name[0].upper() + choice.name[1:],
        answer=in_words(taken(answer)),
        plainly=plainly(taken(answer)),
        headline=headline(plan, choice),
        default_count=count[DEFAULTS],
        now_count=count[plan.now],
        why=choice.why,
        others=others_of(row.others),
        table=table(each),
        price=dollars(plan.price_per_hour),
        replicas=str(plan.server.replicas),
        assumed=assumed(plan.server, answer),
        backed=backed_in_memo(answer),
        changes=changes(row, trust),
        without=without_rounding(plan, answer),
        serve=lines[0].text,
        bench=lines[1].text,
        share=percent(plan.server.gpu_memory_utilization),
        stands_for="" if choice.runs_today else f" {stands_for(plan, answer)}",
        expect=expected(plan, answer),
        version=RELEASE.version,
        checked=day(RELEASE.checked),
        notes="\n\n".join(note for line in lines for note in notes(line, answer)),
        link=link,
    )


def counted(settings: Settings, plan: Plan) -> int:
    """Return how many of this Monday's customers are on target."""
    return int(summary(settings, plan.targets, plan.server)["on_target"])


def headline(plan: Plan, choice: Choice) -> str:
    """Say how many are on target by what can be run, and what is better but cannot."""
    answer, customers = choice.settings, str(len(monday()))
    told = say(PAGE, "memo.count", count=str(counted(answer, plan)), customers=customers)
    if not choice.runs_today:
        return f"{told} " + say(
            PAGE,
            "memo.not_today",
            line_count=str(counted(on_a_line(answer), plan)),
            today=in_words(taken(plan.best_today)),
            today_count=str(counted(plan.best_today, plan)),
        )
    return " ".join([told, *better(plan, counted(answer, plan))])


def better(plan: Plan, count: int) -> list[str]:
    """Say what has more on target here than `count`: of what engines offer, and of what none offers."""
    today, best = counted(plan.best_today, plan), counted(plan.best, plan)
    told = [say(PAGE, "memo.better.today", today_count=str(today))] * (today > count)
    return told + [say(PAGE, "memo.better", best_count=str(best))] * (best > max(today, count))


def without_rounding(plan: Plan, answer: Settings) -> str:
    """Say how many cards the defaults need at 16 bits for as many on target, and what they cost an hour."""
    if answer.weight_bits == DEFAULTS.weight_bits:
        return ""
    for cards in range(1, MOST_CARDS + 1):
        more = replace(plan, server=replace(plan.server, replicas=cards))
        if counted(DEFAULTS, more) >= counted(answer, plan):
            numbers = {
                "count": str(counted(DEFAULTS, more)),
                "cards": f"{cards} card{'s' * (cards > 1)}",
                "bits": str(DEFAULTS.weight_bits),
            }
            cost = dollars(cards * plan.price_per_hour)
            return say(PAGE, "memo.without", customers=str(len(monday())), cost=cost, **numbers)
    return say(PAGE, "memo.without.none", cards=str(MOST_CARDS), bits=str(DEFAULTS.weight_bits))


def expected(plan: Plan, answer: Settings) -> str:
    """Say what the benchmark would count if the simulator were right; it knows no longest freeze."""
    told = summary(on_a_line(answer), replace(plan.targets, gap_s=None), plan.server)
    numbers = {"count": f"{told['on_target']:.0f}", "customers": str(len(monday()))}
    return say(PAGE, "bench.expect", goodput=f"{told['goodput_per_s']:.1f}", **numbers)


def targets_in_words(targets: Targets) -> str:
    """Return what customers expect: the first word within 1.0 s, 30 ms a token."""
    parts = [f"the first word within {brief(targets.ttft_s)}", f"{ms(targets.tpot_s)} a token at most"]
    if targets.e2e_s is not None:
        parts.append(f"the whole reply within {brief(targets.e2e_s)}")
    if targets.gap_s is not None:
        parts.append(f"never a freeze of more than {brief(targets.gap_s)}")
    return ", ".join(parts)


def others_of(row: Held | None) -> str:
    """Say how the answer does on other Mondays."""
    if row is None:
        return say(PAGE, "memo.others.unknown")
    least, largest = map(str, row.range)
    numbers = {"mondays": str(MONDAYS), "median": f"{row.median:g}", "least": least, "largest": largest}
    return say(PAGE, "memo.others", **numbers)


def changes(row: Row, trust: Trust | None) -> str:
    """Say what becomes of the answer under each change."""
    if trust is None or row.others is None:
        return say(PAGE, "memo.changes.unknown")
    told = []
    for change, count in zip(trust.answer.changes, row.others.changed, strict=True):
        key = "memo.change.stays" if count >= change.most else "memo.change.goes"
        name = CHANGE_NAMES[change.change].format(**costs_off())
        numbers = {"count": str(count), "winner": in_words(taken(change.winner)), "most": str(change.most)}
        told.append(say(PAGE, key, change=name, **numbers))
    return say(PAGE, "memo.changes", told=" ".join(told))


def stands_for(plan: Plan, settings: Settings) -> str:
    """Say whether a `vllm serve` line says all of the settings, and if not what it stands for."""
    nearest = on_a_line(settings)
    if is_todays(settings):
        return say(PAGE, "line.exact", words=in_words(nearest))
    counts = [counted(each, plan) for each in (nearest, settings)]
    numbers = {"line_count": str(counts[0]), "count": str(counts[1]), "customers": str(len(monday()))}
    key = "line.nearest.same" if counts[0] == counts[1] else "line.nearest"
    return say(PAGE, key, words=in_words(taken(settings)), nearest=in_words(nearest), **numbers)


def notes(line: Line, settings: Settings) -> list[str]:
    """Return what a command leaves unsaid, in words."""
    numbers = {
        "checkpoint_source": CHECKPOINTS.source,
        "checkpoint": f"`{line.words[2]}`",
        "bits": " or ".join(map(str, CHECKPOINTS.bits)),
        "acceptance": percent(settings.acceptance_rate),
        "seats": f"{settings.max_num_seqs:,}",
        "line_seats": f"{on_a_line(settings).max_num_seqs:,}",
        "customers": str(len(monday())),
    }
    return [say(PAGE, f"unsaid.{name}", **numbers) for name in line.unsaid]
