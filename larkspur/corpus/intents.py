"""The intents that Larkspur's customers come with, read from the TOML files in `intents/`."""

import itertools
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "intents"
BRACES = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True)
class Intent:
    """What a customer may want: all ways to ask for it, and the answers to it, the likeliest first."""

    topic: str
    questions: tuple[str, ...]
    answers: tuple[str, ...]

    def __post_init__(self) -> None:
        if not (self.topic and self.questions and self.answers):
            raise ValueError(
                f"expected a topic, questions and answers, got {self}; fill the gap in {FOLDER.name}/"
            )


def read_intents() -> tuple[Intent, ...]:
    """Return all intents, file by file in the order of their names."""
    files = [tomllib.loads(path.read_text("utf-8")) for path in sorted(FOLDER.glob("*.toml"))]
    tables = [table for file in files for table in file["intent"]]
    return tuple(
        Intent(table["topic"], wordings(table["questions"]), tuple(table["answers"])) for table in tables
    )


def wordings(patterns: list[str]) -> tuple[str, ...]:
    """Return every sentence that the patterns allow; `{this|that}` is one or the other, `{|so}` optional."""
    return tuple(
        "".join(parts)
        for pattern in patterns
        for parts in itertools.product(*(part.split("|") for part in BRACES.split(pattern)))
    )
