"""`data/README.md` tells the truth about the files of the simulated server."""

import hashlib
import re
from pathlib import Path

import pytest

from sim.monday.recipe import SEED, csv_bytes, rush

DATA = Path(__file__).resolve().parents[2] / "data"
ROW = re.compile(r"^\| `?(?P<file>[\w./-]+)`? \| `?(?P<sha256>[0-9a-f]{64})`? \|", re.MULTILINE)
LISTED = {row["file"]: row["sha256"] for row in ROW.finditer((DATA / "README.md").read_text("utf-8"))}
OURS = sorted(file.name for file in DATA.iterdir() if file.suffix in (".toml", ".csv"))


def test_the_readme_lists_files():
    assert "monday.csv" in LISTED


@pytest.mark.parametrize("file", OURS)
def test_every_catalog_and_trace_has_the_checksum_in_the_readme(file):
    assert hashlib.sha256((DATA / file).read_bytes()).hexdigest() == LISTED[file]


def test_every_listed_file_is_there():
    assert [file for file in LISTED if not (DATA / file).exists()] == []


def test_the_recipe_writes_monday_byte_for_byte():
    assert csv_bytes(rush(SEED)) == (DATA / "monday.csv").read_bytes()
