"""The answer taken along: what is written down, drawn and forwarded has the run's numbers, and nothing breaks out."""

import re
from dataclasses import replace
from io import BytesIO, StringIO
from urllib.parse import parse_qsl, urlsplit

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from streamlit.testing.v1 import AppTest

from pages.ui import chapters
from pages.ui.batch_price import dollars
from pages.ui.flags import flag_told
from pages.ui.plan_assumed import quality
from pages.ui.plan_choice import BEST, STEADIEST, TODAY, Choice, Plan, chosen, is_todays
from pages.ui.plan_choice import MINE as MY_OWN
from pages.ui.plan_export import (
    DRAFT,
    MODEL,
    commands,
    csv_of,
    picture_of,
    shown,
    trace_file,
    used,
)
from pages.ui.plan_held import DEFAULTS, MONDAYS, SEED, Trust, trusted, work_out
from pages.ui.plan_memo import (
    expected,
    headline,
    memo,
    notes,
    rows,
    stands_for,
    targets_in_words,
    without_rounding,
)
from pages.ui.plan_slide import SIZE, Box, panels, slide
from pages.ui.plan_words import as_told, in_words, taken
from pages.ui.prose import passages
from pages.ui.served import server
from sim import (
    MONDAY_SPACE,
    MONDAY_START,
    MONDAY_TARGETS,
    QUOTED,
    Settings,
    Targets,
    Trace,
    monday,
    mondays,
    search,
    simulate,
)
from sim.other_mondays import settings_of
from sim.vllm_lines import flags_in, serve_line
from tests.pages.conftest import words

pytestmark = pytest.mark.slow  # left to dev.py test


MINE = Settings(max_num_seqs=16, weight_bits=8)
SPACE = MONDAY_SPACE | {"max_num_seqs": (8, 256), "num_speculative_tokens": (0, 2)}
LINK = "https://example.org/serve_larkspurs_monday?seats=16"
OLD = Settings(scheduler="prefill-first", max_num_batched_tokens=128, weight_bits=4, num_speculative_tokens=3)


@pytest.fixture(scope="module")
def plan() -> Plan:
    frame = search(monday(), server(), SPACE, MONDAY_TARGETS)
    best, today = (settings_of(rows.head(1))[0] for rows in (frame, frame[frame["exists_today"]]))
    return Plan(MINE, best, today, MONDAY_TARGETS, server(), price_per_hour=2.5)


@pytest.fixture(scope="module")
def trust(plan: Plan) -> Trust:
    frame = search(monday(), server(), SPACE, MONDAY_TARGETS)
    answer = work_out(frame, MONDAY_TARGETS, SPACE, server(), lambda share: None)
    return trusted(answer, plan.mine, plan.best, MONDAY_TARGETS, server(), plan.best_today)


def written(plan: Plan, answer: Settings, trust: Trust | None) -> str:
    return memo(plan, Choice("the best settings here", answer), trust, commands(plan, answer), LINK)


def on_target(settings: Settings) -> int:
    return int(simulate(monday(), server(), settings, MONDAY_TARGETS).summary()["on_target"])


