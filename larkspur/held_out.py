"""Some of the texts that training never saw, to measure a model on; `python -m larkspur.corpus` writes them."""

import json
from functools import cache

from larkspur.model import DATA

FILE = DATA / "held_out_sample.jsonl"


@cache
def held_out_texts() -> tuple[str, ...]:
    """Return the shipped sample of different held-out texts."""
    return tuple(json.loads(line) for line in FILE.read_text("utf-8").splitlines())
