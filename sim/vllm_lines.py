"""Settings as commands for a real server: `vllm serve`, the benchmark that checks them, and its trace.

Only what vLLM has today is written; what it has no flag for is listed beside the line.
"""

import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sim.server import Server
from sim.settings import Settings
from sim.targets import Targets
from sim.trace import Trace
from sim.vllm_flags import BENCH_FLAGS, CHECKPOINTS, SERVE_FLAGS

TOKENS_A_HASH = 16


@dataclass(frozen=True)
class Line:
    """A command: its words, and which fields it does not carry, or carries only with something else."""

    words: tuple[str, ...]
    unsaid: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The command for a shell, a flag a line; every word is quoted where it must be."""
        rows: list[list[str]] = [[]]
        for word in self.words:
            if word.startswith("--"):
                rows.append([])
            rows[-1].append(shlex.quote(word))
        return " \\\n  ".join(" ".join(row) for row in rows)


def nearest_today(settings: Settings, num_requests: int | None = None) -> Settings:
    """Return the settings that a `vllm serve` line stands for: the nearest that engines offer today.

    vLLM refuses more seats than its budget has tokens, and keeps room in a pass for every seat's guesses: where it
    is known that only `num_requests` ever come, there are no more seats than that.
    """
    seats = min(settings.max_num_seqs, settings.max_num_batched_tokens)
    return replace(
        settings,
        scheduler="chunked",
        kv_layout="paged",
        preemption="recompute",
        max_num_seqs=seats if num_requests is None else min(seats, num_requests),
    )


def unsaid_of(settings: Settings, num_requests: int | None = None) -> tuple[str, ...]:
    """Return what no flag carries: fields whose value has none, and what a flag's value takes for granted."""
    today = nearest_today(settings, num_requests)
    names = ["scheduler", "kv_layout", "preemption", "max_num_seqs"]
    unsaid = [name for name in names if getattr(today, name) != getattr(settings, name)]
    if settings.weight_bits != 16:
        unsaid.append("weight_bits" if settings.weight_bits in CHECKPOINTS.bits else "few_bits")
    if settings.num_speculative_tokens > 0:
        unsaid.append("acceptance_rate")
    return tuple(unsaid)


def serve_line(
    settings: Settings,
    server: Server,
    model: str,
    draft: str | None = None,
    *,
    num_requests: int | None = None,
) -> Line:
    """Return the `vllm serve` line of `nearest_today(settings, num_requests)`, and what it leaves unsaid.

    `model` and `draft` are the names under which vLLM finds the weights. Raises ValueError when settings guess
    and there is no draft.
    """
    today = nearest_today(settings, num_requests)
    words = ["vllm", "serve", checkpoint(model, settings.weight_bits)]
    words += flag("max-model-len", today.max_model_len)
    words += flag("gpu-memory-utilization", f"{server.gpu_memory_utilization:g}")
    words += flag("enable-chunked-prefill")
    words += flag("max-num-seqs", today.max_num_seqs)
    words += flag("max-num-batched-tokens", today.max_num_batched_tokens)
    words += flag("block-size", today.block_size) + flag("no-enable-prefix-caching")
    if today.kv_bits == 8:
        words += flag("kv-cache-dtype", "fp8")
    if today.num_speculative_tokens > 0:
        words += flag("speculative-config", guessing(today, draft))
    if server.replicas > 1:
        words += flag("data-parallel-size", server.replicas)
    unsaid = unsaid_of(settings, num_requests) + (("replicas",) if server.replicas > 1 else ())
    return Line(tuple(words), unsaid)


def checkpoint(model: str, weight_bits: int) -> str:
    """Return where vLLM finds the weights: fewer bits lie in a checkpoint of one's own, beside the command."""
    return model if weight_bits == 16 else f"./{model.rpartition('/')[2]}-{weight_bits}bit"


def guessing(settings: Settings, draft: str | None) -> str:
    """Return the JSON that lets `draft` guess, or raise ValueError when there is none."""
    if draft is None:
        raise ValueError(
            "draft: expected the name of a draft model, as the settings guess ahead, got none; name one."
        )
    told = {
        "method": "draft_model",
        "model": draft,
        "num_speculative_tokens": settings.num_speculative_tokens,
    }
    return json.dumps(told)


def bench_line(settings: Settings, targets: Targets, trace: Trace, model: str, file_name: str) -> Line:
    """Return the `vllm bench serve` line that sends `trace` to that server and counts goodput by `targets`."""
    words = ["vllm", "bench", "serve"]
    words += bench("backend", "vllm")
    words += bench("model", checkpoint(model, settings.weight_bits))
    words += bench("endpoint", "/v1/completions")
    words += bench("dataset-name", "timed_trace") + bench("dataset-path", file_name)
    words += bench("timed-trace-chunk-hash-size", TOKENS_A_HASH) + bench("self-timed")
    words += bench("num-prompts", len(trace)) + bench("ignore-eos")
    words += bench("goodput", *goodput(targets)) + bench("percentile-metrics", "ttft,tpot,itl,e2el")
    words += bench("save-result") + bench("save-detailed")
    unsaid = [] if targets.gap_s is None else ["gap_s"]
    return Line(tuple(words), (*unsaid, *(["guessed_words"] if settings.num_speculative_tokens else [])))


def goodput(targets: Targets) -> list[str]:
    """Return targets as vLLM's benchmark takes them, in milliseconds."""
    told = {"ttft": targets.ttft_s, "tpot": targets.tpot_s, "e2el": targets.e2e_s}
    return [f"{name}:{seconds * 1e3:.10g}" for name, seconds in told.items() if seconds is not None]


def flag(key: str, *values: object) -> list[str]:
    """Return a flag of `vllm serve` and its values as words."""
    return [SERVE_FLAGS[key].flag, *map(str, values)]


def bench(key: str, *values: object) -> list[str]:
    """Return a flag of `vllm bench serve` and its values as words."""
    return [BENCH_FLAGS[key].flag, *map(str, values)]


def timed_trace(trace: Trace) -> str:
    """Return `trace` as vLLM's benchmark replays it: a line of JSON a request, no two prompts alike.

    `hash_ids` name the prompt's pieces of `TOKENS_A_HASH` tokens; equal numbers would be equal text.
    """
    rows, next_id = [], 0
    columns = (trace.arrival_s.tolist(), trace.prompt_tokens.tolist(), trace.output_tokens.tolist())
    for arrival_s, prompt_tokens, output_tokens in zip(*columns, strict=True):
        pieces = -(-prompt_tokens // TOKENS_A_HASH)
        row = {"timestamp": arrival_s, "input_length": prompt_tokens, "output_length": output_tokens}
        rows.append(json.dumps(row | {"hash_ids": list(range(next_id, next_id + pieces))}))
        next_id += pieces
    return "".join(f"{row}\n" for row in rows)


def flags_in(words: Sequence[str]) -> tuple[str, ...]:
    """Return the flags among the words of a command."""
    return tuple(word for word in words if word.startswith("--"))
