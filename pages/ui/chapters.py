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
        "Why does the first token of a reply take another time than all that follow?",
        7,
    ),
    Chapter(
        "pages/2_the_kv_cache_at_scale.py",
        "The KV cache at scale",
        2,
        "How much memory does the KV cache take on a real server, and what does that limit?",
        8,
    ),
    Chapter(
        "pages/3_batching.py",
        "Batching",
        3,
        "How can one server answer many customers at once without the quick waiting for the slow?",
        7,
    ),
    Chapter(
        "pages/4_smaller_numbers.py",
        "Smaller numbers",
        4,
        "What does storing the weights in fewer bits save, and what does it cost?",
        7,
    ),
    Chapter(
        "pages/5_guess_ahead.py",
        "Guess ahead",
        5,
        "How can a small model make a big one faster without changing a word of its reply?",
        7,
    ),
    Chapter(
        "pages/6_pace_or_throughput.py",
        "Pace or throughput",
        6,
        "What does a bigger batch buy, and what does each customer pay for it?",
        6,
    ),
    Chapter(
        "pages/7_serve_larkspurs_monday.py",
        "Serve Larkspur's Monday",
        7,
        "Which serving settings get the most of Monday's customers their reply on target?",
        8,
    ),
)

TRUST = Page("pages/9_how_far_to_trust_it.py", "How far to trust it")

PAGES = (OVERVIEW, *CHAPTERS, TRUST)


def chapter(number: int) -> Chapter:
    """Return chapter `number`, from 1 to 7."""
    return CHAPTERS[number - 1]


def beside(page: Chapter) -> tuple[Page, Page | None]:
    """Return the pages before and after a chapter; after the last there is none."""
    before = chapter(page.number - 1) if page.number > 1 else OVERVIEW
    after = chapter(page.number + 1) if page.number < len(CHAPTERS) else None
    return before, after
