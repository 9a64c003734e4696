"""The answer taken along as commands, a CSV and a picture: they have the run's numbers."""

from dataclasses import replace
from io import BytesIO, StringIO

import pandas as pd
import pytest
from PIL import Image

from pages.ui.flags import flag_told
from pages.ui.plan_choice import Plan, is_todays
from pages.ui.plan_export import (
    DRAFT,
    MODEL,
    commands,
    csv_of,
    picture_of,
    trace_file,
    used,
)
from pages.ui.plan_held import DEFAULTS
from pages.ui.plan_memo import (
    expected,
    notes,
    stands_for,
)
from pages.ui.plan_slide import SIZE, Box, panels, slide
from pages.ui.prose import passages
from pages.ui.served import server
from sim import (
    MONDAY_START,
    MONDAY_TARGETS,
    Settings,
    Trace,
    monday,
    search,
    simulate,
)
from sim.vllm_lines import flags_in, serve_line

pytestmark = pytest.mark.slow  # left to dev.py test

MINE = Settings(max_num_seqs=16, weight_bits=8)
OLD = Settings(scheduler="prefill-first", max_num_batched_tokens=128, weight_bits=4, num_speculative_tokens=3)


def on_target(settings: Settings) -> int:
    return int(simulate(monday(), server(), settings, MONDAY_TARGETS).summary()["on_target"])


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


def test_the_flags_listed_are_those_of_the_commands(plan: Plan) -> None:
    lines = commands(plan, plan.best)
    assert [flag.flag for flag in used(lines)] == [*flags_in(lines[0].words), *flags_in(lines[1].words)]
    for flag in used(lines):
        assert flag_told(flag).startswith(f"`{flag.flag}` takes {flag.takes}. [vLLM]({flag.source})")


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
