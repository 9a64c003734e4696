"""`data/README.md` tells the truth about the files of the simulated server."""

import hashlib
import re
from pathlib import Path

import pytest

from sim.monday.recipe import SEED, csv_bytes, rush

DATA = Path(__file__).resolve().parents[2] / "data"
ROW = re.compile(r"^\| `?(?P<file>[\w./-]+)`? \| `?(?P<sha256>[0-9a-f]{64})`? \|", re.MULTILINE)
README = (DATA / "README.md").read_text("utf-8")
LISTED = {row["file"]: row["sha256"] for row in ROW.finditer(README)}
SECTION = README.partition("## The simulated server")[2].partition("\n## ")[0]
FOR_HOSTS = {"site.toml", "glossary.toml"}  # meant to be changed
OURS = sorted({file.name for file in DATA.iterdir() if file.suffix in (".toml", ".csv")} - FOR_HOSTS)


def test_the_section_of_the_simulated_server_lists_monday_and_only_files_that_are_there():
    files = [row["file"] for row in ROW.finditer(SECTION)]
    assert "monday.csv" in files
    assert [file for file in files if not (DATA / file).exists()] == []


@pytest.mark.parametrize("file", OURS)
def test_every_catalog_and_trace_has_the_checksum_in_the_readme(file):
    assert hashlib.sha256((DATA / file).read_bytes()).hexdigest() == LISTED[file]


def test_the_recipe_writes_monday_byte_for_byte():
    assert csv_bytes(rush(SEED)) == (DATA / "monday.csv").read_bytes()
