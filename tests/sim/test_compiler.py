"""The rules are compiled where that can be done, and run all the same where it cannot."""

import os
import subprocess
import sys
import threading
from pathlib import Path
from unittest.mock import patch

import pytest

from sim import Settings, compiler, larkspur_server, monday, simulate
from sim.compiler import LARGE_TRACE, PLAIN, cache_folder, compile_in_background, compiled_rules, rules_for

ROOT = Path(__file__).resolve().parents[2]
FINISH = "print(simulate(monday(), larkspur_server(), Settings()).requests['finish_s'].sum())"


def fresh(code, **environment):
    command = [sys.executable, "-W", "error", "-c", code]
    known = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA")}
    answer = subprocess.run(
        command, cwd=ROOT, env=known | environment, capture_output=True, text=True, check=True
    )
    return answer.stdout.split()


def here():
    return str(simulate(monday(), larkspur_server(), Settings()).requests["finish_s"].sum())


def test_without_numba_the_functions_run_as_they_stand():
    code = f"import sys; sys.modules['numba'] = None; from sim import *; {FINISH}"
    assert fresh(code) == [here()]


@pytest.mark.slow
def test_without_any_writable_folder_nothing_is_kept_and_everything_runs():
    code = (
        "from sim import *; from sim import compiler; compiler.cache_folder = lambda: None\n"
        f"{FINISH}; print(compiler.compiled_rules().compiled)"
    )
    assert fresh(code) == [here(), "True"]


def test_the_cache_is_beside_the_sources_else_in_the_named_or_temporary_folder(tmp_path, monkeypatch):
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    assert cache_folder().parent == ROOT / "sim" / "__pycache__"
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "named"))
    assert cache_folder().parent == tmp_path / "named"
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(compiler, "__file__", str(tmp_path / "file" / "compiler.py"))
    monkeypatch.setattr(compiler, "fingerprint", lambda: "0")
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    assert cache_folder().parent.parent == tmp_path
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path / "file"))
    assert cache_folder() is None


def test_on_a_full_disk_there_is_no_folder_and_no_error(tmp_path, monkeypatch):
    def nowhere():
        raise FileNotFoundError("no usable temporary directory")

    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "named"))
    monkeypatch.setattr("tempfile.gettempdir", nowhere)
    monkeypatch.setattr(compiler, "_is_ours", lambda folder: nowhere())
    assert cache_folder() is None


def test_a_folder_of_somebody_else_is_not_used(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr("os.getuid", lambda: tmp_path.stat().st_uid + 1)
    assert cache_folder() is None


def test_the_cache_is_another_after_any_edit_of_the_rules(tmp_path):
    before = compiler.fingerprint()
    edited = tmp_path / "memory.py"
    edited.write_text(Path(compiler.memory.__file__).read_text() + "\n")
    with patch.object(compiler.memory, "__file__", str(edited)):
        assert compiler.fingerprint() != before
    assert compiler.fingerprint() == before


def test_while_the_compiler_works_small_runs_do_without_and_large_ones_wait(monkeypatch):
    hurry = threading.Event()
    working = threading.Thread(target=hurry.wait)
    working.start()
    monkeypatch.setattr(compiler, "_background", [working])
    assert rules_for(24) is PLAIN
    threading.Timer(0.1, hurry.set).start()
    assert rules_for(LARGE_TRACE + 1).compiled
    assert not working.is_alive()
    assert rules_for(24) is compiled_rules()


BEHIND = """
from sim.compiler import compile_in_background, compiled_rules
compile_in_background()
print(sum(compiled_rules().advance.stats.cache_hits.values()))
"""


@pytest.mark.slow
def test_with_nothing_on_disk_another_process_compiles_and_this_one_only_loads(tmp_path):
    assert fresh(BEHIND, NUMBA_CACHE_DIR=str(tmp_path)) == ["1"]
    assert list(tmp_path.rglob("*.nbi"))


@pytest.mark.slow
def test_where_the_other_process_fails_this_one_compiles(tmp_path):
    fail = "from sim import compiler; compiler.sys.executable = '/nowhere/python'"
    assert fresh(fail + BEHIND, NUMBA_CACHE_DIR=str(tmp_path)) == ["0"]


def test_compiling_in_the_background_starts_once(monkeypatch):
    monkeypatch.setattr(compiler, "_background", [])
    compile_in_background()
    compile_in_background()
    assert len(compiler._background) == 1
    compiler._background[0].join()
    assert rules_for(1).compiled
