"""Commands for a real server: every flag is in the list, every field is written or said, and shells read them."""

import json
import shlex
from dataclasses import fields, replace
from datetime import date
from itertools import product

import pytest

from sim import (
    MONDAY_SPACE,
    MONDAY_START,
    MONDAY_TARGETS,
    Settings,
    Targets,
    larkspur_server,
    monday,
    simulate,
)
from sim.vllm_flags import BENCH_FLAGS, CHECKPOINTS, RELEASE, REPOSITORIES, SERVE_FLAGS
from sim.vllm_lines import (
    TOKENS_A_HASH,
    bench_line,
    flags_in,
    goodput,
    nearest_today,
    serve_line,
    timed_trace,
)

pytestmark = pytest.mark.slow  # left to dev.py test


SERVER = larkspur_server()
MODEL, DRAFT = REPOSITORIES["opt-13b"], REPOSITORIES["opt-125m"]
GUESSING = Settings(weight_bits=4, kv_bits=8, num_speculative_tokens=3)
# fields that say nothing of the server itself: how lucky its guesses are assumed to be
ASSUMED = {"acceptance_rate", "seed"}


def every_setting():
    names = list(MONDAY_SPACE)
    for values in product(*MONDAY_SPACE.values()):
        yield Settings(**dict(zip(names, values, strict=True)))


def carried(line):
    """Return what each flag of a line carries, by field."""
    words = list(line.words)
    carries = {entry.flag: entry.sets for entry in SERVE_FLAGS.values()}
    return {
        carries[word]: words[place + 1 : place + 2] for place, word in enumerate(words) if word in carries
    }


def test_every_flag_has_a_source_and_a_day():
    for entry in (*SERVE_FLAGS.values(), *BENCH_FLAGS.values(), CHECKPOINTS):
        assert entry.source.startswith(("https://docs.vllm.ai/", "https://github.com/vllm-project/vllm/"))
        assert date(2026, 11, 1) < entry.checked <= date.today()
    for key, entry in (SERVE_FLAGS | BENCH_FLAGS).items():
        assert entry.flag == f"--{key}"


def test_every_flag_written_is_in_the_list_and_every_one_in_the_list_can_be_written():
    lines = [serve_line(GUESSING, replace(SERVER, replicas=2), MODEL, DRAFT)]
    assert set(flags_in(lines[0].words)) == {entry.flag for entry in SERVE_FLAGS.values()}
    line = bench_line(GUESSING, replace(MONDAY_TARGETS, e2e_s=9.0), monday(), MODEL, "monday.jsonl")
    assert set(flags_in(line.words)) == {entry.flag for entry in BENCH_FLAGS.values()}


def test_each_setting_of_mondays_space_is_written_or_said_to_have_no_flag():
    seen = set()
    for settings in every_setting():
        line = serve_line(settings, SERVER, MODEL, DRAFT)
        told = carried(line)
        for field in fields(Settings):
            value = getattr(settings, field.name)
            if field.name in line.unsaid or (field.name in ASSUMED and settings.num_speculative_tokens == 0):
                continue
            if field.name == "scheduler":
                assert "scheduler" in told
                assert value == "chunked"
            elif field.name == "num_speculative_tokens":
                config = json.loads(told[field.name][0]) if value else {}
                assert config.get("num_speculative_tokens", 0) == value
            elif field.name in ("kv_layout", "preemption", "weight_bits", "kv_bits", "seed"):
                assert value == getattr(Settings(), field.name)  # what vLLM does without a flag
            else:
                assert told[field.name] == [str(value)]
        seen |= set(line.unsaid)
    assert seen == {"scheduler", "kv_layout", "preemption", "max_num_seqs", "weight_bits", "acceptance_rate"}


def test_only_what_exists_today_has_a_line_that_is_exact():
    assert serve_line(Settings(), SERVER, MODEL).unsaid == ()
    assert {"scheduler", "kv_layout"} <= set(serve_line(MONDAY_START, SERVER, MODEL).unsaid)
    assert "few_bits" in serve_line(Settings(weight_bits=3), SERVER, MODEL).unsaid
    assert "preemption" in serve_line(Settings(preemption="swap"), SERVER, MODEL).unsaid
    assert serve_line(Settings(), replace(SERVER, replicas=3), MODEL).unsaid == ("replicas",)
    assert nearest_today(Settings()) == Settings()


