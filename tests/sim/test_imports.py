"""The simulator stands alone."""

import shutil
import subprocess
import sys
from pathlib import Path

import sim

ROOT = Path(__file__).resolve().parents[2]
FOREIGN = ("streamlit", "altair", "torch", "larkspur", "pages", "numba")


def run_python(*arguments, folder):
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout


def test_the_simulator_brings_no_page_no_model_and_no_compiler_along():
    code = f"import sys, sim; print([name for name in {FOREIGN!r} if name in sys.modules])"
    assert run_python("-c", code, folder=ROOT).strip() == "[]"


def test_every_public_name_is_there():
    assert [name for name in sim.__all__ if not hasattr(sim, name)] == []


def test_the_command_writes_monday_anew(tmp_path):
    for folder in ("sim", "data"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    (tmp_path / "data" / "monday.csv").write_text("spoiled")
    run_python("-W", "error", "-m", "sim.monday", folder=tmp_path)
    assert (tmp_path / "data" / "monday.csv").read_bytes() == (ROOT / "data" / "monday.csv").read_bytes()
