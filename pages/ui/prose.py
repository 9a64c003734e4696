"""The texts of the pages: Markdown files in `pages/text`, one a page, one `## key` a passage."""

import re
import time
import unicodedata
from functools import lru_cache
from pathlib import Path

from pages.ui.numbers import spaced

TEXTS = Path(__file__).parents[1] / "text"
TAKEN_AWAY = "plan_"  # texts that leave as files, where a space is a space
HIDDEN = {"Cc", "Cf", "Cs", "Co"}  # kinds of signs that show nothing, or turn the direction of what follows
APART_UNSEEN = "\N{ZERO WIDTH SPACE}"  # where Markdown would make a link of a bare address
PLACE = re.compile(r"\{\{(\w+)\}\}")


def say(page: str, key: str, **numbers: str) -> str:
    """Return a passage with its numbers filled in; KeyError names a passage or a number that is missing."""
    text = passages(page, changed_ns(page, int(time.monotonic())))
    if key not in text:
        raise KeyError(f"{page}.md has no passage '{key}'")
    filled = PLACE.sub(lambda place: numbers[place[1]], text[key])
    if page.startswith(TAKEN_AWAY):
        return filled
    return "`".join(part if place % 2 else spaced(part) for place, part in enumerate(filled.split("`")))


@lru_cache(maxsize=64)
def changed_ns(page: str, _second: int) -> int:
    """Return when a page's texts were last changed, looked up once a second: a page says many passages a run."""
    return (TEXTS / f"{page}.md").stat().st_mtime_ns


@lru_cache(maxsize=64)
def passages(page: str, _changed_ns: int) -> dict[str, str]:
    """Return the passages of one page by their keys."""
    blocks = re.split(r"^## +(.+)$", (TEXTS / f"{page}.md").read_text("utf-8"), flags=re.MULTILINE)[1:]
    return {key.strip(): body.strip() for key, body in zip(blocks[::2], blocks[1::2], strict=True)}


def escape(text: str) -> str:
    """Return a reader's or a model's text so that Markdown shows it as it is: no marks, no links, no hidden signs."""
    shown = "".join(sign for sign in text if sign.isspace() or unicodedata.category(sign) not in HIDDEN)
    text = re.sub(r"(?i)(?<=:)(?=//)|(?<=www)(?=\.)|(?=@)", APART_UNSEEN, shown)
    return re.sub(r"([\\`*_{}\[\]()#+\-.!$:|<>~&^])", r"\\\1", text)
