"""Many people on one server: each has their own settings, a restart loses nothing that is in the link."""

import asyncio
from collections.abc import Iterator
from random import Random

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState

from benchmarks.visitor import Visitor, another_value, visiting
from pages.ui import blamed, ladder
from pages.ui.chapters import PAGES, Page, chapter
from tests.browser.serving import serving

pytestmark = pytest.mark.slow  # left to dev.py test


READY = [page for page in PAGES if page.is_ready]
ROUNDS = 10
READERS = ("Engineer", "Analyst")
# In lines of what this very server took, which is told in ms where it was slow for a moment.
MEASURED = ("µs", "| the whole reply, ", "| the pass that reads |", "| a later pass ", "| runs of one pass |")
MEASURED += ("| one pass of the student |", "| a pass of mini over ")
PAST = ("Solved earlier in this visit", "Your guess, a diamond", "Faint tails")  # which no link tells

MOST_OF_A_PAGE = 0.75
BATCHING = {"below": ladder.ANEW.word, "budget": ladder.DEFAULT_BUDGET}
PACE = {"texts": "as they are", "price": "2"}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving() as served:
        yield served.url


@pytest.fixture(scope="module")
def restarted_url() -> Iterator[str]:
    """The address of a server that has never heard of the visitors of the other."""
    with serving() as served:
        yield served.url


def unmeasured(words: str) -> list[str]:
    """Return the sentences of lines without a time measured on this very server, but for those on what was before."""
    lines = (line for line in words.splitlines() if not any(sign in line for sign in MEASURED))
    sentences = (sentence for line in lines for sentence in line.split(". "))
    return [sentence.rstrip(".") for sentence in sentences if not any(sign in sentence for sign in PAST)]


async def moved(visitor: Visitor, rng: Random) -> None:
    """Move some control of this visitor's own page; the reader stays, so that it tells whose page this is."""
    controls = [(widget, part) for widget, part in visitor.controls() if not widget.endswith("-reader")]
    if controls:
        widget, part = rng.choice(controls)
        await visitor.move(widget, another_value(part, rng))


async def alone(url: str, page: Page, reader: str, seed: int) -> tuple[dict[str, str], str]:
    """Return the address and the words that somebody gets who is alone on the server."""
    rng = Random(seed)
    async with visiting(url) as visitor:
        await visitor.open(page.address, shown="yes", reader=reader)
        for _ in range(ROUNDS):
            await moved(visitor, rng)
        return visitor.query, visitor.words()


async def together(url: str, page: Page) -> list[tuple[dict[str, str], str]]:
    """Return what two get who move their controls at the same time."""
    rngs = [Random(seed) for seed in range(len(READERS))]
    async with visiting(url) as one, visiting(url) as other:
        both = (one, other)
        for visitor, reader in zip(both, READERS, strict=True):
            await visitor.open(page.address, shown="yes", reader=reader)
        for _ in range(ROUNDS):
            await asyncio.gather(*(moved(visitor, rng) for visitor, rng in zip(both, rngs, strict=True)))
        return [(visitor.query, visitor.words()) for visitor in both]


@pytest.mark.slow
@pytest.mark.parametrize("page", READY, ids=lambda page: page.slug)
def test_two_visitors_at_once_see_what_each_would_see_alone(url: str, page: Page) -> None:
    both = asyncio.run(together(url, page))
    each = [asyncio.run(alone(url, page, reader, seed)) for seed, reader in enumerate(READERS)]
    assert both == each
    assert [query["reader"] for query, _ in both] == list(READERS)


@pytest.mark.slow
@pytest.mark.parametrize("page", READY, ids=lambda page: page.slug)
def test_the_link_brings_a_visit_back_after_a_restart(url: str, restarted_url: str, page: Page) -> None:
    async def returned() -> tuple[dict[str, str], str]:
        async with visiting(restarted_url) as visitor:
            await visitor.open(page.address, **link)
            return visitor.query, visitor.words()

    link, said = asyncio.run(alone(url, page, "Engineer", 5))
    query, words = asyncio.run(returned())
    assert query == link
    assert unmeasured(words) == unmeasured(said)


