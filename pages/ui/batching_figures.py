"""The figures that chapter 3's texts are filled with."""

from functools import cache, lru_cache

import numpy as np

from pages.ui import numbers
from pages.ui.charts import KEPT
from pages.ui.first_word import SHORT_TOKENS, TO_COME, first_word_s, told
from pages.ui.ladder import (
    ANEW,
    FIXED,
    IN_PIECES,
    PROMPTS_FIRST,
    READ_WHOLE,
    SEATS,
    Felt,
    felt,
    peak_share,
    rush,
    served,
    topics,
)
from pages.ui.monday_memory import monday_run, most_seated
from pages.ui.same_latency import ALIKE, LEVEL_MS, LONG, NUM_REQUESTS, SHORT, SHORTS, UNEQUAL, at_level
from sim import QUOTED, Settings

PIECE = "256"  # tokens of a pass that the texts speak of
MISSION_SHARE = 0.5  # of the longest freeze
EARLY = 3  # the request with a long prompt that finds a free seat at once


@cache
def figures() -> dict[str, str]:
    """Return the figures of the chapter's texts."""
    return of_the_guess() | of_monday() | of_the_freezes() | of_steady_traffic()


def of_the_guess() -> dict[str, str]:
    """Return the figures of the two customers."""
    return {
        "to_come": numbers.count(TO_COME),
        "short": numbers.count(SHORT_TOKENS),
        "fixed_truth": f"{first_word_s(FIXED.word):.1f} s",
        "fixed_truth_ms": told(first_word_s(FIXED.word)),
        "truth": numbers.ms(first_word_s(ANEW.word)),
        "times_sooner": numbers.count(round(first_word_s(FIXED.word) / first_word_s(ANEW.word), -1)),
    }


def of_monday() -> dict[str, str]:
    """Return how long Monday's customers wait under the schedulers."""
    fixed, anew = felt(FIXED.word), felt(ANEW.word)
    return {
        "requests": numbers.count(len(rush())),
        "seats": numbers.count(SEATS),
        "peak": f"{peak_share():.0%}",
        "paged_most": numbers.count(most_seated("paged")),
        "fixed_first": f"{fixed.first_word_s:.1f} s",
        "fixed_longest": f"{fixed.longest_wait_s:.1f} s",
        "fixed_last": f"{fixed.last_s:.1f} s",
        "fixed_freeze": numbers.ms(fixed.freeze_s),
        "anew_first": f"{anew.first_word_s:.1f} s",
        "anew_longest": f"{anew.longest_wait_s:.1f} s",
        "anew_last": f"{anew.last_s:.1f} s",
        "anew_freeze": numbers.ms(anew.freeze_s),
        "anew_frozen": numbers.count(anew.num_frozen),
    }


def of_the_freezes() -> dict[str, str]:
    """Return what made texts stand still, and what pieces change."""
    reader = slowest_reader(ANEW.word)
    whole, pieces = (served(word, PIECE).requests["ttft_s"] for word in (ANEW.word, IN_PIECES.word))
    return {
        "reader": str(reader + 1),
        "reader_topic": topics()[reader],
        "reader_tokens": numbers.count(rush().prompt_tokens[reader]),
        "prompts_freeze": numbers.ms(felt(PROMPTS_FIRST.word).freeze_s),
        "piece": PIECE,
        "pieces_freeze": numbers.ms(felt(IN_PIECES.word, PIECE).freeze_s),
        "written_gap": numbers.ms(written_gap_s()),
        "rush_freeze": f"{monday_run('paged').requests['longest_gap_s'].max():.2f} s",
        "rush_piece": numbers.count(Settings().max_num_batched_tokens),
        "early": str(EARLY + 1),
        "early_tokens": numbers.count(rush().prompt_tokens[EARLY]),
        "early_whole": numbers.ms(whole.iloc[EARLY]),
        "early_pieces": numbers.ms(pieces.iloc[EARLY]),
        "mission_share": f"{MISSION_SHARE:.0%}",
        "rows": numbers.count(2 * len(rush())),
    }


