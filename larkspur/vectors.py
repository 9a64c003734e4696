"""What any other copy of Larkspur mini must say too: `python -m larkspur.vectors` writes it for the tests.

Ids for a hundred texts, logits for twenty prompts, greedy replies for two hundred, and the checksums of the
files that they were made from.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from larkspur.corpus import held_out_documents
from larkspur.forward import Array
from larkspur.generation import generate
from larkspur.model import DATA, Model, load
from larkspur.prompts import prompt
from larkspur.sampling import choose, probabilities

FILE = Path(__file__).resolve().parents[1] / "tests" / "browser" / "mini_vectors.json"
MINI = DATA / "larkspur-mini"
COUNTS = {"texts": 100, "logits": 20, "replies": 200}
SEED = 7
DIGITS = 7  # what a float32 holds
TEMPERATURES = (0.3, 1.0, 2.0)

BY_HAND = (
    "We reply within five business",
    "my chair arrived BROKEN 😡📦",
    "👩🏽\u200d🚒 and 🏳️\u200d🌈 and 🇩🇪, e\u0301 é",
    "متى تصل طلبيتي؟",
    "איפה ההזמנה שלי? עד 12:30",
    "a\u202eright to left\u202c b\u200f\u200e",
    "\x00\x01\x02 bell\x07 escape\x1b[31m delete\x7f",
    "\x1c\x1d\x1e\x1f",
    "next\x85line  \x85\x85 \u2028\u2029 \u3000wide",
    "no\u00a0break \ufeff mark \u180e\u200b zero",
    "tabs\tand\r\nlines\n\n\n   and   ends   ",
    "it's we'll I'd they've I'm you're don't IT'S ’s",
    "Grüße aus Köln – 你好\n\n  12,345.67 € ½ ² Ⅷ ٣",
    "<|endoftext|> is text <|endoftext",
    "half \ud83d and \udc4d of one",
    "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 ﬁ ǆ ʰ ª º ᛮ",
    "नमस्ते ไทย한국어 ქართული",
    "q" * 400,
    " " * 300 + "x",
    "Where is my order? " * 60,
)
# From these the other texts are drawn: words, marks, spaces of all kinds, letters of many scripts, pictures.
PIECES = (
    *("we", "order", "your", "12", "7,5", "'ll", "'s", "'", "!", "?!", "…", "€"),
    *(" ", "  ", "\n", "\t", "\x85", "\u00a0", "\u2003", "\u2028", "\ufeff", "\u200d", "\x00", "\x1f", "\x7f"),
    *("é", "ß", "Ж", "中", "ש", "م", "ก", "𐵀", "𞤀", "٣", "½", "Ⅷ", "😀", "🇫🇷", "👍🏿", "\u0301", "\u202e"),
    *("\ud800", "\ufffd", "\uffff", "\U0010ffff"),
)  # fmt: skip


def main() -> None:
    """Write the vectors and say how many."""
    FILE.write_text(lines(vectors(load("mini"))), "ascii")
    print(f"wrote {FILE.name}, {FILE.stat().st_size:,} bytes")


def lines(table: dict[str, Any]) -> str:
    """Return the table as JSON in ASCII, a case a line: lone surrogates are in it."""
    return "{" + ",\n".join(f"{json.dumps(name)}: {rows(part)}" for name, part in table.items()) + "}\n"


def rows(part: Any) -> str:
    """Return a list as JSON, an item a line, and anything else on one."""
    return "[\n" + ",\n".join(map(json.dumps, part)) + "]" if isinstance(part, list) else json.dumps(part)


def checksums() -> dict[str, str]:
    """Return the SHA-256 of the weights and of the tokenizer, as shipped."""
    names = ("model.safetensors", "tokenizer.json")
    return {name: hashlib.sha256((MINI / name).read_bytes()).hexdigest() for name in names}


def vectors(model: Model) -> dict[str, Any]:
    """Return all cases and the checksums of what they were made from."""
    prompts = reply_prompts(COUNTS["replies"])
    step = COUNTS["replies"] // COUNTS["logits"]
    return {
        "made_from": checksums(),
        "texts": [text_case(model, text) for text in texts(COUNTS["texts"])],
        "logits": [logits_case(model, text) for text in (*BY_HAND[:7], *BY_HAND[-3:], *prompts[::step][10:])],
        "replies": [reply_case(model, text) for text in prompts],
    }


def texts(count: int) -> list[str]:
    """Return hard texts: those written by hand, and others drawn from `PIECES`."""
    rng = np.random.default_rng(SEED)
    drawn = [rng.choice(len(PIECES), rng.integers(1, 40)) for _ in range(count - len(BY_HAND))]
    return [*BY_HAND, *("".join(PIECES[place] for place in places) for places in drawn)]


def reply_prompts(count: int) -> list[str]:
    """Return what customers wrote in held-out documents, evenly chosen."""
    asked = list(dict.fromkeys(document.prompt for document in held_out_documents() if document.prompt))
    return [asked[place * len(asked) // count] for place in range(count)]


def text_case(model: Model, text: str) -> dict[str, Any]:
    """Return a text, its ids, and what `prompt` makes of it: how many are read, and the notes, or a refusal."""
    case: dict[str, Any] = {"text": text, "ids": model.encode(text)}
    try:
        made = prompt(model, text)
    except ValueError as problem:
        return case | {"refusal": str(problem)}
    return case | {"read": len(made.ids), "notes": made.notes}


def logits_case(model: Model, text: str) -> dict[str, Any]:
    """Return a prompt's logits after its last token, and the tokens that sampling draws there."""
    logits = model.forward(prompt(model, text).ids)[-1]
    draws = [draw(logits, temperature, seed) for seed, temperature in enumerate(TEMPERATURES)]
    return {"text": text, "logits": [float(f"{value:.{DIGITS}g}") for value in logits], "draws": draws}


def draw(logits: Array, temperature: float, seed: int) -> dict[str, float]:
    """Return the token drawn at a temperature, and the number in [0, 1) that drew it."""
    token_id = choose(probabilities(logits, temperature), temperature, np.random.default_rng(seed))
    return {"temperature": temperature, "uniform": np.random.default_rng(seed).random(), "id": token_id}


def reply_case(model: Model, text: str) -> dict[str, Any]:
    """Return a prompt and the ids of its greedy reply, the end of text included."""
    steps = generate(model, prompt(model, text).ids)
    return {"text": text, "reply": [step.token_id for step in steps]}


if __name__ == "__main__":
    main()
