"""The recipe of a Monday: who writes to an office and garden supplier in its worst seconds, and when.

A few early requests, a burst, a lull, then a steady rest. A question brings the customer's order or the
product's page along; three customers paste a whole document.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

SEED = 15


@dataclass(frozen=True)
class Stretch:
    """Requests that arrive at random within [start_s, end_s); the middle one brings a document."""

    start_s: float
    end_s: float
    requests: int


EARLY, BURST, REST = Stretch(0.0, 1.1, 6), Stretch(1.2, 1.9, 10), Stretch(3.0, 4.2, 8)
QUESTION_TOKENS, QUESTION_REPLY_TOKENS = (500, 1050), (150, 260)  # least, most
DOCUMENT_TOKENS, DOCUMENT_REPLY_TOKENS = (1300, 1750), (150, 260)

DOCUMENTS = (
    "supplier contract to summarize",
    "tender for a school's desks and chairs",
    "greenhouse assembly manual to shorten",
)
QUESTIONS = (
    "where is my order of printer paper",
    "return a desk lamp that flickers",
    "which compost suits tomatoes",
    "invoice with the wrong address",
    "toner for an old laser printer",
    "delivery to a third floor",
    "bulk price for 40 office chairs",
    "hedge trimmer does not start",
    "change the delivery day",
    "garden hose leaks at the tap",
    "ink cartridge not recognized",
    "which shredder for ten people",
    "refund has not arrived",
    "lawn seed for a shady yard",
    "missing screws for a bookcase",
    "standing desk moves by itself",
    "cancel half of an order",
    "bird feeder out of stock",
    "warranty of a label printer",
    "watering timer keeps resetting",
    "gift card is not accepted",
)


def rush(seed: int | np.random.SeedSequence) -> pd.DataFrame:
    """Return one Monday: a row a request with `id, arrival_s, topic, prompt_tokens, output_tokens`.

    Arrivals, lengths and topics are drawn from streams of their own, so that one can change alone.
    """
    source = np.random.SeedSequence(seed) if isinstance(seed, int) else seed
    arrivals, lengths, topics = (np.random.default_rng(stream) for stream in source.spawn(3))
    arrival_s, is_document = _arrivals(arrivals)
    table = pd.DataFrame({"arrival_s": arrival_s, "topic": _topics(topics, is_document)})
    table["prompt_tokens"] = _draw(lengths, is_document, QUESTION_TOKENS, DOCUMENT_TOKENS)
    table["output_tokens"] = _draw(lengths, is_document, QUESTION_REPLY_TOKENS, DOCUMENT_REPLY_TOKENS)
    table.insert(0, "id", np.arange(1, len(table) + 1))
    return table


def csv_bytes(table: pd.DataFrame) -> bytes:
    """Return the bytes of the file: milliseconds in three digits, lines ending in a line feed."""
    return table.to_csv(index=False, float_format="%.3f", lineterminator="\n").encode()


def _arrivals(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return arrivals rounded to milliseconds, the first at 0, and which of them bring a document."""
    stretches = (EARLY, BURST, REST)
    times_s = [np.sort(rng.uniform(each.start_s, each.end_s, each.requests)) for each in stretches]
    arrival_s = np.concatenate(times_s)
    is_document = np.concatenate([np.arange(each.requests) == each.requests // 2 for each in stretches])
    return np.round(arrival_s - arrival_s[0], 3), is_document


def _topics(rng: np.random.Generator, is_document: np.ndarray) -> list[str]:
    documents, questions = iter(rng.permutation(DOCUMENTS)), iter(rng.permutation(QUESTIONS))
    return [str(next(documents if document else questions)) for document in is_document]


def _draw(
    rng: np.random.Generator, is_document: np.ndarray, question: tuple[int, int], document: tuple[int, int]
) -> np.ndarray:
    """Return whole numbers [n_requests], evenly drawn from a question's range or a document's."""
    questions = rng.integers(*question, size=len(is_document), endpoint=True)
    documents = rng.integers(*document, size=len(is_document), endpoint=True)
    return np.where(is_document, documents, questions)
