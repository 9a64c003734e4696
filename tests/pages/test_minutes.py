"""What a chapter says it takes is what its words take to read, and its tasks to do."""

import re
from collections.abc import Iterator

import pytest
from streamlit.testing.v1.element_tree import Block, Element

from pages.ui.chapters import CHAPTERS, Chapter
from tests.pages.conftest import Open

WORDS_A_MINUTE = 220
TASKS_MINUTES = 4  # the guess, the run, the mission, two checks
MORE_MINUTES = {7: 2}  # to search, to have other Mondays tried, and to read what comes of it
READ = ("markdown", "caption", "header", "subheader", "title")
FOLDED = ("expander", "expandable", "popover")


def open_elements(block: Block) -> Iterator[Element]:
    """Return what stands on a page without opening anything."""
    for child in block.children.values():
        if not isinstance(child, Block):
            yield child
        elif child.type not in FOLDED:
            yield from open_elements(child)


@pytest.mark.slow
@pytest.mark.usefixtures("searched")
@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda one: one.slug)
def test_a_chapters_minutes_are_its_words_and_tasks(open_page: Open, chapter: Chapter) -> None:
    link = {"shown": "yes"} | ({"search": "yes"} if chapter.number == 7 else {})
    at = open_page(chapter.path, **link)
    read = [str(one.value) for one in open_elements(at.main) if one.type in READ]
    num_words = sum(len(re.findall(r"[\w’']+", text)) for text in read)
    minutes = num_words / WORDS_A_MINUTE + TASKS_MINUTES + MORE_MINUTES.get(chapter.number, 0)
    assert chapter.minutes == pytest.approx(minutes, abs=1)
