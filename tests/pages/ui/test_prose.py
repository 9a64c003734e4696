"""The texts: every passage can be filled, and no number that a page computes is typed in one."""

import re

import pytest

from pages.ui.chapters import CHAPTERS
from pages.ui.frame import READERS
from pages.ui.prose import PLACE, TEXTS, escape, passages, say

FILES = sorted(TEXTS.glob("*.md"))
NAMES = re.compile(
    r"OPT-13B|OPT-125M|A100 80 GB|GPT-3|WikiText2|T5-XXL|vLLM V1|FP8|INT8|1,024³|chapter \d|module 13|in 1,024s"
    r"|of 2022|in 2022"
    r"|\*[^*]+\*'? ended its chapter \d",
    re.I,
)
QUOTED_OF_GPTQ = "175 billion from 16 to 3 or 4 bits each"
NUMBER_WORDS = re.compile(r"\b(half|twice|double|doubles|halves|hundred|thousand|million|dozen)\b", re.I)
FORMULAS = ("2 × parameters × tokens", "batch × (g + 1)", "min(1, p ÷ q)")


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_no_figure_is_typed_into_a_text(file: object) -> None:
    for key, passage in passages(file.stem, 0).items():  # type: ignore[attr-defined]
        bare = NAMES.sub("", PLACE.sub("", passage)).replace(QUOTED_OF_GPTQ, "")
        for formula in FORMULAS:
            bare = bare.replace(formula, "")
        assert not re.search(r"\d", bare), f"{key}: {re.findall(r'[^ ]*[0-9][^ ]*', bare)}"
        assert not NUMBER_WORDS.search(bare), f"{key}: {NUMBER_WORDS.findall(bare)}"


def test_a_passage_or_number_that_is_missing_is_named() -> None:
    with pytest.raises(KeyError, match="no passage 'nothing'"):
        say("app", "nothing")
    with pytest.raises(KeyError, match="prompt"):
        say("app", "example")


def test_every_chapter_that_is_written_has_a_text_and_three_readings() -> None:
    for chapter in CHAPTERS:
        if chapter.is_ready:
            assert {f"shows.{reader}" for reader in READERS} <= set(passages(chapter.slug, 0))


@pytest.mark.parametrize("text", ["**a** _b_ `c`", "$x$ :red[y] [z](w)", "<b>&amp;</b>", "a|b # c ~ \\ ^"])
def test_escaped_text_has_no_mark_left_unescaped(text: str) -> None:
    assert not re.search(r"(?<!\\)(?:\\\\)*[*_`$\[\]<>|#~&:]", escape(text))


def test_nothing_of_a_readers_text_becomes_a_link_or_turns_the_line() -> None:
    shown = escape("see http://evil.test or WWW.evil.test, mail me@evil.test\N{RIGHT-TO-LEFT OVERRIDE}x\0")
    assert not re.search(r"://|www\.|www\\\.|\w@", shown, re.IGNORECASE)
    assert "\N{RIGHT-TO-LEFT OVERRIDE}" not in shown
    assert "\0" not in shown