@pytest.mark.parametrize(
    ("address", "link", "name", "value", "others"),
    [
        ("the_kv_cache_at_scale", {"length": "900"}, "bits", "4", {"reserved": "Max"}),
        ("prefill_and_decode", {"prompt": "1200"}, "reply", 40, {}),
        ("batching", {"above": ladder.PROMPTS_FIRST.word}, "customer", 12, BATCHING),
        ("pace_or_throughput", {"promise": "25", "cap": "3"}, "rate", 90, PACE),
    ],
)
def test_a_part_that_runs_alone_sends_itself_and_writes_the_whole_address(
    url: str, address: str, link: dict[str, str], name: str, value: str | int, others: dict[str, str]
) -> None:
    async def moving() -> tuple[Visitor, int, str]:
        async with visiting(url) as visitor:
            await visitor.open(address, shown="yes", reader="Analyst", **link)
            part = await moved_to(visitor, name, value)
            return visitor, sum(part == one for one in visitor.part_of.values()), part

    visitor, its_own, part = asyncio.run(moving())
    assert part
    assert 0 < its_own < len(visitor.shown) * MOST_OF_A_PAGE
    assert visitor.query == {"reader": "Analyst", "shown": "yes", name: str(value)} | link | others


@pytest.mark.parametrize("page", READY, ids=lambda page: page.slug)
def test_what_stands_behind_a_part_stays_where_it_is_when_the_part_is_taken_away(
    url: str, page: Page
) -> None:
    async def opened() -> Visitor:
        async with visiting(url) as visitor:
            return await visitor.open(page.address, shown="yes")

    visitor = asyncio.run(opened())
    for part in set(visitor.part_of.values()) - {""}:
        inside = [place for place, its in visitor.part_of.items() if its == part]
        root, row, *_ = min(inside)
        assert all(place[:3] == (root, row, 0) for place in inside)
        beside = (root, row, 1)
        assert visitor.shown[beside].HasField("empty")
        assert visitor.part_of[beside] == ""


def test_a_part_goes_by_all_that_was_last_set_in_it(url: str) -> None:
    async def told() -> str:
        async with visiting(url) as visitor:
            await visitor.open("batching", shown="yes")
            await moved_to(visitor, "below", ladder.IN_PIECES.word)
            await moved_to(visitor, "budget", "128")
            await moved_to(visitor, "customer", 12)
            return visitor.words()

    words = asyncio.run(told())
    for word, budget in ((ladder.FIXED.word, ladder.DEFAULT_BUDGET), (ladder.IN_PIECES.word, "128")):
        assert blamed.told(word, budget, 12) in words
    assert blamed.told(ladder.ANEW.word, ladder.DEFAULT_BUDGET, 10) not in words


def test_the_first_answer_to_the_check_marks_the_page_and_a_touched_setting_settles_the_link(
    url: str,
) -> None:
    async def visits() -> list[tuple[str, dict[str, str]]]:
        seen = []
        async with visiting(url) as visitor:
            await visitor.open("the_kv_cache_at_scale", shown="yes", bits="5")
            seen.append((visitor.words(), visitor.query))
            await moved_to(visitor, "bits", "8")
            seen.append((visitor.words(), visitor.query))
            await moved_to(visitor, "check", "Twice as many")
            seen.append((visitor.words(), visitor.query))
        return seen

    (wrong, _), (settled, _), (done, query) = asyncio.run(visits())
    assert "The link asks for “bits = 5”" in wrong
    assert "The link asks for" not in settled
    assert f"Chapter 2 of 7 · {chapter(2).minutes} minutes · :material/check_circle: done" not in settled
    assert f"Chapter 2 of 7 · {chapter(2).minutes} minutes · :material/check_circle: done" in done
    assert query["done"] == "2"


async def moved_to(visitor: Visitor, name: str, value: str | int) -> str:
    """Set the control called `name`, and return the part of the page in which it stands."""
    widget, element = next(one for one in visitor.controls() if one[0].endswith(f".{name}"))
    asked = WidgetState()
    if isinstance(value, int):
        asked.double_array_value.data.append(value)
    elif element.HasField("radio"):
        asked.string_value = value
    else:
        asked.string_array_value.data.append(value)
    part = visitor.part_with(widget)
    await visitor.move(widget, asked)
    return part
