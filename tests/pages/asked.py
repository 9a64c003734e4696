"""What each chapter asks of its readers, and what a link may ask of it."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import parse_qsl

from pages.ui.bits_models import WHOLE_ROW
from pages.ui.chapters import chapter
from pages.ui.draft_rate import SAMPLED
from pages.ui.draft_run import QUESTIONS
from pages.ui.kv_lengths import usual_tokens
from pages.ui.ladder import IN_PIECES, PROMPTS_FIRST

Words = tuple[str, ...]


def parsed(link: str) -> dict[str, str]:
    """Return what a link says."""
    return dict(parse_qsl(link, strict_parsing=True))


@dataclass(frozen=True)
class Asked:
    """A chapter: two guesses, which answers are right, links that bring all back, that are reset, that are nonsense."""

    number: int
    guesses: tuple[int, int]
    right: str
    more: str
    link: dict[str, str]
    shows: dict[str, object]  # what controls then show
    nonsense: dict[Words, Words]  # names, and what each of them is asked to be
    beside: dict[str, str] = field(default_factory=dict)  # what else such a link says
    answered: dict[int, str] = field(default_factory=dict)  # what is said of a guess, by how it is off
    moved: dict[str, str] = field(default_factory=dict)  # settings in a link, and
    reset: dict[str, str] = field(default_factory=dict)  # where they start

    @property
    def path(self) -> str:
        """The path of the chapter's page."""
        return chapter(self.number).path

    def nonsense_links(self) -> Iterator[tuple[str, str]]:
        """Yield each name with each value that makes no sense for it."""
        for names, values in self.nonsense.items():
            yield from ((name, value) for name in names for value in values)


