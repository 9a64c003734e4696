"""The four schedulers that chapter 3 compares, by the year in which each was new, and Monday served by them."""

from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
import pandas as pd

from pages.ui.charts import KEPT
from pages.ui.cited import cite_work
from pages.ui.served import server
from sim import MONDAY_START, MONDAY_TARGETS, Run, Settings, Trace, monday, monday_table, simulate

SEATS = MONDAY_START.max_num_seqs
BUDGETS = ("128", "256", "512", "1024", "2048")  # tokens that a pass may compute
DEFAULT_BUDGET = "512"


@dataclass(frozen=True)
class Scheduler:
    """A way to decide who is in the next pass: its word here, the engine's, its system and year, its rule."""

    word: str
    scheduler: str
    system: str
    year: int
    rule: str


FIXED = Scheduler(
    "fixed batches",
    "request-level",
    "FasterTransformer",
    2021,
    "A batch is formed and read together; nobody enters until the longest reply in it is written.",
)
ANEW = Scheduler(
    "decided anew",
    "iteration-level",
    "Orca",
    2022,
    "After every pass the finished leave and the waiting enter; a newcomer's whole prompt is read in the same "
    "pass in which the others write.",
)
PROMPTS_FIRST = Scheduler(
    "prompts first",
    "prefill-first",
    "vLLM V0, the first engine of that open server",
    2023,
    "Decided anew too, but newcomers' whole prompts are read in passes of their own, and nobody writes meanwhile.",
)
IN_PIECES = Scheduler(
    "in pieces",
    "chunked",
    "Sarathi-Serve 2024, the default of V1, vLLM's second engine",
    2024,
    "Decided anew, with a limit on the tokens of a pass: everyone seated writes first, and what is left of the "
    "limit reads the next piece of a newcomer's prompt.",
)
LADDER = (FIXED, ANEW, PROMPTS_FIRST, IN_PIECES)
WORDS = tuple(step.word for step in LADDER)
CITED = tuple(cite_work(name) for name in ("sarathi-serve", "vllm-optimization"))
READ_WHOLE = (ANEW, PROMPTS_FIRST)  # where a whole prompt joins while others write
UNLIMITED = (FIXED, ANEW)  # which know no limit on the tokens of a pass


def step(word: str) -> Scheduler:
    """Return the scheduler that is called `word` here."""
    return LADDER[WORDS.index(word)]


@cache
def told() -> str:
    """Return the ladder as Markdown, a line a scheduler."""
    return "\n".join(f"- **{one.year} · {one.word}** ({one.system}). {one.rule}" for one in LADDER)


@cache
def rush() -> Trace:
    """Return Monday's requests."""
    return monday()


@cache
def topics() -> tuple[str, ...]:
    """Return what each of Monday's customers asks about."""
    return tuple(monday_table()["topic"])


def settings(word: str, budget: str = DEFAULT_BUDGET) -> Settings:
    """Return the chapter's settings: they differ in the scheduler, and in the tokens of a pass."""
    return Settings(scheduler=step(word).scheduler, max_num_seqs=SEATS, max_num_batched_tokens=int(budget))


def heeded(word: str, budget: str) -> str:
    """Return the limit by which a scheduler goes: the default stands for any where it knows none."""
    return DEFAULT_BUDGET if step(word) in UNLIMITED else budget


def served(word: str, budget: str = DEFAULT_BUDGET) -> Run:
    """Return Monday served by a scheduler; visitors share it, and its frames are built once."""
    return run_of(word, heeded(word, budget))


@lru_cache(maxsize=KEPT)
def run_of(word: str, budget: str) -> Run:
    """Return Monday served by a scheduler under a limit that it heeds."""
    return simulate(rush(), server(), settings(word, budget), MONDAY_TARGETS)


@dataclass(frozen=True)
class Felt:
    """What customers felt in a run, in seconds; `frozen` is the number of the first whose text froze longest.

    `num_frozen` is how many texts stood still in that same freeze.
    """

    first_word_s: float
    longest_wait_s: float
    freeze_s: float
    frozen: int
    num_frozen: int
    last_s: float


@lru_cache(maxsize=KEPT)
def felt(word: str, budget: str = DEFAULT_BUDGET) -> Felt:
    """Return what Monday's customers felt under a scheduler."""
    requests = served(word, budget).requests
    return Felt(
        first_word_s=requests["ttft_s"].mean(),
        longest_wait_s=requests["ttft_s"].max(),
        freeze_s=requests["longest_gap_s"].max(),
        frozen=int(np.argmax(requests["longest_gap_s"])) + 1,
        num_frozen=int(np.isclose(requests["longest_gap_s"], requests["longest_gap_s"].max()).sum()),
        last_s=requests["finish_s"].max(),
    )


@cache
def peak_share() -> float:
    """Return the largest share of the memory that any of the four holds on Monday, whatever a pass may compute."""
    runs = (served(word, budget) for word in WORDS for budget in BUDGETS)
    return max(float(run.summary()["peak_kv_share"]) for run in runs)


def customers(above: str, below: str, budget: str) -> pd.DataFrame:
    """Return a row a customer and scheduler: when it came, was seated, got its first word and its last."""
    frames = []
    for word in (above, below):
        requests = served(word, budget).requests
        columns = {
            "scheduler": word,
            "customer": requests.index + 1,
            "topic": topics(),
            "prompt_tokens": rush().prompt_tokens,
            "reply_tokens": rush().output_tokens,
            "arrival_s": requests["arrival_s"],
            "seated_s": requests["admitted_s"],
            "first_word_after_s": requests["ttft_s"],
            "done_after_s": requests["e2e_s"],
            "longest_freeze_ms": requests["longest_gap_s"] * 1e3,
        }
        frames.append(pd.DataFrame(columns))
    return pd.concat(frames, ignore_index=True)