def table_of(text: str) -> list[list[str]]:
    lines = [line for line in text.split("\n") if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


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


def test_what_a_line_cannot_say_is_said_beside_it_with_what_it_keeps(plan: Plan) -> None:
    told = stands_for(plan, OLD)
    nearest = Settings(max_num_seqs=24, max_num_batched_tokens=128, weight_bits=4, num_speculative_tokens=3)
    counts = [
        simulate(monday(), server(), each, MONDAY_TARGETS).summary()["on_target"] for each in (nearest, OLD)
    ]
    assert f"keeps **{counts[0]} of 24**" in told
    assert told.endswith(f"keeps {counts[1]}.")
    assert counts[0] < counts[1]
    assert "stands for" in stands_for(plan, DEFAULTS)
    told = notes(serve_line(OLD, server(), MODEL, DRAFT, num_requests=24), OLD)
    assert len(told) == 4
    assert "24 customers never take more than 24; the 256 that were searched" in " ".join(told)
    exact = Settings(max_num_seqs=24)
    assert "stands for" in stands_for(plan, replace(exact, scheduler="prefill-first"))


def test_a_line_has_no_more_seats_than_there_are_customers_and_nobody_feels_it(plan: Plan) -> None:
    for settings in (plan.best_today, DEFAULTS):
        line = commands(plan, settings)[0]
        assert line.words[line.words.index("--max-num-seqs") + 1] == "24"
        assert on_target(replace(settings, max_num_seqs=24)) == on_target(settings)
        assert is_todays(settings)
        budget = int(line.words[line.words.index("--max-num-batched-tokens") + 1])
        assert 24 * (settings.num_speculative_tokens + 1) <= budget


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


def on_target_on(settings: Settings, trace: Trace) -> int:
    return int(simulate(trace, server(), settings, MONDAY_TARGETS).summary()["on_target"])


def test_without_rounding_so_many_cards_do_it(plan: Plan) -> None:
    told = without_rounding(plan, plan.best_today)
    two = simulate(monday(), replace(server(), replicas=2), DEFAULTS, MONDAY_TARGETS).summary()["on_target"]
    assert two >= on_target(plan.best_today) > on_target(DEFAULTS)
    assert f"put {two} of 24 on target with 2 cards, for $5.00 an hour" in told
    assert without_rounding(plan, DEFAULTS) == ""
    assert "with 1 card, for $2.50" in without_rounding(
        plan, replace(DEFAULTS, weight_bits=8, max_num_seqs=1)
    )


def test_what_the_benchmark_would_count_is_the_runs_goodput(plan: Plan) -> None:
    told = simulate(monday(), server(), plan.best_today, MONDAY_TARGETS).summary()
    said = expected(plan, plan.best_today)
    assert f"about **{told['on_target']} of 24** as good" in said
    assert f"about {told['goodput_per_s']:.1f} a second" in said
    assert said == expected(replace(plan, targets=replace(MONDAY_TARGETS, gap_s=0.01)), plan.best_today)


def test_every_note_has_its_words() -> None:
    known = {key.removeprefix("unsaid.") for key in passages("plan_export", 0) if key.startswith("unsaid.")}
    assert known == {
        *("scheduler", "kv_layout", "preemption", "max_num_seqs", "weight_bits", "few_bits"),
        *("acceptance_rate", "replicas", "gap_s", "guessed_words"),
    }


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


def test_the_flags_listed_are_those_of_the_commands(plan: Plan) -> None:
    lines = commands(plan, plan.best)
    assert [flag.flag for flag in used(lines)] == [*flags_in(lines[0].words), *flags_in(lines[1].words)]
    for flag in used(lines):
        assert flag_told(flag).startswith(f"`{flag.flag}` takes {flag.takes}. [vLLM]({flag.source})")


def test_shown_dollars_are_dollars_and_the_title_is_below_the_pages(plan: Plan) -> None:
    whole = written(plan, plan.best, None)
    text = shown(whole)
    assert text.startswith("#### ")
    assert "vllm serve" not in text
    assert text.count("(the two commands above)") == 1
    assert whole.endswith(text[-80:])
    assert not re.search(r"(?<!\\)\$", text)


def test_the_csv_is_the_search() -> None:
    frame = search(monday(), server(), {"max_num_seqs": [8, 16]}, MONDAY_TARGETS)
    pd.testing.assert_frame_equal(
        pd.read_csv(StringIO(csv_of(frame).decode())), frame, check_dtype=False, atol=1e-6
    )
    assert trace_file().count(b"\n") == len(monday())


def test_the_picture_has_a_dot_for_each_customer_in_its_place(plan: Plan) -> None:
    runs = [simulate(monday(), server(), each, MONDAY_TARGETS) for each in (MINE, MONDAY_START, DEFAULTS)]
    boxes = [Box.of("", run, MONDAY_TARGETS) for run in runs]
    image = Image.open(BytesIO(picture_of(plan, MINE)))
    assert (image.size, image.format) == (SIZE, "PNG")
    for panel, box, run in zip(panels(boxes), boxes, runs, strict=True):
        assert box.title == f"{run.summary()['on_target']} of 24 customers on target"
        assert box.on_target == tuple(run.requests["on_target"])
        assert panel.most_s >= max(run.requests["ttft_s"])
        assert panel.most_ms >= 1e3 * max(run.requests["tpot_s"])
        for wait_s, pace_ms, is_met in box.dots:
            x, y = panel.at(wait_s, pace_ms)
            assert panel.left <= x <= panel.right
            assert panel.top <= y <= panel.bottom
            found = image.getpixel((round(x), round(y)))
            assert isinstance(found, tuple)
            if is_met:
                nearest = min(
                    (
                        abs(x - a) + abs(y - b)
                        for a, b in (panel.at(*dot[:2]) for dot in box.dots if not dot[2])
                    ),
                    default=99,
                )
                assert (
                    nearest < 3 * panel.dot or found[2] - found[0] > 100
                )  # blue, unless a ring lies over it
    one_s, ten_s = (panels(boxes)[0].at(wait_s, 0)[0] for wait_s in (0.1, 1.0))
    assert panels(boxes)[0].at(10.0, 0)[0] - ten_s == pytest.approx(
        ten_s - one_s
    )  # a log scale, as on the page


def test_the_picture_bears_who_got_no_reply_and_a_reply_of_one_token() -> None:
    trace = Trace([0.0, 0.1, 0.2], [100, 2000, 50], [1, 100, 20])
    run = simulate(trace, server(), Settings(), MONDAY_TARGETS)
    box = Box.of("", run, MONDAY_TARGETS)
    assert run.requests["status"].tolist() == ["done", "rejected", "done"]
    assert box.title == "2 of 3 customers on target"
    assert box.paces_s[0] == 0.0
    assert len(box.dots) == 2
    assert Image.open(BytesIO(slide([box], "words", "note"))).size == SIZE


def small_page() -> None:
    """Draw the section for a small search: what an AppTest runs."""
    import streamlit as st

    from pages.ui import link
    from pages.ui.chapters import chapter
    from pages.ui.frame import Frame
    from pages.ui.plan_choice import Plan
    from pages.ui.plan_export import export_section
    from pages.ui.plan_held import trusted, work_out
    from pages.ui.served import server
    from sim import MONDAY_TARGETS, Settings, monday, search
    from sim.other_mondays import settings_of

    link.enter(chapter(7))
    for name in ("guess", "first", "shown", "check", "more", "done", "route"):
        link.publish(name, "b")
    link.publish("odd", "a>b `c` [d](e) & f=g |")
    space = {"scheduler": ("chunked", "prefill-first"), "weight_bits": (16, 4)}
    frame = search(monday(), server(), space, MONDAY_TARGETS)
    best, mine = settings_of(frame.head(1))[0], Settings(max_num_seqs=16)
    today = settings_of(frame[frame["exists_today"]].head(1))[0]
    trust = None
    if st.toggle("tried"):
        answer = work_out(frame, MONDAY_TARGETS, space, server(), lambda share: None)
        trust = trusted(answer, mine, best, MONDAY_TARGETS, server(), today)
    around = Frame(chapter(7), "Engineer", frozenset({1, 2}))
    plan = Plan(mine, best, today, MONDAY_TARGETS, server(), 2.0)
    export_section(plan, frame.copy, len(frame), trust, around)


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> AppTest:
    for page in chapters.PAGES:
        monkeypatch.setitem(vars(page), "is_ready", False)  # no page to link to from here
    at_start = AppTest.from_function(small_page)
    at_start.session_state["7_serve_larkspurs_monday.memo"] = True  # the memo is open
    at_start.run()
    assert not at_start.exception
    return at_start


def test_the_section_writes_down_what_is_chosen(page: AppTest) -> None:
    best = page.code[0].value
    assert best.startswith("vllm serve ./opt-13b-4bit \\\n")
    assert page.code[1].value.startswith("vllm bench serve \\\n")
    page.button_group[0].set_value("mine").run()
    assert not page.exception
    assert page.code[0].value.startswith("vllm serve facebook/opt-13b \\\n")
    assert "--max-num-seqs 16" in page.code[0].value


def test_the_steadiest_is_written_down_once_it_is_known(page: AppTest) -> None:
    page.button_group[0].set_value("the steadiest").run()
    assert "known once other Mondays have been tried" in words(page)
    page.toggle[0].set_value(True).run()
    assert not page.exception
    assert "known once other Mondays" not in words(page)
    assert f"On {MONDAYS} other Mondays" in words(page)


def test_the_memos_link_opens_this_page_with_these_settings_and_nothing_breaks_out_of_it(
    page: AppTest,
) -> None:
    found = re.search(r"<([^>\s]*serve_larkspurs_monday[^>\s]*|http[^>\s]*odd=[^>\s]*)>", words(page))
    assert found is not None
    told = dict(parse_qsl(urlsplit(found[1]).query))
    assert told == {"odd": "a>b `c` [d](e) & f=g |", "export": "what runs today", "reader": "Engineer"}
    assert not set("`[]()<>| ") & set(found[1])
