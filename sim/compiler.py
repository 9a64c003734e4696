"""How the rules run: compiled by Numba where it is there and ready, otherwise as they stand.

Compiled copies of all functions of `sim.kernel` share one namespace of their own, so that the plain ones
stay callable beside them. What the compiler leaves on disk lies in a folder named after the sources: Numba
itself looks at one file only and would keep serving the old rules after an edit in another.
"""

import hashlib
import os
import subprocess
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

from sim import clocks
from sim.kernel import again, batch, events, guessing, jump, memory, records, schedulers
from sim.kernel.records import Costs, Event, Result, Round, Row, Seq, State, dtype_of

MODULES: tuple[ModuleType, ...] = (records, clocks, memory, guessing, schedulers, jump, events, batch, again)
ENTRIES = ("enroll", "advance", "serve_many", "alone_s", "first_passes_s")
LARGE_TRACE = 3000  # requests above which waiting for the compiler is shorter than running without
ROOT = Path(__file__).parents[1]
ELSEWHERE_LIMIT_S = 300


@dataclass(frozen=True)
class Rules:
    """The entry points of the rules, and how to make what they work on."""

    compiled: bool
    enroll: Callable[..., None]
    advance: Callable[..., int]
    serve_many: Callable[..., int]
    alone_s: Callable[..., None]
    first_passes_s: Callable[..., None]

    def records(self, kind: type[Any], count: int) -> Any:
        """Return `count` blank records of a class of `sim.kernel.records`."""
        if not self.compiled:
            return [kind() for _ in range(count)]
        blank, records = kind(), np.zeros(count, dtype=dtype_of(kind))
        for name in kind.__slots__:
            if getattr(blank, name) != 0:
                records[name] = getattr(blank, name)
        return records

    def numbers(self, count: int) -> Any:
        """Return `count` whole numbers, all 0."""
        return np.zeros(count, dtype=np.int64) if self.compiled else [0] * count

    def given(self, kind: type[Any], records: npt.NDArray[Any]) -> Any:
        """Return an array of records of `kind`, or of numbers, as the rules take it."""
        if self.compiled:
            return np.ascontiguousarray(records)
        return [kind(*record) for record in records.tolist()] if records.dtype.names else records.tolist()


PLAIN = Rules(False, events.enroll, events.advance, batch.serve_many, again.alone_s, again.first_passes_s)
_lock = threading.Lock()
_background: list[threading.Thread] = []


def rules_for(num_requests: int) -> Rules:
    """Return the rules to run now: plain ones only while the compiler works in the background.

    A trace of more than `LARGE_TRACE` requests waits for it.
    """
    return PLAIN if is_compiling() and num_requests <= LARGE_TRACE else compiled_rules()


def is_compiling() -> bool:
    """Return whether the compiler is at work in the background."""
    return any(thread.is_alive() for thread in _background)


def compile_in_background() -> None:
    """Start compiling without waiting for it; small runs use the plain functions until it is done."""
    if not _background:
        _background.append(threading.Thread(target=_compile_aside, daemon=True))
        _background[0].start()


def _compile_aside() -> None:
    folder = cache_folder()
    if folder is not None and not any(folder.rglob("*.nbi")):
        compile_elsewhere()
    compiled_rules()


def compile_elsewhere() -> None:
    """Leave the compiled rules on disk by way of another process, so that this one stays quick and small.

    The compiler would hold Python's lock for seconds and keep some 100 MB. Where the other process fails, this
    one compiles for itself.
    """
    code = "from sim.compiler import compiled_rules; compiled_rules()"
    with suppress(OSError, subprocess.SubprocessError):
        subprocess.run(  # noqa: S603
            [sys.executable, "-c", code],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=ELSEWHERE_LIMIT_S,
            check=False,
        )


def compiled_rules() -> Rules:
    """Return the compiled rules, once they are ready; the plain ones where Numba is missing."""
    for thread in _background:
        if thread is not threading.current_thread():
            thread.join()
    with _lock:
        return _compiled_rules()