PREFILL_AND_DECODE = Asked(
    number=1,
    guesses=(1600, 120),
    right="b",
    more="c",
    link=parsed("guess=300&first=20&check=c&prompt=1200&reply=40&done=137&reader=Engineer"),
    shows={"prompt": 1200},
    nonsense={
        ("guess", "first"): ("much", "-4", "--5", "1e9", "nan", "x" * 5000),
        ("prompt", "reply"): ("0", "99999", "７", "7.5", ""),
        ("check", "more", "shown", "reader"): ("z", "<b>", "__class__"),
    },
)
KV_CACHE = Asked(
    number=2,
    guesses=(70, 7),
    right="c",
    more="b",
    link=parsed("guess=24&first=70&check=c&bits=4&reserved=exact&length=1900&done=12&reader=Engineer"),
    shows={"length": 1900},
    nonsense={
        ("guess", "first"): ("many", "-1", "1e2", "x" * 5000),
        ("length",): ("0", "63", "2049", "７", "64.5", ""),
        ("bits", "reserved", "check", "more", "shown"): ("z", "<b>", ""),
    },
    answered={1: "smaller than your guess", 70: "promised less", 7: "how few"},
    moved={"bits": "4", "reserved": "exact", "length": "2000"},
    reset={"bits": "16", "reserved": "Max", "length": str(usual_tokens())},
)
BATCHING = Asked(
    number=3,
    guesses=(3000, 30),
    right="a",
    more="b",
    link=parsed("guess=300&first=20&check=c&budget=128&customer=12&done=13&reader=Engineer")
    | {"above": PROMPTS_FIRST.word, "below": IN_PIECES.word},
    shows={"above": PROMPTS_FIRST.word, "below": IN_PIECES.word},
    nonsense={
        ("guess", "first"): ("much", "0", "20001", "nan"),
        ("above", "below", "budget"): ("orca", "", "512 ", "x" * 5000),
        ("customer",): ("0", "25", "7.5"),
        ("check", "more", "shown"): ("z",),
    },
    answered={5: "has its price", 30: "You saw", 3000: "Nobody had to"},
)
SMALLER_NUMBERS = Asked(
    number=4,
    guesses=(8, 3),
    right="b",
    more="c",
    link=parsed(
        "guess=3&first=8&check=b&method=rounded&scales=every+16+weights&bits=2&batch=95&done=14&"
        "reader=Analyst"
    ),
    shows={"batch": 95},
    nonsense={
        ("guess", "first"): ("5", "16", "-4", "much", "４", ""),
        ("batch",): ("0", "129", "７", "7.5", ""),
        ("method", "scales", "bits"): ("z", "<b>", "__class__", ""),
        ("check", "more", "shown"): ("z", "<b>"),
    },
    moved={"method": "rounded", "scales": "every 16 weights", "bits": "2", "batch": "95"},
    reset={"method": "GPTQ", "scales": WHOLE_ROW, "bits": "4", "batch": "8"},
)
GUESS_AHEAD = Asked(
    number=5,
    guesses=(72, 40),
    right="a",
    more="b",
    link=parsed(
        "guess=30&first=72&check=c&guesses=6&place=3&draw=9&acceptance=75&ahead=2&batch=33&done=15&"
        "reader=Analyst"
    )
    | {"question": QUESTIONS[3], "pick": SAMPLED},
    shows={"question": QUESTIONS[3], "batch": 33},
    nonsense={
        ("guess", "first"): ("much", "-4", "0", "nan", "91"),
        ("guesses", "place", "draw", "ahead", "batch"): ("0", "99", "７", ""),
        ("acceptance",): ("9", "86", "0.6", ""),
        ("question", "pick", "check", "more", "shown"): ("z", "<b>", ""),
    },
    answered={72: "count each guess by itself", 44: "That is close", 36: "less and less"},
    moved=parsed("guesses=7&place=4&acceptance=33&ahead=8&batch=50") | {"question": QUESTIONS[2]},
    reset=parsed("guesses=4&place=1&acceptance=60&ahead=4&batch=8") | {"question": QUESTIONS[0]},
)
PACE_OR_THROUGHPUT = Asked(
    number=6,
    guesses=(65, 40),
    right="c",
    more="a",
    link=parsed(
        "guess=30&first=3&check=c&texts=doubled&promise=25&price=3.5&rate=90&cap=12&done=16&reader=Analyst"
    ),
    shows={"promise": 25, "price": 3.5},
    nonsense={
        ("guess", "first"): ("much", "-4", "0", "nan"),
        ("promise", "rate", "cap"): ("0", "99999", "７", "7.5", ""),
        ("price",): ("0", "1e3", "-1", "nan", "100", "２", "1.234", ""),
        ("texts", "check", "more", "shown"): ("z", "<b>", "__class__"),
    },
    moved={"texts": "doubled", "promise": "25", "price": "3.5", "rate": "90", "cap": "12"},
    reset={"texts": "as they are", "promise": "40", "price": "2", "rate": "60", "cap": "8"},
)
MONDAY_LINK = parsed(
    "guess=20&first=12&check=b&first_word=1+s&token=30+ms&freeze=any&scheduler=in+pieces&"
    "kv_layout=paged&max_num_seqs=12&num_speculative_tokens=3&weight_bits=8&"
    "max_num_batched_tokens=256&preemption=wait+outside&fewest=8&no_guesses=yes&today=yes&"
    "search=yes&price=3.5&from=the+start&to=the+best&cap=13&export=mine&trust=yes&hint=open&"
    "cards=open&limits=open&two=open&done=16&reader=Analyst"
)
NOT_WORDS = ("done", "reader", "first", "guess", "price")  # tests of what pages share hold these
MONDAY = Asked(
    number=7,
    guesses=(12, 20),
    right="b",
    more="b",
    link=MONDAY_LINK,
    shows={"scheduler": "in pieces", "cap": 13},
    nonsense={
        tuple(name for name in MONDAY_LINK if name not in NOT_WORDS): ("<b>x</b>", "-1", "９", ""),
    },
    beside={"two": "open", "search": "yes"},
)
CHAPTERS = (
    PREFILL_AND_DECODE,
    KV_CACHE,
    BATCHING,
    SMALLER_NUMBERS,
    GUESS_AHEAD,
    PACE_OR_THROUGHPUT,
    MONDAY,
)
