"""Write the corpus, one JSON string a line, and print its checksum: `python -m larkspur.corpus [FOLDER]`."""

import argparse
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from larkspur.corpus.documents import held_out_documents, held_out_sample, training_texts


def main() -> None:
    """Write `train.jsonl`, `held_out.jsonl`, and the sample of it that pages measure on."""
    parser = argparse.ArgumentParser(description="Write Larkspur's corpus.")
    parser.add_argument("folder", nargs="?", type=Path, default=Path("artifacts/corpus"))
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    write(folder / "train.jsonl", training_texts())
    write(folder / "held_out.jsonl", [document.text for document in held_out_documents()])
    write(folder / "held_out_sample.jsonl", held_out_sample())


def write(path: Path, texts: Sequence[str]) -> None:
    """Write texts, and print how many they are and the file's SHA-256."""
    content = "".join(json.dumps(text, ensure_ascii=False) + "\n" for text in texts).encode()
    path.write_bytes(content)
    digest = hashlib.sha256(content).hexdigest()
    print(f"{path}: {len(texts):,} documents, {len(content):,} bytes, SHA-256 {digest}")


if __name__ == "__main__":
    main()