@cache
def _compiled_rules() -> Rules:
    try:
        import numba
    except ImportError:
        return PLAIN
    folder = cache_folder()
    if folder is not None:
        numba.config.CACHE_DIR = str(folder)
    try:
        return _compile(numba, keep_on_disk=folder is not None)
    except OSError:  # the disk has just become full
        return _compile(numba, keep_on_disk=False)


def _compile(numba: Any, *, keep_on_disk: bool) -> Rules:
    rules = Rules(True, **_compiled_copies(numba, keep_on_disk=keep_on_disk))
    _serve_nobody(rules)
    return rules


def _compiled_copies(numba: Any, *, keep_on_disk: bool) -> dict[str, Any]:
    """Return the entry points, compiled lazily; each function of the kernel is copied into one namespace."""
    scope: dict[str, Any] = {}
    for module in MODULES:
        scope |= vars(module)
    own = {module.__name__ for module in MODULES}
    functions = {
        name: function
        for name, function in scope.items()
        if isinstance(function, FunctionType) and function.__module__ in own and name != "dtype_of"
    }
    # the rules allocate nothing, so that counting references (_nrt) would only cost time
    options = {"nogil": True, "error_model": "numpy", "_nrt": False}
    for name, function in functions.items():
        copy = FunctionType(function.__code__, scope, name, function.__defaults__)
        copy.__module__, copy.__qualname__ = function.__module__, function.__qualname__
        on_disk = keep_on_disk and name in ENTRIES
        scope[name] = numba.njit(cache=on_disk, forceinline=name not in ENTRIES, **options)(copy)
    return {name: scope[name] for name in ENTRIES}


def cache_folder() -> Path | None:
    """Return a writable folder for these very sources: beside them, else temporary, else None."""
    named = os.environ.get("NUMBA_CACHE_DIR")
    own = Path(__file__).parent / "__pycache__"
    for base in ([Path(named)] if named else []) + [own, *_temporary()]:
        folder = base / f"rules-{fingerprint()}"
        with suppress(OSError):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if _is_ours(folder) and _is_ours(base):
                return folder
    return None


def _temporary() -> list[Path]:
    """Return this user's folder among the temporary ones; none where the disk is full."""
    user = getattr(os, "getuid", lambda: "user")()
    with suppress(OSError):
        return [Path(tempfile.gettempdir()) / f"inference-numba-{user}"]
    return []


def _is_ours(folder: Path) -> bool:
    """Return whether this user owns `folder` and can write to it (compiled code is run as it is found)."""
    owned = not hasattr(os, "getuid") or folder.stat().st_uid == os.getuid()
    if not owned:
        return False
    with tempfile.TemporaryFile(dir=folder, buffering=0) as trial:
        trial.write(b"a full disk makes files, and refuses what should go into them")
    return True


def fingerprint() -> str:
    """Return a short hash of the sources of all rules, and of how they are compiled."""
    files = [Path(__file__), *(Path(str(module.__file__)) for module in MODULES)]
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]


def _serve_nobody(rules: Rules) -> None:
    """Compile for the one signature there is, by serving nobody."""
    seqs, states, results = (rules.records(kind, n) for kind, n in ((Seq, 0), (State, 1), (Result, 0)))
    running, placed, line, aside, stop = (rules.numbers(1) for _ in range(5))
    rounds, costs = rules.records(Round, 1), rules.records(Costs, 2)
    room = (running, placed, rounds, line, aside)
    log = (rules.records(Event, 1), rules.records(Row, 1), stop, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a cache that turns out unusable is no error
        rules.enroll(states[0], seqs, line, 0, 1)
        rules.advance(states[0], seqs, *room, costs, *log)
        rules.serve_many(states, costs.reshape(1, 2), 1, seqs, *room, *log, results.reshape(1, 0))
        none, rows, seconds = rules.numbers(0), rules.records(Row, 0), np.zeros(0)
        again_of = (states[0], rules.records(Seq, 1), rounds, costs, rows)
        rules.alone_s(*again_of, none, seconds)
        rules.first_passes_s(*again_of, rules.numbers(1), none, none, seconds)
