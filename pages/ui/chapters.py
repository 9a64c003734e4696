"""The table of pages: what each asks, how long it takes, and whether it is written yet."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Page:
    """A page of the app: its file, as Streamlit names it, and its title."""

    path: str
    title: str

    @cached_property
    def is_ready(self) -> bool:
        """Whether the page is written; one that is not stands in the menu as coming."""
        return (ROOT / self.path).exists()

    @property
    def slug(self) -> str:
        """The page's short name: its text file and the prefix of its settings."""
        return Path(self.path).stem

    @property
    def address(self) -> str:
        """The last part of the page's address, as Streamlit makes it from the file's name."""
        return "" if self.path == "app.py" else self.slug.partition("_")[2]


@dataclass(frozen=True)
class Chapter(Page):
    """One of the seven chapters."""

    number: int
    question: str
    minutes: int


OVERVIEW = Page("app.py", "Overview")

CHAPTERS = (
    Chapter(
        "pages/1_prefill_and_decode.py",
        "Prefill and decode",
        1,
        "Why does a reply's first token take a different time from every token after it?",
        7,
    ),
    Chapter(
        "pages/2_the_kv_cache_at_scale.py",
        "The KV cache at scale",
        2,
        "How much memory does the KV cache take on a real server, and what does that limit?",
        9,
    ),
    Chapter(
        "pages/3_batching.py",
        "Batching",
        3,
        "How can one server answer many customers at once without the quick waiting for the slow?",
        10,
    ),
    Chapter(
        "pages/4_smaller_numbers.py",
        "Smaller numbers",
        4,
        "What does storing the weights in fewer bits save, and what does it cost?",
        10,
    ),
    Chapter(
        "pages/5_guess_ahead.py",
        "Guess ahead",
        5,
        "How can a small model make a big one faster without changing a word of its reply?",
        12,
    ),
    Chapter(
        "pages/6_pace_or_throughput.py",
        "Pace or throughput",
        6,
        "What does a bigger batch buy, and what does each customer pay for it?",
        8,
    ),
    Chapter(
        "pages/7_serve_larkspurs_monday.py",
        "Serve Larkspur's Monday",
        7,
        "Which serving settings get the most of Monday's customers their reply on target?",
        14,
    ),
)

TRUST = Page("pages/9_how_far_to_trust_it.py", "How far to trust it")
GLOSSARY = Page("pages/8_glossary.py", "Glossary")
SOURCES = Page("pages/10_sources.py", "Sources")

PAGES = (OVERVIEW, *CHAPTERS, TRUST, GLOSSARY, SOURCES)  # the walk, from its first page to its last


def chapter(number: int) -> Chapter:
    """Return chapter `number`, from 1 to 7."""
    return CHAPTERS[number - 1]


def beside(page: Page) -> tuple[Page | None, Page | None]:
    """Return the pages that a walk comes to before and after `page`: the nearest ones that are written.

    The first has none before it; after the last the walk begins anew.
    """
    place = PAGES.index(page)
    before = next((one for one in reversed(PAGES[:place]) if one.is_ready), None)
    after = next((one for one in PAGES[place + 1 :] if one.is_ready), OVERVIEW)
    return before, after


def called(page: Page) -> str:
    """Return a page's name with its number: 3 · Batching."""
    return f"{page.number} · {page.title}" if isinstance(page, Chapter) else page.title


def chapter_to_do(done: frozenset[int]) -> Chapter | None:
    """Return the first chapter that is written and not done yet, or None where there is none."""
    return next((one for one in CHAPTERS if one.is_ready and one.number not in done), None)
