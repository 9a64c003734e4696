"""Simulate a server: requests in, what happened to each out. Serves one request so far."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from sim import expect
from sim.clocks import pass_time, stretch_s
from sim.costs import UnitCosts
from sim.lone import lone_passes
from sim.memory import blocks_needed, reason_to_reject
from sim.run import EVENT_COLUMNS, Outcome, Run
from sim.server import Server
from sim.settings import Settings
from sim.targets import Targets
from sim.trace import Trace


def simulate(trace: Trace, server: Server, settings: Settings, targets: Targets | None = None) -> Run:
    """Return what happens to every request of `trace` on `server` under `settings`.

    Raises NotImplementedError for more than one request, and for guessing: both are coming. Raises
    ValueError when `settings` guess and the server has no draft.
    """
    expect.instance("trace", trace, Trace)
    expect.instance("server", server, Server)
    expect.instance("settings", settings, Settings)
    num_blocks = server.num_blocks(settings)
    if settings.num_speculative_tokens > 0:
        raise NotImplementedError("Guessing ahead is coming; set num_speculative_tokens to 0 until then.")
    if len(trace) > 1:
        raise NotImplementedError(
            f"Serving several requests at once is coming; give one request, not {len(trace)}."
        )
    if len(trace) == 0:
        return Run(trace, _nothing([]), targets)
    prompt_tokens, output_tokens = int(trace.prompt_tokens[0]), int(trace.output_tokens[0])
    reason = reason_to_reject(prompt_tokens, output_tokens, settings, num_blocks)
    outcome = _nothing([reason]) if reason else _alone(trace, server.unit_costs(settings), settings)
    return Run(trace, outcome, targets)


def _nothing(reasons: list[str]) -> Outcome:
    """Return the outcome of requests of which none was served."""
    never = np.full(len(reasons), np.nan)
    events = {name: np.empty(0, dtype=kind) for name, kind in EVENT_COLUMNS.items()}
    return Outcome(never, never, never, never, reasons, np.zeros(len(reasons), dtype=np.int64), events)


def _alone(trace: Trace, costs: UnitCosts, settings: Settings) -> Outcome:
    """Return the outcome of the one request of `trace`, which enters as it arrives."""
    prompt_tokens, output_tokens = int(trace.prompt_tokens[0]), int(trace.output_tokens[0])
    cached_tokens = int(trace.cached_tokens[0])
    # only chunked splits a prompt: prefill-first reads one above its budget alone and whole
    budget = settings.max_num_batched_tokens if settings.scheduler == "chunked" else None
    prefill = lone_passes(costs, prompt_tokens, 1, cached_tokens=cached_tokens, max_num_batched_tokens=budget)
    ttft_s = float(prefill["end_s"].iloc[-1])
    decode_s = stretch_s(costs, output_tokens - 1, 1.0, prompt_tokens + 1.0, 0.0, 1.0, 0.0)
    events = _events(prefill, prompt_tokens, output_tokens, ttft_s + decode_s, settings)
    return Outcome(
        admitted_s=np.zeros(1),
        first_token_s=np.array([ttft_s]),
        finish_s=np.array([ttft_s + decode_s]),
        longest_gap_s=np.array([_longest_gap_s(costs, prompt_tokens, output_tokens)]),
        reasons=[""],
        preemptions=np.zeros(1, dtype=np.int64),
        events=events,
    )


def _longest_gap_s(costs: UnitCosts, prompt_tokens: int, output_tokens: int) -> float:
    """Return the seconds of the last pass, which reads most; NaN for a reply of one token."""
    if output_tokens == 1:
        return float("nan")
    return float(pass_time(costs, 1.0, prompt_tokens + output_tokens - 1.0, 0.0).total_s)


def _events(
    prefill: pd.DataFrame, prompt_tokens: int, output_tokens: int, finish_s: float, settings: Settings
) -> dict[str, npt.NDArray[Any]]:
    """Return an event for each piece of the prompt, and one for all passes that write."""
    events: dict[str, Any] = {
        "start_s": prefill["start_s"],
        "end_s": prefill["end_s"],
        "passes": np.ones(len(prefill)),
        "prefill_tokens": prefill["tokens"],
        "decode_seqs": np.zeros(len(prefill)),
        "waiting": np.zeros(len(prefill)),
        "kv_tokens": prefill["kv_tokens"],
    }
    if output_tokens > 1:
        read_s = prefill["end_s"].iloc[-1]
        writing = (read_s, finish_s, output_tokens - 1, 0, 1, 0, prompt_tokens + 1)
        events = {name: np.append(events[name], last) for name, last in zip(events, writing, strict=True)}
    reserved = blocks_needed(prompt_tokens, output_tokens, settings)
    filled = -(-np.asarray(events["kv_tokens"]) // settings.block_size)
    events["kv_blocks"] = filled if settings.kv_layout == "paged" else np.full(len(filled), reserved)
    return {name: np.asarray(events[name], dtype=kind) for name, kind in EVENT_COLUMNS.items()}
