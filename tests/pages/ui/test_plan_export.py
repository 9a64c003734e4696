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
from pages.ui.plan_export import (
    DRAFT,
    MODEL,
    commands,
    csv_of,
    flag_told,
    picture_of,
    shown,
    trace_file,
    used,
)
from pages.ui.plan_held import DEFAULTS, MONDAYS, Trust, trusted, work_out
from pages.ui.plan_memo import Plan, memo, notes, quality, rows, stands_for, targets_in_words
from pages.ui.plan_slide import EDGE, SIZE, Box, at, slide
from pages.ui.plan_words import in_words
from pages.ui.prose import passages
from pages.ui.served import server
from sim import (
    MONDAY_SPACE,
    MONDAY_START,
    MONDAY_TARGETS,
    QUOTED,
    Settings,
    Targets,
    monday,
    search,
    simulate,
)
from sim.other_mondays import settings_of
from sim.vllm_lines import flags_in, serve_line
from tests.pages.conftest import words

MINE = Settings(max_num_seqs=16, weight_bits=8)
SPACE = MONDAY_SPACE | {"max_num_seqs": (8, 256), "num_speculative_tokens": (0, 2)}
LINK = "https://example.org/serve_larkspurs_monday?seats=16"
OLD = Settings(scheduler="prefill-first", max_num_batched_tokens=128, weight_bits=4, num_speculative_tokens=3)


@pytest.fixture(scope="module")
def plan() -> Plan:
    best = settings_of(search(monday(), server(), SPACE, MONDAY_TARGETS).head(1))[0]
    return Plan(MINE, best, MONDAY_TARGETS, server(), price_per_hour=2.5)


@pytest.fixture(scope="module")
def trust(plan: Plan) -> Trust:
    frame = search(monday(), server(), SPACE, MONDAY_TARGETS)
    answer = work_out(frame, MONDAY_TARGETS, SPACE, server(), lambda share: None)
    return trusted(answer, plan.mine, plan.best, MONDAY_TARGETS, server())


def written(plan: Plan, answer: Settings, trust: Trust | None) -> str:
    return memo(plan, "the best settings here", answer, trust, commands(plan, answer), LINK)


def table_of(text: str) -> list[list[str]]:
    lines = [line for line in text.split("\n") if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_the_memos_numbers_are_those_of_direct_runs(plan: Plan, trust: Trust) -> None:
    text = written(plan, plan.best, trust)
    head, _, *lines = table_of(text)
    assert len(head) == 4
    named = {
        "as it is now": MONDAY_START,
        "vLLM's defaults": DEFAULTS,
        "mine": MINE,
        "best here, the answer": plan.best,
    }
    assert [line[0] for line in lines] == list(named)
    for line, settings in zip(lines, named.values(), strict=True):
        told = simulate(monday(), server(), settings, MONDAY_TARGETS).summary()
        counts = next((row.counts for row in trust.rows if row.settings == settings), None)
        assert f"- *{line[0]}*: {in_words(settings)}\n" in text
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
        winner = in_words(change.winner)
        assert (f"it keeps {count}, and {winner} would have {change.most}" in text) == (count < change.most)
    assert "{{" not in text
    prose = re.sub("```.*?```", "", text, flags=re.DOTALL)
    assert len(re.findall(r"[A-Za-z']+", prose)) < 600  # one page


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
    nearest = Settings(max_num_seqs=128, max_num_batched_tokens=128, weight_bits=4, num_speculative_tokens=3)
    counts = [
        simulate(monday(), server(), each, MONDAY_TARGETS).summary()["on_target"] for each in (nearest, OLD)
    ]
    assert f"keeps **{counts[0]} of 24**" in told
    assert told.endswith(f"keeps {counts[1]}.")
    assert counts[0] < counts[1]
    assert "stands for" in stands_for(plan, DEFAULTS)
    assert len(notes(serve_line(OLD, server(), MODEL, DRAFT), OLD)) == 4


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
    run = simulate(monday(), server(), MINE, MONDAY_TARGETS)
    box = Box.of(run, MONDAY_TARGETS)
    assert box.title == f"{run.summary()['on_target']} of 24 customers on target"
    assert box.on_target == tuple(run.requests["on_target"])
    image = Image.open(BytesIO(picture_of(plan, MINE)))
    assert image.size == SIZE
    assert image.format == "PNG"
    for place in range(24):
        across, up = box.share(place)
        assert across == min(1.0, run.requests["ttft_s"][place] / EDGE)
        x, y = at(across, up)
        found = image.getpixel((round(x), round(y)))
        assert isinstance(found, tuple)
        if box.on_target[place]:
            assert found[2] - found[0] > 100  # blue
    beyond = (run.requests["ttft_s"] > EDGE) | (run.requests["tpot_s"] > 0.03 * EDGE)
    assert box.beyond == beyond.sum()


def test_the_picture_bears_who_got_no_reply_and_a_reply_of_one_token() -> None:
    from sim import Trace

    trace = Trace([0.0, 0.1, 0.2], [100, 2000, 50], [1, 100, 20])
    run = simulate(trace, server(), Settings(), MONDAY_TARGETS)
    box = Box.of(run, MONDAY_TARGETS)
    assert run.requests["status"].tolist() == ["done", "rejected", "done"]
    assert box.title == "2 of 3 customers on target"
    assert box.paces_s[0] == 0.0
    assert Image.open(BytesIO(slide(box, "words", "note"))).size == SIZE


def small_page() -> None:
    """Draw the section for a small search: what an AppTest runs."""
    import streamlit as st

    from pages.ui import link
    from pages.ui.chapters import chapter
    from pages.ui.frame import Frame
    from pages.ui.plan_export import Plan, export_section
    from pages.ui.plan_held import trusted, work_out
    from pages.ui.served import server
    from sim import MONDAY_TARGETS, Settings, monday, search
    from sim.other_mondays import settings_of

    link.enter(chapter(7))
    link.publish("odd", "a>b `c` [d](e) & f=g |")
    space = {"scheduler": ("chunked", "prefill-first"), "weight_bits": (16, 4)}
    frame = search(monday(), server(), space, MONDAY_TARGETS)
    best, mine = settings_of(frame.head(1))[0], Settings(max_num_seqs=16)
    trust = None
    if st.toggle("tried"):
        answer = work_out(frame, MONDAY_TARGETS, space, server(), lambda share: None)
        trust = trusted(answer, mine, best, MONDAY_TARGETS, server())
    around = Frame(chapter(7), "Engineer", frozenset({1, 2}))
    export_section(Plan(mine, best, MONDAY_TARGETS, server(), 2.0), frame, trust, around)


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> AppTest:
    for page in chapters.PAGES:
        monkeypatch.setitem(vars(page), "is_ready", False)  # no page to link to from here
    at_start = AppTest.from_function(small_page).run()
    assert not at_start.exception
    return at_start


def test_the_section_writes_down_what_is_chosen(page: AppTest) -> None:
    best = page.code[0].value
    assert best.startswith("vllm serve ./opt-13b-4bit \\\n")
    assert page.code[1].value.startswith("vllm bench serve \\\n")
    page.segmented_control[0].set_value("mine").run()
    assert not page.exception
    assert page.code[0].value.startswith("vllm serve facebook/opt-13b \\\n")
    assert "--max-num-seqs 16" in page.code[0].value


def test_the_steadiest_is_written_down_once_it_is_known(page: AppTest) -> None:
    page.segmented_control[0].set_value("steadiest").run()
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
    assert told == {"odd": "a>b `c` [d](e) & f=g |", "export": "best here", "reader": "Engineer"}
    assert not set("`[]()<>| ") & set(found[1])
