"""What reading trace files costs: a million requests of each kind, CPU and memory."""

import json
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from benchmarks.machine import processor
from sim import read_trace

REQUESTS = 1_000_000
REACH_S = 5.0


def main() -> None:
    """Print the table."""
    print(f"processor: {processor()}; {REQUESTS:,} requests a file")
    print(f"{'kind':<12} {'MB':>6} {'CPU s':>7} {'reach':>7} {'peak MB':>9}")
    with tempfile.TemporaryDirectory() as folder:
        for kind, lines in KINDS.items():
            path = Path(folder) / kind
            with path.open("w", encoding="utf-8") as file:
                file.writelines(lines())
            row(kind, path)


def row(kind: str, path: Path) -> None:
    """Print what reading a file costs; the peak is that of the process so far."""
    start_s = time.process_time()
    assert len(read_trace(path)) == REQUESTS
    cpu_s, size_mb = time.process_time() - start_s, path.stat().st_size / 2**20
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
    print(f"{kind:<12} {size_mb:6.0f} {cpu_s:7.2f} {f'≤ {REACH_S:g}':>7} {peak_mb:9.0f}")


def numbers() -> Iterator[tuple[int, int, int]]:
    """Yield the place, prompt and reply of each request."""
    lengths = np.random.default_rng(0).integers(1, 4000, (REQUESTS, 2)).tolist()
    return ((place, prompt, reply) for place, (prompt, reply) in enumerate(lengths))


def plain() -> Iterator[str]:
    """Yield the lines of a three-column table."""
    yield "arrival_s,prompt_tokens,output_tokens\n"
    yield from (f"{place / 100:.2f},{prompt},{reply}\n" for place, prompt, reply in numbers())


def azure() -> Iterator[str]:
    """Yield the lines of a trace as Azure's of 2024."""
    yield "TIMESTAMP,ContextTokens,GeneratedTokens\n"
    stamps = np.datetime_as_string(np.datetime64("2024-05-10T00:00:00.000001") + np.arange(REQUESTS) * 40_000)
    for stamp, (_, prompt, reply) in zip(stamps, numbers(), strict=True):
        yield f"{stamp.replace('T', ' ')}+00:00,{prompt},{reply}\n"


def burstgpt() -> Iterator[str]:
    """Yield the lines of a trace as BurstGPT's."""
    yield "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
    for place, prompt, reply in numbers():
        yield f"{place},ChatGPT,{prompt},{reply},{prompt + reply},Conversation log\n"


def mooncake() -> Iterator[str]:
    """Yield the lines of a trace as Mooncake's, ten blocks a prompt."""
    for place, _, reply in numbers():
        blocks = [place % 1000, *range(place, place + 9)]
        request = {"timestamp": place * 40, "input_length": 5000, "output_length": reply, "hash_ids": blocks}
        yield json.dumps(request) + "\n"


def vllm() -> Iterator[str]:
    """Yield a benchmark's result, one line."""
    places, prompts, replies = zip(*numbers(), strict=True)
    result = {"input_lens": prompts, "output_lens": replies, "start_times": [place / 100 for place in places]}
    yield json.dumps(result | {"errors": [""] * REQUESTS, "itls": [[0.01] * 5] * REQUESTS})


KINDS: dict[str, Callable[[], Iterator[str]]] = {
    "plain": plain,
    "azure": azure,
    "burstgpt": burstgpt,
    "mooncake": mooncake,
    "vllm": vllm,
}

if __name__ == "__main__":
    main()
