"""How fast the simulated server is: `python -m benchmarks.engine [--long]`.

Prints each kind of work with the time to reach and the best of a few runs, in processor seconds of one
core, which a busy machine spoils least; `--long` adds the growth from 10³ to 10⁷ requests.
"""

import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import numpy as np

from sim import (
    ACCELERATORS,
    MODELS,
    MONDAY_TARGETS,
    Server,
    Settings,
    Trace,
    UnitCosts,
    larkspur_server,
    monday,
    search,
    simulate,
)
from sim.compiler import PLAIN, compiled_rules
from sim.exchange import blank_seqs
from sim.grid import Space, grid_of
from sim.kernel.records import Event, Row
from sim.search import Job
from sim.serve import Room, serve

COSTS = UnitCosts(pass_s=0.01, token_s=2e-5, kv_token_s=1e-7, pair_s=1e-10)
SERVER = Server(MODELS["opt-13b"], ACCELERATORS["a100-80gb"], costs=COSTS)
PLAIN_SPACE: Space = {
    "scheduler": ["chunked", "prefill-first", "iteration-level", "request-level"],
    "kv_layout": ["paged", "reserve-exact", "reserve-pow2", "reserve-max"],
    "preemption": ["recompute", "none"],
    "max_num_seqs": [4, 6, 8, 10, 12, 14, 16, 18, 20, 24, 28, 32, 48, 64, 128, 256],
    "max_num_batched_tokens": [128 * count for count in range(1, 25)],
    "weight_bits": [16, 8, 4],
    "block_size": [16, 32],
}
GUESSING_SPACE: Space = dict(PLAIN_SPACE) | {
    "num_speculative_tokens": [0, 2, 4],
    "block_size": [16],
    "weight_bits": [16, 4],
}
Work = Callable[[], object]


def best_s(work: Work, times: int = 3) -> float:
    """Return the seconds of the fastest of a few runs."""
    seconds = []
    for _ in range(times):
        start_s = time.process_time()
        work()
        seconds.append(time.process_time() - start_s)
    return min(seconds)


def settings_s(space: Space, count: int) -> tuple[float, float]:
    """Return the seconds of `count` settings of Monday: the runs alone, and a whole search."""
    grid = grid_of(space, Settings(), larkspur_server())
    picked = np.sort(np.random.default_rng(0).choice(len(grid), count, replace=False))
    grid = replace(grid, columns={name: column[picked] for name, column in grid.columns.items()})
    job = Job(monday(), larkspur_server(), grid, MONDAY_TARGETS, compiled_rules())
    whole_s = best_s(lambda: job.run(1, None, None))
    states, costs = job.inputs(range(count))
    runs_s = []
    for _ in range(3):
        fresh, results = states.copy(), job.blank_results(count)
        rules, room = job.rules, Room.of(job.rules, monday(), 8)
        log = (rules.records(Event, 0), rules.records(Row, 0), rules.numbers(1), 2**62)
        seqs = blank_seqs(rules, monday())
        start_s = time.process_time()
        rules.serve_many(fresh, costs, 1, seqs, *room.lists(), *log, results)
        runs_s.append(time.process_time() - start_s)
    return min(runs_s), whole_s


def traffic(num_requests: int, rate_per_s: float) -> Trace:
    """Return steady traffic of prompts up to 1,000 tokens and replies up to 400."""
    lengths = np.random.default_rng(1)
    like = Trace(np.zeros(1000), lengths.integers(1, 1000, 1000), lengths.integers(1, 400, 1000))
    return Trace.steady(rate_per_s=rate_per_s, num_requests=num_requests, like=like)


