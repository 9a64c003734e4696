"""Train Larkspur mini and its student: `python -m larkspur.train`; `--check` only compares with the table.

Training needs the packages in requirements-train.txt; `--check` does not.
"""

import argparse
import sys
from pathlib import Path

import numpy as np

from larkspur.checkpoint import write_checkpoint
from larkspur.config import Config
from larkspur.corpus import training_texts
from larkspur.corpus.tokenizer_training import N_VOCAB, train_tokenizer
from larkspur.model import DATA, NAMES, read_model
from larkspur.targets import measure, print_table
from larkspur.tokenizer import END_OF_TEXT_ID

SEED = 13
SHAPES = {
    "mini": Config(n_vocab=N_VOCAB, n_ctx=256, n_embd=32, n_layer=2, n_head=4),
    "student": Config(n_vocab=N_VOCAB, n_ctx=256, n_embd=16, n_layer=1, n_head=4),
}
STEPS = {"mini": 30_000, "student": 40_000}
TOKENS_PER_STEP = 1_024
LEARNING_RATE = 1e-2


def main() -> int:
    """Train the models named, or check those there are; return 0 if the table is reached."""
    parser = argparse.ArgumentParser(description="Train Larkspur mini and its student.")
    parser.add_argument("model", nargs="?", choices=[*NAMES, "both"], default="both")
    parser.add_argument("--check", action="store_true", help="train nothing, compare with the table")
    parser.add_argument("--folder", type=Path, default=DATA, help="where the checkpoints are")
    parser.add_argument("--steps", type=int, help="fewer steps, for a trial")
    options = parser.parse_args()
    if not options.check:
        for name in NAMES if options.model == "both" else (options.model,):
            train_model(name, options.folder, options.steps or STEPS[name])
    folders = [options.folder / f"larkspur-{name}" for name in NAMES]
    if not all(folder.exists() for folder in folders):
        print(f"expected both models in {options.folder}, got one; train the other to compare with the table")
        return 1
    return 0 if print_table(measure(*map(read_model, folders))) else 1


def train_model(name: str, folder: Path, n_steps: int) -> None:
    """Train one model and write its checkpoint."""
    from larkspur.trainer import Recipe, train  # PyTorch is not there when only checking

    texts = training_texts()
    tokenizer = train_tokenizer(texts)
    documents = [np.array([*encoding.ids, END_OF_TEXT_ID]) for encoding in tokenizer.encode_batch(texts)]
    print(f"{name}: {len(texts):,} documents, {sum(map(len, documents)):,} tokens", flush=True)
    recipe = Recipe(SHAPES[name], n_steps, TOKENS_PER_STEP, LEARNING_RATE, SEED)
    write_checkpoint(folder / f"larkspur-{name}", SHAPES[name], train(recipe, documents), tokenizer)


if __name__ == "__main__":
    sys.exit(main())
