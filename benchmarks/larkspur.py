"""Times of Larkspur mini on this machine, one thread: `python -m benchmarks.larkspur`."""

import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from larkspur.model import DATA, Model, load, read_model

PROMPT = "Where is my order? You can follow your parcel with the tracking link"
FOLDER = DATA / "larkspur-mini"
TOKEN_ID = 300
REPEATS = 2_000
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


def main() -> None:
    """Print the table, in a new process if this one may use more than one thread."""
    if not os.environ.items() >= ONE_THREAD.items():  # read when NumPy is imported, so too late here
        sys.exit(subprocess.call([sys.executable, "-m", "benchmarks.larkspur"], env=os.environ | ONE_THREAD))
    mini = load("mini")
    ids = mini.encode(PROMPT)
    cached_s = cached_pass_s(mini, ids)
    print(f"Larkspur mini on {processor()}, one thread, {len(ids)} tokens read; medians")
    print(row("one cached pass, batch 1", cached_s, REPEATS))
    print(row("one pass without cache", median_s(lambda: mini.forward(ids), REPEATS), REPEATS))
    print(row("loading the model", median_s(lambda: read_model(FOLDER).folded, 20), 20))
    print(row("importing larkspur in a fresh Python", median_s(import_fresh, 5), 5))
    if find_spec("torch") is None or find_spec("transformers") is None:
        print("Hugging Face's GPT-2: not measured, PyTorch or transformers is not installed here")
        return
    theirs_s = hugging_face_cached_pass_s(ids)
    print(row("one cached pass, Hugging Face's GPT-2", theirs_s, REPEATS))
    print(f"ours is {theirs_s / cached_s:.1f} times faster (to reach: 8)")


def cached_pass_s(model: Model, ids: list[int]) -> float:
    """Return the time of reading one more token behind a prompt."""
    cache = model.new_cache()
    model.forward(ids, cache)

    def one_pass() -> None:
        model.forward([TOKEN_ID], cache)
        cache.truncate(len(ids))

    return median_s(one_pass, REPEATS)


def hugging_face_cached_pass_s(ids: list[int]) -> float:
    """Return the time of the same in Hugging Face's transformers; shrinking its cache is not counted."""
    import torch
    import transformers

    torch.set_num_threads(1)
    model = transformers.GPT2LMHeadModel.from_pretrained(FOLDER).eval()
    token = torch.tensor([[TOKEN_ID]])
    times_s = []
    with torch.inference_mode():
        cache = model(torch.tensor([ids]), use_cache=True).cache
        for _ in range(REPEATS):
            start_s = time.perf_counter()
            model(token, cache=cache)
            times_s.append(time.perf_counter() - start_s)
            cache.crop(-1)
    return statistics.median(times_s)


def median_s(action: Callable[[], object], repeats: int) -> float:
    """Return the median time of an action."""
    times_s = []
    for _ in range(repeats):
        start_s = time.perf_counter()
        action()
        times_s.append(time.perf_counter() - start_s)
    return statistics.median(times_s)


def import_fresh() -> None:
    """Import the package in a new Python."""
    subprocess.run([sys.executable, "-c", "import larkspur"], check=True)


def processor() -> str:
    """Return the processor's name as Linux knows it, else what Python knows."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def row(name: str, time_s: float, repeats: int) -> str:
    """Return one line of the table."""
    return f"  {name:40} {time_s * 1e6:12,.0f} µs   of {repeats:,}"


if __name__ == "__main__":
    main()
