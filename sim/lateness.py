"""Why a reply was late: the seconds of each request by cause, and by whom.

Of a pass that gave a request something, what the pass would have cost with it alone is its own; the rest
is shared out by the others' work in it: the seconds each adds to both clocks before anything hides.
"""

import numpy as np
import pandas as pd

from sim.arrays import Seconds
from sim.sitting import Sitting

CAUSES = ("queue_s", "preempted_s", "own_prefill_s", "alone_s", "others_prefill_s", "batch_s")


def lateness_frame(sitting: Sitting) -> pd.DataFrame:
    """Return a row a request with the columns of `CAUSES`, which add up to its `e2e_s`; NaN if rejected."""
    requests = sitting.outcome.requests
    own_s, prompts_s, batch_s = shares_s(sitting)
    recovering_s = np.where(sitting.recovering_from >= 0, sitting.span_s, 0.0)
    away_s = np.bincount(sitting.request[sitting.departures], sitting.away_s, minlength=len(requests))
    columns = {
        "queue_s": requests["admitted_s"] - requests["arrival_s"],
        "preempted_s": away_s + sitting.per_request(recovering_s),
        "own_prefill_s": sitting.per_request(np.where(sitting.reads, own_s, 0.0)),
        "alone_s": sitting.per_request(np.where(sitting.reads, 0.0, own_s)),
        "others_prefill_s": sitting.per_request(prompts_s),
        "batch_s": sitting.per_request(batch_s),
    }
    frame = pd.DataFrame(columns, index=pd.RangeIndex(len(requests), name="request"))
    frame.loc[requests["rejected"] == 1] = np.nan
    return frame


def shares_s(sitting: Sitting) -> tuple[Seconds, Seconds, Seconds]:
    """Return [n_rows] the seconds of each row that are its own, due to others' prompts, and to the batch.

    They add up to its span; rows of riders and of those who recover have none.
    """
    counts = ~sitting.rides & (sitting.recovering_from < 0)
    served = sitting.rows["tokens"] > 0
    own_s = np.where(served, sitting.alone_s, 0.0)
    rest_s = sitting.span_s - own_s
    prompts_s = rest_s * prompt_share(sitting)
    own = np.where(counts, own_s, 0.0)
    prompts = np.where(counts, prompts_s, 0.0)
    return own, prompts, np.where(counts, rest_s - prompts_s, 0.0)


def prompt_share(sitting: Sitting) -> Seconds:
    """Return [n_rows] the share of what a row waits for others that their prompts take.

    All of it for one that got nothing in a pass that held prompts; else in proportion to the others' work.
    """
    prompts, everything = others_work(sitting)
    served = sitting.rows["tokens"] > 0
    share = np.divide(prompts, everything, out=np.zeros_like(prompts), where=everything > 0)
    return np.where(served, share, prompts > 0)


def others_work(sitting: Sitting) -> tuple[Seconds, Seconds]:
    """Return [n_rows] the others' work on prompts in the row's event, and all their work.

    Whoever is swapped out of an event, or in, works in it as long as that takes.
    """
    prompt_work = np.where(sitting.reads, sitting.work, 0.0)
    prompts = sitting.totals(prompt_work)[sitting.event] - prompt_work
    only_reader = sitting.reads & (sitting.totals(sitting.reads.astype(np.float64))[sitting.event] == 1)
    work = sitting.work + sitting.moved_in
    alone = sitting.totals(np.ones(len(work)))[sitting.event] == 1
    seated = np.where(alone, 0.0, sitting.totals(work)[sitting.event] - work)
    gone = np.bincount(sitting.leaving_event, sitting.moved_out, len(sitting.outcome.events))
    return np.where(only_reader, 0.0, prompts), seated + gone[sitting.event]
