"""The memo and the words of an answer: their numbers are those of direct runs, and nothing looks free."""

import re
from dataclasses import replace

import numpy as np
import pytest

from pages.ui.batch_price import dollars
from pages.ui.plan_assumed import quality
from pages.ui.plan_choice import BEST, STEADIEST, TODAY, Choice, Plan, chosen
from pages.ui.plan_choice import MINE as MY_OWN
from pages.ui.plan_export import (
    commands,
    shown,
)
from pages.ui.plan_held import DEFAULTS, MONDAYS, SEED, Trust
from pages.ui.plan_memo import (
    headline,
    memo,
    rows,
    targets_in_words,
    without_rounding,
)
from pages.ui.plan_words import as_told, in_words, taken
from pages.ui.served import server
from sim import (
    MONDAY_START,
    MONDAY_TARGETS,
    QUOTED,
    Settings,
    Targets,
    Trace,
    monday,
    mondays,
    simulate,
)

pytestmark = pytest.mark.slow  # left to dev.py test

MINE = Settings(max_num_seqs=16, weight_bits=8)
LINK = "https://example.org/serve_larkspurs_monday?seats=16"
OLD = Settings(scheduler="prefill-first", max_num_batched_tokens=128, weight_bits=4, num_speculative_tokens=3)


def written(plan: Plan, answer: Settings, trust: Trust | None) -> str:
    return memo(plan, Choice("the best settings here", answer), trust, commands(plan, answer), LINK)


def on_target(settings: Settings) -> int:
    return int(simulate(monday(), server(), settings, MONDAY_TARGETS).summary()["on_target"])


