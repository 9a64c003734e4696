"""Into the records of the rules and out of them: traces, settings, unit costs, results."""

from typing import Any

import numpy as np
import numpy.typing as npt

from sim.compiler import Rules
from sim.costs import UnitCosts
from sim.kernel.records import REQUEST_LEVEL, Costs, Round, Seq, State, dtype_of
from sim.server import Server
from sim.settings import KV_LAYOUTS, SCHEDULERS, Settings
from sim.trace import Trace

Records = npt.NDArray[Any]
Columns = dict[str, npt.NDArray[Any]]
FREE = UnitCosts(0.0, 0.0, 0.0, 0.0)


def state_columns(settings: Columns, num_blocks: Any, block_move_s: Any) -> Columns:
    """Return how servers' states start, a column a field, from columns [n_settings], those of `Settings` too."""
    scheduler = codes(settings["scheduler"], SCHEDULERS)
    promises = (settings["preemption"] == "none") | (scheduler == REQUEST_LEVEL)
    same = ("max_num_seqs", "block_size", "max_model_len")
    guessing = ("num_speculative_tokens", "acceptance_rate", "seed")
    return {
        "scheduler": scheduler,
        "kv_layout": codes(settings["kv_layout"], KV_LAYOUTS),
        "promises": promises.astype(np.int64),
        "swaps": (settings["preemption"] == "swap").astype(np.int64),
        "block_move_s": np.asarray(block_move_s, dtype=np.float64),
        "budget": settings["max_num_batched_tokens"],
        "num_blocks": np.asarray(num_blocks),
        **{name: settings[name] for name in same + guessing},
    }


def codes(words: npt.NDArray[Any], known: tuple[str, ...]) -> npt.NDArray[np.int64]:
    """Return for each word its place in `known`."""
    return np.asarray(np.argmax(words[:, None] == np.array(known), axis=1))


def fill_columns(records: Any, columns: Columns) -> None:
    """Set fields of many records, plain or NumPy's, from a column each."""
    for name, column in columns.items():
        if isinstance(records, np.ndarray):
            records[name] = column
        else:
            for record, value in zip(records, column.tolist(), strict=True):
                setattr(record, name, value)


def blank_state(rules: Rules, server: Server, settings: Settings, records: int) -> Any:
    """Return the state in which one server starts; `records` says how much is written down."""
    state = rules.records(State, 1)
    fields = {name: np.array([value]) for name, value in vars(settings).items()}
    blocks, move_s = server.num_blocks(settings), server.block_move_s(settings)
    fill_columns(state, state_columns(fields, [blocks], [move_s]) | {"records": np.array([records])})
    return state[0]


def fill(record: Any, values: dict[str, Any]) -> Any:
    """Set the fields of a record, plain or NumPy's, and return it."""
    for name, value in values.items():
        if isinstance(record, np.void):
            record[name] = value
        else:
            setattr(record, name, value)
    return record


def field(record: Any, name: str) -> int:
    """Return a count of a record, plain or NumPy's."""
    return int(record[name] if isinstance(record, np.void) else getattr(record, name))


def cost_records(rules: Rules, server: Server, settings: Settings) -> Any:
    """Return the unit costs of the model, and of the draft while guessing."""
    guessing = settings.num_speculative_tokens > 0
    both = (server.unit_costs(settings), server.draft_unit_costs(settings) if guessing else FREE)
    records = rules.records(Costs, 2)
    for record, costs in zip(records, both, strict=True):
        fill(record, {name: float(value) for name, value in vars(costs).items()})
    return records


def blank_seqs(rules: Rules, trace: Trace) -> Any:
    """Return the requests of `trace` before anything happened; arrivals count from the first."""
    seqs = rules.records(Seq, len(trace))
    if len(trace) == 0:
        return seqs
    columns = {
        "arrival_s": trace.arrival_s - trace.arrival_s[0],
        "prompt_tokens": trace.prompt_tokens,
        "output_tokens": trace.output_tokens,
        "cached_tokens": trace.cached_tokens,
    }
    fill_columns(seqs, columns)
    return seqs


def blank_rounds(rules: Rules, output_tokens: npt.NDArray[np.int64], guesses: int) -> Any:
    """Return a round for each number of guesses that one of these replies can have, of up to `guesses`."""
    return rules.records(Round, min(guesses, int(output_tokens.max(initial=1)) - 1) + 1)


def as_records(kind: type[Any], records: Any) -> Records:
    """Return records, plain or NumPy's, as a NumPy array."""
    if isinstance(records, np.ndarray):
        return records
    names = kind.__slots__
    return np.array([tuple(getattr(one, name) for name in names) for one in records], dtype=dtype_of(kind))