def crowd_s(num_requests: int, rate_per_s: float, num_gpu_blocks: int) -> tuple[float, str]:
    """Return the seconds of a chunked, paged run, and how many ran at once and were preempted."""
    trace, server = traffic(num_requests, rate_per_s), replace(SERVER, num_gpu_blocks=num_gpu_blocks)
    seconds = best_s(lambda: serve(trace, server, Settings()), 2)
    happened = serve(trace, server, Settings()).requests
    seated_s = np.nansum(happened["finish_s"] - happened["admitted_s"])
    running = seated_s / np.nanmax(happened["finish_s"])
    return seconds, f"{running:.0f} running, {happened['preemptions'].sum():,} preemptions"


def all_frames() -> None:
    """Run Monday once and ask for everything."""
    run = simulate(monday(), larkspur_server(), Settings(), MONDAY_TARGETS)
    assert all(len(frame) for frame in (run.requests, run.passes, run.segments, run.memory))
    assert len(run.lateness()) == 24
    assert len(run.blame())
    assert run.summary()


def uncompiled_s(guesses: int) -> float:
    """Return the seconds of one Monday run without Numba."""
    settings = Settings(num_speculative_tokens=guesses)
    with patch("sim.serve.rules_for", lambda _: PLAIN):
        return best_s(lambda: simulate(monday(), larkspur_server(), settings).requests, 5)


def fresh_process_s(cache: str) -> float:
    """Return the seconds of the first run in a fresh process whose compiler keeps its work in `cache`."""
    code = (
        "import time\n"
        "from sim import *\n"
        "simulate(monday(), larkspur_server(), Settings()).requests\n"
        "print(time.process_time())"
    )
    command = ["env", f"NUMBA_CACHE_DIR={cache}", sys.executable, "-c", code]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    return float(answer.stdout)


def processor() -> str:
    """Return the processor's name."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def row(work: str, reach: str, measured_s: float, said: str = "") -> None:
    """Print one line of the table."""
    print(f"{work:<58} {reach:>10} {measured_s:>10.4f} s  {said}", flush=True)


def speeds() -> None:
    """Print the table of speeds to reach."""
    for space, name, reach in (
        (PLAIN_SPACE, "Monday, 10,000 settings without guessing", "≤ 0.1 s"),
        (GUESSING_SPACE, "Monday, 10,000 settings, two thirds guessing", "≤ 0.5 s"),
    ):
        runs_s, whole_s = settings_s(space, 10_000)
        row(name, reach, runs_s, f"with the search's frame {whole_s:.3f} s")
    row("1,000,000 requests, chunked", "≤ 1.2 s", *crowd_s(10**6, 16.5, 100_000))
    row("100,000 requests overloaded, paged", "≤ 0.3 s", *crowd_s(10**5, 1000, 9000))
    row("one Monday run with all frames", "≤ 0.010 s", best_s(all_frames, 20))
    row(
        "one Monday run with its requests",
        "",
        best_s(lambda: serve(monday(), larkspur_server(), Settings()), 50),
    )
    row("one Monday run without Numba", "≤ 0.005 s", uncompiled_s(0))
    row("one Monday run without Numba, 4 guesses", "≤ 0.020 s", uncompiled_s(4))
    with tempfile.TemporaryDirectory() as cache:
        cold_s = fresh_process_s(cache)
        row("first run in a fresh process, warm cache", "≤ 1 s", fresh_process_s(cache))
        row("first run in a fresh process, cold cache", "≤ 10 s", cold_s)


def growth() -> None:
    """Print how the time grows with the number of requests."""
    for exponent in range(3, 8):
        count = 10**exponent
        seconds, said = crowd_s(count, 16.5, 100_000)
        row(
            f"10^{exponent} requests, chunked",
            "",
            seconds,
            f"{seconds / count * 1e6:.2f} µs a request, {said}",
        )


if __name__ == "__main__":
    print(f"{processor()}, Python {platform.python_version()}, NumPy {np.__version__}")
    compiled_rules()
    search(monday(), larkspur_server(), {}, MONDAY_TARGETS)
    speeds()
    if "--long" in sys.argv[1:]:
        growth()
