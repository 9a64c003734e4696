"""The files in data/ are the ones that data/README.md names, and Hugging Face can read them."""

import hashlib
import json
import re
from pathlib import Path

import pytest

from larkspur.model import DATA

FILES = sorted(path for name in ("mini", "student") for path in (DATA / f"larkspur-{name}").iterdir())
IN_A_FOLDER = {
    "config.json",
    "generation_config.json",
    "model.safetensors",
    "tokenizer.json",
    "tokenizer_config.json",
}


def test_readme_states_the_checksum_of_every_file_of_the_models() -> None:
    readme = (DATA / "README.md").read_text("utf-8")
    stated = dict(re.findall(r"\| `(larkspur-[^`]+)` \| `([0-9a-f]{64})` \|", readme))
    actual = {str(path.relative_to(DATA)): hashlib.sha256(path.read_bytes()).hexdigest() for path in FILES}
    assert stated == actual


@pytest.mark.parametrize("name", ["mini", "student"])
def test_the_folder_holds_what_hugging_face_reads(name: str) -> None:
    folder = DATA / f"larkspur-{name}"
    assert {path.name for path in folder.iterdir()} == IN_A_FOLDER
    config = json.loads((folder / "config.json").read_text("utf-8"))
    assert config["architectures"] == ["GPT2LMHeadModel"]
    assert config["tie_word_embeddings"] is True
    generation = json.loads((folder / "generation_config.json").read_text("utf-8"))
    assert generation["eos_token_id"] == config["eos_token_id"] == 0


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_everybody_may_read_the_file(path: Path) -> None:
    assert path.stat().st_mode & 0o444 == 0o444