def test_where_it_is_known_how_many_come_there_are_no_more_seats():
    settings = Settings(max_num_seqs=256, max_num_batched_tokens=128, num_speculative_tokens=3)
    line = serve_line(settings, SERVER, MODEL, DRAFT, num_requests=len(monday()))
    assert carried(line)["max_num_seqs"] == ["24"]
    assert 24 * (settings.num_speculative_tokens + 1) <= 128
    assert "max_num_seqs" in line.unsaid
    assert nearest_today(Settings(max_num_seqs=8), 24).max_num_seqs == 8
    runs = [simulate(monday(), SERVER, each).requests for each in (settings, nearest_today(settings, 24))]
    assert runs[0].equals(runs[1])


def test_the_release_that_was_looked_at_is_named():
    assert RELEASE.version.count(".") == 2
    assert RELEASE.checked == SERVE_FLAGS["max-num-seqs"].checked


def test_vllm_never_gets_more_seats_than_tokens_and_monday_does_not_feel_it():
    settings = Settings(max_num_seqs=256, max_num_batched_tokens=128)
    line = serve_line(settings, SERVER, MODEL)
    assert carried(line)["max_num_seqs"] == carried(line)["max_num_batched_tokens"] == ["128"]
    assert "max_num_seqs" in line.unsaid
    runs = [simulate(monday(), SERVER, each).requests for each in (settings, nearest_today(settings))]
    assert runs[0].equals(runs[1])


@pytest.mark.parametrize("settings", [Settings(), GUESSING, MONDAY_START])
def test_a_shell_reads_the_words_that_were_meant(settings):
    awkward = 'a b/it\'s $(rm -rf x); "o" `p`\nq'
    line = serve_line(settings, SERVER, awkward, awkward)
    assert tuple(shlex.split(line.text.replace(" \\\n", " "))) == line.words
    bench = bench_line(settings, MONDAY_TARGETS, monday(), awkward, awkward)
    assert tuple(shlex.split(bench.text.replace(" \\\n", " "))) == bench.words
    if settings.num_speculative_tokens:
        config = json.loads(line.words[line.words.index("--speculative-config") + 1])
        assert config == {"method": "draft_model", "model": awkward, "num_speculative_tokens": 3}


def test_fewer_bits_are_a_checkpoint_of_ones_own():
    assert serve_line(Settings(), SERVER, MODEL).words[2] == "facebook/opt-13b"
    assert serve_line(GUESSING, SERVER, MODEL, DRAFT).words[2] == "./opt-13b-4bit"
    assert bench_line(GUESSING, MONDAY_TARGETS, monday(), MODEL, "m").words[6] == "./opt-13b-4bit"


def test_guessing_without_a_draft_is_refused():
    with pytest.raises(ValueError, match="draft model"):
        serve_line(GUESSING, SERVER, MODEL)


def test_goodput_is_told_in_milliseconds():
    assert goodput(MONDAY_TARGETS) == ["ttft:1000", "tpot:30"]
    assert goodput(Targets(ttft_s=0.7995, tpot_s=0.0301, e2e_s=12.0)) == [
        "ttft:799.5",
        "tpot:30.1",
        "e2el:12000",
    ]
    assert bench_line(Settings(), replace(MONDAY_TARGETS, gap_s=0.2), monday(), MODEL, "m").unsaid == (
        "gap_s",
    )
    assert bench_line(GUESSING, MONDAY_TARGETS, monday(), MODEL, "m").unsaid == ("guessed_words",)


def test_the_trace_for_the_benchmark_is_monday_and_no_two_prompts_share_a_piece():
    rows = [json.loads(row) for row in timed_trace(monday()).splitlines()]
    assert [row["timestamp"] for row in rows] == monday().arrival_s.tolist()
    assert [row["input_length"] for row in rows] == monday().prompt_tokens.tolist()
    assert [row["output_length"] for row in rows] == monday().output_tokens.tolist()
    pieces = [piece for row in rows for piece in row["hash_ids"]]
    assert len(set(pieces)) == len(pieces)
    for row in rows:
        assert 0 <= len(row["hash_ids"]) * TOKENS_A_HASH - row["input_length"] < TOKENS_A_HASH
