"""Which settings cannot differ on given traces, whatever a pass costs: one of each kind is enough to run.

Seats beyond the requests stay empty; where everyone's memory fits at once, no layout and no preemption can
matter; and a prefill-first budget too small for any two prompts reads them one by one, however small it is.
"""

from collections.abc import Sequence

import numpy as np

from sim.arrays import Chosen, Counts
from sim.exchange import Columns, codes
from sim.grid import Combinations, idle_fields
from sim.server import Server
from sim.settings import KV_LAYOUTS, Settings
from sim.trace import Trace

ONE_SIZE = ("paged", "reserve-max")  # layouts in which a freed place suits whoever comes next


def alike(columns: Columns, traces: Sequence[Trace], server: Server) -> Counts:
    """Return [n_settings] numbers: settings that share one serve each of `traces` in the same way.

    `columns` [n_settings] has every field of `Settings`. That two numbers differ promises nothing.
    """
    seats = np.minimum(columns["max_num_seqs"], most_requests(traces))
    columns = columns | {"max_num_seqs": seats, "max_num_batched_tokens": budgets(columns, traces)}
    idle = idle_fields(combined(columns))
    roomy = everyone_fits(columns, traces, server)
    kinds = []
    for name, column in columns.items():
        _, code = np.unique(column, return_inverse=True)
        unheard = idle.get(name, np.zeros(len(seats), dtype=np.bool_))
        if name in ("kv_layout", "preemption"):
            unheard = unheard | roomy
        kinds.append(np.where(unheard, -1, code))
    _, numbers = np.unique(np.column_stack(kinds), axis=0, return_inverse=True)
    return np.asarray(numbers.ravel(), dtype=np.int64)


def combined(columns: Columns) -> Combinations:
    """Return columns [n_settings] as a grid keeps its combinations."""
    parts = {name: np.unique(column, return_inverse=True) for name, column in columns.items()}
    places = {name: np.asarray(place.ravel()) for name, (_, place) in parts.items()}
    return Combinations({name: values for name, (values, _) in parts.items()}, places)


def most_requests(traces: Sequence[Trace]) -> int:
    """Return the requests of the longest of `traces`; 1 where all are empty, as a server has a seat."""
    return max(1, *(len(trace) for trace in traces), 1)


def budgets(columns: Columns, traces: Sequence[Trace]) -> Counts:
    """Return the budgets [n_settings], 0 where prefill-first reads prompts one by one whatever it is."""
    two = min((two_smallest(trace) for trace in traces), default=0)
    budget = columns["max_num_batched_tokens"]
    alone = (columns["scheduler"] == "prefill-first") & (budget < two)
    return np.asarray(np.where(alone, 0, budget))


def two_smallest(trace: Trace) -> int:
    """Return the tokens to read of the two shortest prompts together; more than any budget for one alone."""
    to_read = np.sort(trace.prompt_tokens - trace.cached_tokens)
    return int(to_read[:2].sum()) if len(to_read) > 1 else np.iinfo(np.int64).max


def everyone_fits(columns: Columns, traces: Sequence[Trace], server: Server) -> Chosen:
    """Return [n_settings] where as many requests as have seats always fit in memory, on every trace."""
    names = (
        "weight_bits",
        "kv_bits",
        "block_size",
        "num_speculative_tokens",
        "max_model_len",
        "max_num_seqs",
    )
    keys = np.column_stack([codes(columns["kv_layout"], KV_LAYOUTS), *(columns[name] for name in names)])
    kinds, which = np.unique(keys, axis=0, return_inverse=True)
    wanted: dict[tuple[int, ...], Counts] = {}
    fit = []
    for layout, weight_bits, kv_bits, block_size, guesses, longest, seats in kinds.tolist():
        kind = (layout, block_size, guesses, longest)
        if kind not in wanted:
            wanted[kind] = most_blocks(KV_LAYOUTS[layout], block_size, guesses, longest, traces)
        seated = seats if KV_LAYOUTS[layout] in ONE_SIZE else -1
        settings = Settings(
            weight_bits=weight_bits, kv_bits=kv_bits, block_size=block_size, num_speculative_tokens=guesses
        )
        fit.append(wanted[kind][seated] <= server.num_blocks(settings))
    return np.asarray(np.array(fit, dtype=np.bool_)[which.ravel()])


def most_blocks(layout: str, block_size: int, guesses: int, longest: int, traces: Sequence[Trace]) -> Counts:
    """Return [most requests + 1] the blocks that so many requests of one trace hold at most, all seated."""
    most = np.zeros((max(1, len(traces)), most_requests(traces)), dtype=np.int64)  # [n_traces, most requests]
    there = np.arange(most.shape[1]) < np.array([[len(trace)] for trace in traces] or [[0]])  # same shape
    if there.any():
        prompt, output = (
            np.concatenate([getattr(trace, name) for trace in traces])
            for name in ("prompt_tokens", "output_tokens")
        )
        most[there] = -(-tokens_held(layout, prompt, output, guesses, longest) // block_size)
    sums = np.cumsum(np.sort(most, axis=1)[:, ::-1], axis=1)  # [n_traces, most requests]
    return np.concatenate([[0], sums.max(axis=0)])


def tokens_held(layout: str, prompt: Counts, output: Counts, guesses: int, longest: int) -> Counts:
    """Return [n_requests] the tokens that each request holds at most; those looked ahead count."""
    if layout == "reserve-max":
        return np.full(len(prompt), longest)
    if layout == "reserve-pow2":
        return np.asarray(prompt + np.exp2(np.ceil(np.log2(output))).astype(np.int64))
    return np.asarray(prompt + output + guesses)