def written_gap_s() -> float:
    """Return the mean seconds between tokens, in pieces, while nobody's prompt is read."""
    passes = served(IN_PIECES.word, PIECE).passes.query("prefill_tokens == 0 and decode_seqs > 0")
    return float((passes["end_s"] - passes["start_s"]).sum() / passes["passes"].sum())


def slowest_reader(word: str) -> int:
    """Return the request whose prompt the longest pass of a run reads."""
    passes, segments = served(word).passes, served(word).segments
    each_s = (passes["end_s"] - passes["start_s"]) / passes["passes"]
    start_s = passes["start_s"].iloc[int(np.argmax(each_s))]
    reads = (segments["state"] == "prefill") & np.isclose(segments["start_s"], start_s)
    return int(segments.loc[reads, "request"].iloc[0])


def of_steady_traffic() -> dict[str, str]:
    """Return our own ratio at equal latency, beside Orca's."""
    alike, unequal = at_level(ALIKE), at_level(UNEQUAL)
    replies = rush().output_tokens
    return {
        "orca": f"{QUOTED['orca-throughput'].value:g}",
        "orca_prompts": span("orca-prompt-tokens"),
        "orca_replies": span("orca-reply-tokens"),
        "level": f"{LEVEL_MS:.0f} ms",
        "steady": numbers.count(NUM_REQUESTS),
        "alike_fixed": f"{alike.fixed_per_s:.1f}",
        "alike_anew": f"{alike.anew_per_s:.1f}",
        "alike_ratio": f"{alike.ratio:.1f}",
        "unequal_fixed": f"{unequal.fixed_per_s:.1f}",
        "unequal_anew": f"{unequal.anew_per_s:.1f}",
        "unequal_ratio": f"{unequal.ratio:.1f}",
        "shortest_reply": numbers.count(replies.min()),
        "longest_reply": numbers.count(replies.max()),
        "shorts": str(SHORTS),
        "short_reply": numbers.count(SHORT),
        "long_reply": numbers.count(LONG),
    }


def span(key: str) -> str:
    """Return the two ends of a quoted range."""
    return f"{QUOTED[key].value:g} to {QUOTED[key].upper:g}"


def is_halved(above: str, below: str, budget: str) -> bool:
    """Whether one panel reads whole prompts, and the other halves its longest freeze with no later first word."""
    whole_words = [step.word for step in READ_WHOLE]
    for whole, other in ((above, below), (below, above)):
        if whole in whole_words:
            before, after = felt(whole, budget), felt(other, budget)
            if (
                after.freeze_s <= MISSION_SHARE * before.freeze_s
                and after.first_word_s <= before.first_word_s
            ):
                return True
    return False


def who_froze(one: Felt) -> str:
    """Say whose text stood still the longest."""
    if one.num_frozen == 1:
        return f"customer {one.frozen}'s text"
    return f"{one.num_frozen} texts at once, among them customer {one.frozen}'s"


@lru_cache(maxsize=KEPT)
def side_by_side(above: str, below: str, budget: str) -> str:
    """Return what customers feel under two schedulers, as a Markdown table."""
    top, under = felt(above, budget), felt(below, budget)
    rows = {
        "first word, on average": [f"{one.first_word_s:.1f} s" for one in (top, under)],
        "first word, at most": [f"{one.longest_wait_s:.1f} s" for one in (top, under)],
        "longest freeze in a text": [
            f"{numbers.ms(one.freeze_s)} ({who_froze(one)})" for one in (top, under)
        ],
        "last reply done at": [f"{one.last_s:.1f} s" for one in (top, under)],
    }
    lines = [f"| {name} | {' | '.join(cells)} |" for name, cells in rows.items()]
    return "\n".join([f"| | above: {above} | below: {below} |", "|:--|--:|--:|", *lines])
