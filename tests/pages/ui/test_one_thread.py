"""The app holds NumPy to one thread: with two, a small model is many times slower on a busy machine."""

import os
import subprocess
import sys

import pytest

from pages.ui.chapters import ROOT

LOADED = "import {module}, os, sys; names = list(sys.modules); print(os.environ['OPENBLAS_NUM_THREADS'], "
LOADED += "names.index('larkspur.one_thread') < names.index('numpy'))"


@pytest.mark.parametrize("module", ["streamlit, pages.ui.charts", "pages.ui.overview", "pages.ui.mini"])
def test_one_thread_is_asked_for_before_numpy_is_loaded(module: str) -> None:
    bare = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    command = [sys.executable, "-c", LOADED.format(module=module)]
    told = subprocess.run(command, cwd=ROOT, env=bare, capture_output=True, text=True, check=True)
    assert told.stdout.split() == ["1", "True"]
