"""A server on a bad day: no Numba, a full disk, no folder to keep anything in. Every page stands all the same."""

import asyncio
import os
import shutil
from pathlib import Path

import pytest

from benchmarks.visitor import visiting
from pages.ui.chapters import PAGES
from tests.browser.serving import ROOT, serving
from tests.pages.test_visitors import unmeasured

READY = [page for page in PAGES if page.is_ready]
NO_NUMBA = "import sys; sys.modules['numba'] = None"
FULL_DISK = (
    "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))"  # every write of a file fails
)


@pytest.fixture(scope="module")
def usual() -> dict[str, list[str]]:
    """What every page says on a good day."""
    return told({})


def told(environment: dict[str, str], root: Path = ROOT) -> dict[str, list[str]]:
    """Return what every page says, by its slug; RuntimeError where one shows an error."""

    async def look() -> dict[str, list[str]]:
        said = {}
        async with visiting(served.url) as visitor:
            for page in READY:
                await visitor.open(page.address, shown="yes")
                said[page.slug] = unmeasured(visitor.words())
        return said

    with serving(environment=environment, root=root) as served:
        return asyncio.run(look())


def beginning_with(code: str, folder: Path) -> dict[str, str]:
    """Return an environment in which every Python process runs `code` first."""
    (folder / "sitecustomize.py").write_text(code)
    return {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}


@pytest.mark.slow
def test_without_numba_every_page_says_the_same(usual: dict[str, list[str]], tmp_path: Path) -> None:
    assert told(beginning_with(NO_NUMBA, tmp_path)) == usual


@pytest.mark.slow
def test_on_a_full_disk_every_page_says_the_same(usual: dict[str, list[str]], tmp_path: Path) -> None:
    nothing = {"NUMBA_CACHE_DIR": str(tmp_path / "nothing compiled yet")}
    assert told(beginning_with(FULL_DISK, tmp_path) | nothing) == usual


@pytest.mark.slow
def test_with_no_folder_to_write_in_every_page_says_the_same(
    usual: dict[str, list[str]], tmp_path: Path
) -> None:
    app, temporary = tmp_path / "app", tmp_path / "temporary"
    kept_out = shutil.ignore_patterns("__pycache__", ".git", ".venv", "tests", "artifacts", ".*_cache")
    shutil.copytree(ROOT, app, ignore=kept_out)
    (app / "sim" / "__pycache__").write_text("a file, where a folder should be made")
    temporary.mkdir()
    (temporary / f"inference-numba-{os.getuid()}").write_text("another one")
    below_a_file = app / "app.py" / "numba"
    places = {"NUMBA_CACHE_DIR": str(below_a_file), "TMPDIR": str(temporary), "PYTHONDONTWRITEBYTECODE": "1"}
    assert told(places, app) == usual
    assert not list(app.rglob("*.nbi"))
