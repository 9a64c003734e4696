"""Who holds which memory, change by change."""

import numpy as np
import pandas as pd

from sim.arrays import Counts, Seconds
from sim.compiler import rules_for
from sim.exchange import Records, blank_rounds, blank_state, cost_records
from sim.kernel.records import Row, Seq
from sim.rows import numbered
from sim.sitting import Sitting


def memory_frame(sitting: Sitting, origin_s: float) -> pd.DataFrame:
    """Return the frame of `Run.memory`.

    Blocks are taken, and tokens counted, at the start of the pass that needs them; a request that leaves
    has 0 of both. Between two rows of a request its tokens grow evenly, pass by pass.
    """
    changes = pd.concat([left(sitting), seated(sitting), grown(sitting)], ignore_index=True)
    changes = changes.sort_values(["at_s", "order"], kind="stable", ignore_index=True).drop(columns="order")
    before = changes.groupby("request")[["first_block", "blocks", "tokens"]].shift(fill_value=-2)
    changes = changes[(changes[list(before)] != before).any(axis=1)].reset_index(drop=True)
    changes["at_s"] += origin_s
    return changes


def seated(sitting: Sitting) -> pd.DataFrame:
    """Return what each request holds as each event starts."""
    rows = sitting.rows
    return pd.DataFrame(
        {
            "at_s": sitting.outcome.events["start_s"][sitting.event],
            "request": sitting.request,
            "first_block": rows["first_block"],
            "blocks": rows["blocks"],
            "tokens": rows["computed"] + rows["tokens"],
            "order": 2 * sitting.event,
        }
    )


def left(sitting: Sitting) -> pd.DataFrame:
    """Return the moments in which a request gives everything back: preempted, or done."""
    last = np.append(np.flatnonzero(np.diff(sitting.request)), [len(sitting.rows) - 1][: len(sitting.rows)])
    leaves = np.sort(np.concatenate((sitting.departures, last))).astype(np.int64)
    at_s = sitting.outcome.events["end_s"][sitting.event[leaves]]
    nothing = np.zeros(len(leaves), dtype=np.int64)
    columns = {"at_s": at_s, "request": sitting.request[leaves], "first_block": nothing - 1}
    order = 2 * sitting.event[leaves] + 1
    return pd.DataFrame(columns | {"blocks": nothing, "tokens": nothing, "order": order})


def grown(sitting: Sitting) -> pd.DataFrame:
    """Return the blocks taken inside events of several passes."""
    place, earlier = inner_changes(sitting)
    rows, size = sitting.rows[place], sitting.settings.block_size
    tokens = rows["computed"] + rows["tokens"] * (earlier + 1)
    at_s = sitting.outcome.events["start_s"][rows["event"]] + after_passes_s(sitting, rows["event"], earlier)
    columns = {"at_s": at_s, "request": rows["request"], "first_block": rows["first_block"]}
    blocks = -(-tokens // size)
    return pd.DataFrame(columns | {"blocks": blocks, "tokens": tokens, "order": 2 * rows["event"]})


def inner_changes(sitting: Sitting) -> tuple[Counts, Counts]:
    """Return the row of each block taken later in an event, and after how many passes.

    Raises ValueError where there are more than fit in memory.
    """
    rows, size = sitting.rows, sitting.settings.block_size
    passes = sitting.outcome.events["passes"][sitting.event]
    growing = (passes > 1) & (rows["tokens"] > 0) & (rows["first_block"] < 0)
    place = np.flatnonzero(growing)
    held, given = rows["blocks"][place] * size, rows["tokens"][place]
    final = rows["computed"][place] + given * passes[place]
    count = np.maximum(-(-(final - held) // np.maximum(given, size)), 0)
    which, number = numbered(count)
    full = held[which] + number * np.maximum(given, size)[which]
    # the first pass whose tokens go beyond what is held
    earlier = np.maximum((full - rows["computed"][place][which]) // given[which], 1)
    return place[which], earlier


def after_passes_s(sitting: Sitting, event: Counts, passes: Counts) -> Seconds:
    """Return how long the first `passes` passes of each `event` took."""
    order = np.lexsort((passes, event))
    rows: Records = sitting.outcome.rows
    first_row = np.searchsorted(rows["event"], np.arange(len(sitting.outcome.events) + 1))
    rules = rules_for(len(sitting.outcome.requests))
    seconds = np.zeros(len(event)) if rules.compiled else [0.0] * len(event)
    rules.first_passes_s(
        blank_state(rules, sitting.server, sitting.settings, 0),
        rules.records(Seq, 1),
        blank_rounds(
            rules, sitting.outcome.requests["output_tokens"], sitting.settings.num_speculative_tokens
        ),
        cost_records(rules, sitting.server, sitting.settings),
        rules.given(Row, rows),
        rules.given(int, first_row),
        rules.given(int, event[order]),
        rules.given(int, passes[order]),
        seconds,
    )
    back = np.empty(len(event))
    back[order] = np.asarray(seconds)
    return back
