"""Compare both models with Hugging Face's GPT-2, live, and rewrite the vectors of the tests.

`python3 dev.py parity` runs it; it needs the packages in requirements-train.txt.
"""

import hashlib
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from larkspur.corpus import held_out_documents
from larkspur.forward import Array
from larkspur.generation import generate
from larkspur.model import DATA, NAMES, Model, load

VECTORS = Path(__file__).resolve().parents[1] / "tests" / "larkspur" / "vectors.json"
# The student is one layer of large logits, which float32 rounds more coarsely, in PyTorch as well as here.
LARGEST_DIFFERENCE = {"mini": 1e-4, "student": 5e-4}
TEXTS = (
    "We reply within five business",
    "Where is my order?",
    "my chair arrived BROKEN 😡📦",
    "متى تصل طلبيتي؟",
    "Grüße aus Köln – 你好\n\n  12,345.67 €",
)
DIGITS = 7  # what a float32 holds


def main() -> int:
    """Compare, print and write; return 0 if every logit agrees within its limit and every id and reply."""
    results = {name: compare(load(name), DATA / f"larkspur-{name}") for name in NAMES}
    for name, (largest, table) in results.items():
        print(
            f"{name}: largest logit difference to Hugging Face's GPT-2 {largest:.1e} ({table['made_with']})"
        )
    if any(largest > LARGEST_DIFFERENCE[name] for name, (largest, _) in results.items()):
        print(f"expected at most {LARGEST_DIFFERENCE}; the vectors stay as they were")
        return 1
    tables = {name: table for name, (_, table) in results.items()}
    VECTORS.write_text(json.dumps(tables, ensure_ascii=False, indent=1) + "\n", "utf-8")
    print(f"wrote {VECTORS.name}, {VECTORS.stat().st_size:,} bytes")
    return 0


def checkpoint_sha256(folder: Path) -> str:
    """Return the SHA-256 of a checkpoint's weights."""
    return hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()


def compare(model: Model, folder: Path) -> tuple[float, dict[str, Any]]:
    """Return the largest difference between logits, and the table of vectors that Hugging Face gives."""
    theirs = HuggingFace(folder)
    cases = [theirs.case(text) for text in TEXTS]
    for case in cases:
        check_same(case["text"], case["ids"], model.encode(case["text"]))
        check_same(case["text"], case["reply"], [step.token_id for step in generate(model, case["ids"])])
    table = {"checkpoint_sha256": checkpoint_sha256(folder), "made_with": theirs.versions, "cases": cases}
    return max(difference(model, theirs, ids) for ids in id_lists(model)), table


def id_lists(model: Model) -> list[list[int]]:
    """Return what is compared: the texts, all held-out documents and a whole context of random ids."""
    texts = dict.fromkeys([*TEXTS, *(document.text for document in held_out_documents())])
    rng = np.random.default_rng(0)
    return [*(model.encode(text) for text in texts), rng.integers(0, 544, model.config.n_ctx).tolist()]


def difference(model: Model, theirs: "HuggingFace", ids: Sequence[int]) -> float:
    """Return the largest difference of a logit, read at once and read token by token."""
    expected = theirs.logits(ids)
    cache = model.new_cache()
    one_by_one = np.concatenate([model.forward([token_id], cache) for token_id in ids])
    at_once = model.forward(ids)
    return float(max(np.abs(at_once - expected).max(), np.abs(one_by_one - expected).max()))


def check_same(text: str, expected: Sequence[int], got: Sequence[int]) -> None:
    """Raise ValueError if ids differ."""
    if list(expected) != list(got):
        raise ValueError(f"expected Hugging Face's ids {expected} for {text!r}, got {got}; find out why")


class HuggingFace:
    """The same checkpoint as Hugging Face's transformers run it."""

    def __init__(self, folder: Path) -> None:
        import torch  # not there at run time
        import transformers

        torch.set_num_threads(1)
        self._torch = torch
        self._tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        self._model = transformers.GPT2LMHeadModel.from_pretrained(folder).eval()
        self.versions = f"torch {torch.__version__}, transformers {transformers.__version__}"

    def logits(self, ids: Sequence[int]) -> Array:
        """Return logits [n_tokens, n_vocab]."""
        with self._torch.inference_mode():
            result: Array = self._model(self._torch.tensor([list(ids)])).logits[0].numpy()
        return result

    def case(self, text: str) -> dict[str, Any]:
        """Return a text's ids, the logits after the last, and the greedy reply's ids."""
        ids = self._tokenizer(text).input_ids
        prompt = self._torch.tensor([ids])
        whole = self._model.generate(prompt, attention_mask=self._torch.ones_like(prompt))[0].tolist()
        logits = [float(f"{value:.{DIGITS}g}") for value in self.logits(ids)[-1]]
        return {"text": text, "ids": ids, "reply": whole[len(ids) :], "logits": logits}


if __name__ == "__main__":
    sys.exit(main())