def table_of(text: str) -> list[list[str]]:
    lines = [line for line in text.split("\n") if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def on_target_on(settings: Settings, trace: Trace) -> int:
    return int(simulate(trace, server(), settings, MONDAY_TARGETS).summary()["on_target"])


def test_the_memos_numbers_are_those_of_direct_runs(plan: Plan, trust: Trust) -> None:
    text = written(plan, plan.best, trust)
    head, _, *lines = table_of(text)
    assert len(head) == 4
    named = {
        "the start": MONDAY_START,
        "vLLM's defaults": DEFAULTS,
        "mine": MINE,
        "the best, the best of today's, the answer": plan.best,
    }
    assert head[3].endswith("if every hour were like this rush")
    assert [line[0] for line in lines] == list(named)
    for line, settings in zip(lines, named.values(), strict=True):
        told = simulate(monday(), server(), settings, MONDAY_TARGETS).summary()
        counts = next((row.counts for row in trust.rows if row.settings == settings), None)
        assert f"- *{line[0]}*: {in_words(as_told(line[0], settings))}\n" in text
        assert line[1] == f"{told['on_target']} of 24"
        if counts is not None:
            assert line[2] == f"{np.median(counts):g} ({min(counts)} to {max(counts)})"
        hours = told["span_s"] / 3600
        assert line[3] == dollars(1000 * 2.5 * hours / told["on_target"])


def test_the_memo_says_question_answer_assumptions_changes_and_link(plan: Plan, trust: Trust) -> None:
    text = written(plan, plan.best, trust)
    assert "the first word within 1.0 s, 30 ms a token at most" in text
    row = trust.row(plan.best)
    assert row is not None
    assert f"**{row.here} of 24** customers on target" in text
    assert f"On {MONDAYS} other Mondays of the same kind it has {row.median:g} in the middle" in text
    assert "Simulated, not measured" in text
    assert f"<{LINK}>" in text
    assert "$2.50 an hour" in text
    assert f"{QUOTED['gptq-opt-13b-4-bit'].value}" in text
    for line in commands(plan, plan.best):
        assert f"```bash\n{line.text}\n```" in text
    for change, count in zip(trust.answer.changes, row.changed, strict=True):
        winner = in_words(taken(change.winner))
        assert (f"it keeps {count}; the best then is {winner}: {change.most}." in text) == (
            count < change.most
        )
    assert "{{" not in text
    prose = re.sub("```.*?```", "", text, flags=re.DOTALL)
    assert len(re.findall(r"[A-Za-z']+", prose)) < 700  # one page


def test_without_other_mondays_the_memo_says_so(plan: Plan) -> None:
    text = written(plan, plan.best, None)
    assert "was not tried" in text
    assert "Other costs of a pass were not tried" in text
    assert all(line[2] == "–" for line in table_of(text)[2:])


def test_no_price_is_made_up_where_nobody_is_on_target(plan: Plan) -> None:
    nobody = replace(plan, targets=Targets(ttft_s=1e-4, tpot_s=1e-4))
    assert all(row.dollars is None for row in rows(nobody, plan.best, None))
    assert all(line[3] == "–" for line in table_of(written(nobody, plan.best, None))[2:])


def test_cards_cost_what_so_many_cost(plan: Plan) -> None:
    two = replace(plan, server=replace(plan.server, replicas=2))
    row = next(row for row in rows(two, plan.best, None) if row.settings == plan.best)
    told = simulate(monday(), two.server, plan.best, MONDAY_TARGETS).summary()
    assert row.dollars == pytest.approx(1000 * 2 * 2.5 / 3600 / told["goodput_per_s"])
    assert "--data-parallel-size 2" in written(two, plan.best, None)


def test_what_is_written_down_first_runs_today_and_the_headline_says_its_number(
    plan: Plan, trust: Trust
) -> None:
    for known in (None, trust):
        choice = chosen(TODAY, plan, known)
        assert choice.runs_today
        assert headline(plan, choice).startswith(f"That puts **{on_target(choice.settings)} of 24**")
    assert chosen(TODAY, plan, None).settings == plan.best_today
    assert chosen(TODAY, plan, trust).settings == trust.answer.offered_today
    assert chosen(STEADIEST, plan, trust).settings == trust.answer.offered
    assert chosen(STEADIEST, plan, None).settings == plan.best
    assert chosen(MY_OWN, plan, trust).settings == MINE
    old = headline(plan, Choice("the best", OLD))
    line = Settings(max_num_seqs=24, max_num_batched_tokens=128, weight_bits=4, num_speculative_tokens=3)
    assert (
        f"No engine offers this today:** the command stands for what comes nearest, and puts {on_target(line)}"
        in (old)
    )
    assert f"puts {on_target(plan.best_today)} there" in old


def test_the_reason_of_a_choice_is_what_direct_runs_say(plan: Plan, trust: Trust) -> None:
    most = trust.answer.most
    for name, rival in ((TODAY, plan.best_today), (STEADIEST, plan.best)):
        choice = chosen(name, plan, trust)
        its, the_others = (
            sum(on_target_on(each, trace) >= most for trace in mondays(MONDAYS, SEED))
            for each in (choice.settings, rival)
        )
        assert f"has {most} or more on" in choice.why
        assert f"on {its} of {MONDAYS}" in choice.why
        assert (f"only on {the_others}." in choice.why) == (the_others < its)
        assert ("Mondays too" in choice.why) == (choice.settings == rival)
        assert choice.why in memo(plan, choice, trust, commands(plan, choice.settings), LINK)
    assert "on this Monday" in chosen(BEST, plan, trust).why


def test_fewer_here_than_the_best_of_todays_is_owned_with_the_reason_at_once(
    plan: Plan, trust: Trust
) -> None:
    steady = replace(plan.best_today, max_num_batched_tokens=1024, num_speculative_tokens=1)
    assert on_target(steady) < on_target(plan.best_today)  # else there is nothing to own
    why = (
        "This one is chosen because it has 23 or more on 168 of 200 other Mondays; the best here only on 159."
    )
    told = memo(plan, Choice("the steadiest", steady, why), trust, commands(plan, steady), LINK)
    count, today = on_target(steady), on_target(plan.best_today)
    said = f"That puts **{count} of 24** customers on target. Of what engines offer today, the best on this Monday"
    assert f"{said} puts {today} there." in told
    assert ("no engine offers it" in told) == (on_target(plan.best) > today)
    assert told.index(f"puts {today} there") < told.index(why) < told.index("vLLM's defaults put")


def test_no_engine_offers_it_is_said_only_of_what_none_offers(plan: Plan) -> None:
    worse = Choice("mine", DEFAULTS)
    as_good = replace(
        plan, best=replace(plan.best_today, scheduler="prefill-first"), best_today=plan.best_today
    )
    is_more = on_target(as_good.best) > on_target(as_good.best_today)
    assert ("no engine offers it" in headline(as_good, worse)) == is_more
    same = replace(plan, best=plan.best_today)
    assert "no engine offers it" not in headline(same, worse)
    assert (
        f"Of what engines offer today, the best on this Monday puts {on_target(plan.best_today)}"
        in headline(same, worse)
    )
    assert "Of what engines offer today" not in headline(same, Choice("best", plan.best_today))


def test_the_answer_has_one_number_of_seats(plan: Plan) -> None:
    answer = replace(plan.best_today, max_num_seqs=256)
    text = written(replace(plan, best=answer, best_today=answer), answer, None)
    assert "Up to 24 customers at once" in text
    assert "--max-num-seqs 24" in text
    for line in text.split("\n"):
        if line.startswith(("**Answer.**", "- *the best")):
            assert " 24 seats" in line
            assert "256" not in line
    assert "- *vLLM's defaults*: in pieces · memory: paged · 256 seats" in text
    assert on_target(taken(answer)) == on_target(answer)


def test_without_rounding_so_many_cards_do_it(plan: Plan) -> None:
    told = without_rounding(plan, plan.best_today)
    two = simulate(monday(), replace(server(), replicas=2), DEFAULTS, MONDAY_TARGETS).summary()["on_target"]
    assert two >= on_target(plan.best_today) > on_target(DEFAULTS)
    assert f"put {two} of 24 on target with 2 cards, for $5.00 an hour" in told
    assert without_rounding(plan, DEFAULTS) == ""
    assert "with 1 card, for $2.50" in without_rounding(
        plan, replace(DEFAULTS, weight_bits=8, max_num_seqs=1)
    )


@pytest.mark.parametrize("bits", [16, 8, 4, 3])
def test_fewer_bits_never_look_free(bits: int) -> None:
    told = quality(bits)
    assert (told == "") == (bits == 16)
    if f"gptq-opt-13b-{bits}-bit" in QUOTED and bits < 16:
        assert f"{QUOTED[f'gptq-opt-13b-{bits}-bit'].value:.2f}" in told
    elif bits < 16:
        assert "no measurement" in told


def test_targets_are_told_as_customers_would() -> None:
    all_of_them = Targets(ttft_s=0.75, tpot_s=0.025, e2e_s=8.0, gap_s=0.3)
    told = targets_in_words(all_of_them)
    assert told == (
        "the first word within 750 ms, 25 ms a token at most, the whole reply within 8.0 s, "
        "never a freeze of more than 300 ms"
    )


def test_shown_dollars_are_dollars_and_the_title_is_below_the_pages(plan: Plan) -> None:
    whole = written(plan, plan.best, None)
    text = shown(whole)
    assert text.startswith("#### ")
    assert "vllm serve" not in text
    assert text.count("(the two commands above)") == 1
    assert whole.endswith(text[-80:])
    assert not re.search(r"(?<!\\)\$", text)
