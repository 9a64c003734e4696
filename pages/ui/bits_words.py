"""Replies side by side: which words of one are not those of the other, underlined."""

from collections.abc import Iterator
from difflib import SequenceMatcher
from functools import lru_cache
from html import escape

import pandas as pd

from larkspur.tokenizer import END_OF_TEXT_ID
from pages.ui.bits_models import FEWER, FULL, WIDTHS, Replies

GAP = "…"  # stands where words of the full reply are missing
NOTHING = "(no word at all)"


def marked(reply: str, full: str) -> list[tuple[str, bool]]:
    """Return the reply in pieces of words, each with whether it differs from the full one; gaps differ."""
    before, after = full.split(), reply.split()
    pieces: list[tuple[str, bool]] = []
    for tag, _, _, start, end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "delete":
            pieces.append((GAP, True))
        else:
            pieces.append((" ".join(after[start:end]), tag != "equal"))
    return pieces


def changed_words(reply: str, full: str) -> int:
    """Return how many words of a reply are not in the full one's place."""
    return sum(len(words.split()) for words, differs in marked(reply, full) if differs and words != GAP)


@lru_cache(maxsize=64)
def reply_rows(shown: Replies | None, is_revealed: bool) -> str:
    """Return the replies as HTML, a row a width; those of fewer bits only when revealed."""
    told = told_rows(shown, is_revealed)
    return "".join(f"<p><b>{bits} bits</b>{note}<br>{words}</p>" for bits, note, words in told)


def told_rows(shown: Replies | None, is_revealed: bool) -> Iterator[tuple[int, str, str]]:
    """Yield each width, what is noted of it, and its reply with what differs underlined."""
    for bits in WIDTHS:
        if shown is None:
            yield bits, "", "being asked …"
        elif bits == FULL:
            yield bits, "", f"{escape(shown.text(FULL)) or NOTHING}{unended(shown, bits)}"
        elif not is_revealed:
            yield bits, "", "?"
        else:
            yield bits, f" · {verdict(shown, bits)}", f"{underlined(shown, bits)}{unended(shown, bits)}"


def verdict(shown: Replies, bits: int) -> str:
    """Say in a word or two how a reply stands to the one at 16 bits."""
    if shown.at(bits) == shown.full:
        return "the same"
    reply, before = shown.text(bits), shown.text(FULL)
    count = changed_words(reply, before)
    if not reply:
        return "changed: nothing legible left"
    if count:
        return f"changed, {count} word{'s' * (count != 1)} underlined"
    has_gap = any(differs for _, differs in marked(reply, before))
    return "changed: words are missing" if has_gap else "changed, though not in its words"


def underlined(shown: Replies, bits: int) -> str:
    """Return a reply as HTML, what differs underlined."""
    pieces = (
        f"<u><b>{escape(words)}</b></u>" if differs else escape(words)
        for words, differs in marked(shown.text(bits), shown.text(FULL))
    )
    return " ".join(pieces) if shown.text(bits) else NOTHING


def has_gaps(shown: Replies | None, is_revealed: bool) -> bool:
    """Whether a reply on the page has a mark where words of the one at 16 bits are missing."""
    if shown is None or not is_revealed:
        return False
    texts = filter(None, map(shown.text, FEWER))
    return any((GAP, True) in marked(reply, shown.text(FULL)) for reply in texts)


def unended(shown: Replies, bits: int) -> str:
    """Say where a reply was cut off because it did not come to an end."""
    return "" if shown.at(bits)[-1] == END_OF_TEXT_ID else " (and so on: cut off here)"


def replies_table(shown: Replies | None, is_revealed: bool) -> pd.DataFrame:
    """Return a row a width: the reply, its tokens, and how many of its words have changed."""
    widths = WIDTHS if is_revealed else (FULL,)
    rows = [
        (bits, shown.text(bits), len(shown.at(bits)), changed_words(shown.text(bits), shown.text(FULL)))
        for bits in widths
        if shown
    ]
    return pd.DataFrame(rows, columns=["bits", "reply", "reply_tokens", "changed_words"])


def count_same(shown: Replies) -> int:
    """Return at how many of the fewer widths the reply is the same."""
    return sum(shown.at(bits) == shown.full for bits in FEWER)
