"""Set the project up and do one thing with it: `python3 dev.py run | test | check | parity`.

Needs Python 3.11 or newer and nothing else: it makes `.venv`, installs the pinned requirements there
when they changed, finds (or installs) a browser for the tests that need one, and runs the command.
"""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
BROWSER_INSTALL_LIMIT_S = 300


def main() -> int:
    """Parse the command line, run the command, and return its exit code."""
    if sys.version_info < (3, 11):
        sys.exit(f"This project needs Python 3.11 or newer; this is {sys.version.split()[0]}.")
    parser = argparse.ArgumentParser(description="Set up and run the project.")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("run", help="run the app; further arguments go to `streamlit run`")
    test = commands.add_parser("test", help="every test, browser tests included (at most 12 minutes)")
    test.add_argument("--full", action="store_true", help="5,000 random examples and every held-out prompt")
    commands.add_parser("check", help="lint, types, unit tests and one browser walk (at most 90 s)")
    commands.add_parser(
        "parity", help="compare Larkspur mini with Hugging Face's GPT-2 and rewrite the vectors"
    )
    options, rest = parser.parse_known_args()
    os.chdir(ROOT)
    actions: dict[str, Callable[[], int]] = {
        "run": lambda: run_app(rest),
        "test": lambda: run_tests("full" if options.full else "test", rest),
        "check": lambda: run_check(rest),
        "parity": lambda: run_parity(rest),
    }
    return actions[options.command]()


def run_app(rest: list[str]) -> int:
    """Run the app on the address that Streamlit prints."""
    install("requirements.txt")
    return call([PYTHON, "-m", "streamlit", "run", "app.py", *rest])


def run_tests(profile: str, rest: list[str]) -> int:
    """Lint, check types, and run every test on two workers."""
    install("requirements-dev.txt")
    if failed := lint():
        return failed
    return pytest(profile, ["-n", "2", *rest])


def run_check(rest: list[str]) -> int:
    """Do what every commit must pass, in at most 90 seconds."""
    install("requirements-dev.txt")
    if failed := lint():
        return failed
    return pytest("check", ["-n", "2", "-m", "walk or not (browser or slow)", *rest])


def run_parity(rest: list[str]) -> int:
    """Compare Larkspur mini with Hugging Face's GPT-2, live (installs PyTorch)."""
    install("requirements-train.txt")
    return call([PYTHON, "-m", "larkspur.parity", *rest])


def lint() -> int:
    """Return the first failing exit code of linter, formatter and type checker, or 0."""
    steps = (["ruff", "check", "."], ["ruff", "format", "--check", "."], ["mypy"])
    return next((code for step in steps if (code := call([PYTHON, "-m", *step]))), 0)


def pytest(profile: str, arguments: list[str]) -> int:
    """Run pytest with a browser at hand and `profile`'s number of random examples."""
    environment = {"HYPOTHESIS_PROFILE": profile, "CHROMIUM": browser()}
    return call([PYTHON, "-m", "pytest", *arguments], environment)


def install(requirements: str) -> None:
    """Install a requirements file into `.venv`, unless these very files are installed already."""
    stamp = VENV / f"{requirements}.installed"
    wanted = fingerprint(requirements)
    if PYTHON.exists() and stamp.exists() and stamp.read_text() == wanted:
        return
    if not PYTHON.exists():
        make_venv()
    print(f"Installing {requirements} into .venv …", flush=True)
    if call([PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", requirements]):
        sys.exit(
            f"Installing {requirements} failed: is a package index within reach? pip's own words are above."
        )
    stamp.write_text(wanted)


def fingerprint(requirements: str) -> str:
    """Return a hash of a requirements file, of those it includes, and of this Python."""
    lines = (ROOT / requirements).read_text().splitlines()
    included = [fingerprint(line.removeprefix("-r ").strip()) for line in lines if line.startswith("-r ")]
    return hashlib.sha256("\n".join([sys.version, *lines, *included]).encode()).hexdigest()


def make_venv() -> None:
    """Make `.venv`; on Debian, where Python comes without it, install the package when root."""
    if find_spec("ensurepip") is None:
        package = f"python{sys.version_info.major}.{sys.version_info.minor}-venv"
        if not apt_install(package):
            sys.exit(
                f"Python's venv module is missing. Install it (on Debian: apt-get install {package}) "
                "and try again."
            )
    print("Making .venv …", flush=True)
    venv.create(VENV, with_pip=True, clear=True)


def browser() -> str:
    """Return the path of a Chromium, installing one where there is none; or exit with a sentence."""
    if found := installed_browser():
        return found
    print("No Chromium found; installing one for the browser tests …", flush=True)
    if apt_install("chromium") and (found := installed_browser()):
        return found
    try:
        call([PYTHON, "-m", "playwright", "install", "chromium"], limit_s=BROWSER_INSTALL_LIMIT_S)
    except subprocess.TimeoutExpired:
        print(f"Playwright's download took over {BROWSER_INSTALL_LIMIT_S} s.", flush=True)
    if found := playwright_browser():
        return found
    sys.exit(
        "The browser tests need Chromium: install chromium or google-chrome, or name one in CHROMIUM, "
        "and try again."
    )


def installed_browser() -> str:
    """Return the browser that CHROMIUM names, or the one on the PATH, or Playwright's own, else nothing."""
    named = os.environ.get("CHROMIUM")
    if named:
        if not shutil.which(named):
            sys.exit(
                f"CHROMIUM names {named!r}, which is no program here. Correct it, or unset it to search."
            )
        return named
    return next((path for name in BROWSERS if (path := shutil.which(name))), playwright_browser())


def playwright_browser() -> str:
    """Return the path of the Chromium that Playwright itself installed, else nothing."""
    code = "import playwright.sync_api as p; print(p.sync_playwright().start().chromium.executable_path)"
    answer = subprocess.run([PYTHON, "-c", code], capture_output=True, text=True, check=False)
    path = answer.stdout.strip()
    return path if path and Path(path).exists() else ""


def apt_install(package: str) -> bool:
    """Install a Debian package if this is root on Debian; return whether that worked."""
    if not (hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get")):
        return False
    quiet = {"DEBIAN_FRONTEND": "noninteractive"}
    call(["apt-get", "update", "-qq"], quiet)
    return call(["apt-get", "install", "-y", "-qq", "--no-install-recommends", package], quiet) == 0


def call(
    command: list[str | Path], environment: dict[str, str] | None = None, limit_s: float | None = None
) -> int:
    """Run a command in the foreground and return its exit code."""
    try:
        return subprocess.run(
            command, env=os.environ | (environment or {}), timeout=limit_s, check=False
        ).returncode
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
