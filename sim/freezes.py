"""Why a text stood still: the seconds of each request's longest gap between two tokens, by cause."""

import numpy as np
import pandas as pd

from sim.arrays import Chosen, Counts, Seconds
from sim.holdings import after_passes_s
from sim.kernel.records import DECODE, PREFILL
from sim.lateness import shares_s
from sim.sitting import Sitting

CAUSES = ("preempted_s", "alone_s", "others_prefill_s", "batch_s")


def freeze_frame(sitting: Sitting) -> pd.DataFrame:
    """Return a row a request with the columns of `CAUSES`, which add up to its `longest_gap_s`; NaN without a gap."""
    frame = pd.DataFrame(np.nan, index=range(len(sitting.outcome.requests)), columns=list(CAUSES))
    frame.index.name = "request"
    place, gaps_s = gaps_of(sitting)
    if len(place):
        order = np.lexsort((-gaps_s.sum(axis=1), sitting.request[place]))
        request, first = np.unique(sitting.request[place][order], return_index=True)
        frame.loc[request] = gaps_s[order[first]]
    return frame


def gaps_of(sitting: Sitting) -> tuple[Counts, Seconds]:
    """Return the rows that end a gap, [n_gaps], and its seconds by cause, [n_gaps, 4].

    Each row that writes ends the gap since its request last wrote; one of several passes has its last one, too.
    """
    writes = np.flatnonzero(writing(sitting))
    later = np.flatnonzero(np.diff(sitting.request[writes]) == 0)
    before, after = writes[later], writes[later + 1]
    causes_s, away_s = row_causes_s(sitting), away_before_s(sitting)
    upto_s = np.vstack((np.zeros(len(CAUSES)), np.cumsum(causes_s, axis=0)))  # [n_rows + 1, 4]
    away_upto_s = np.append(0.0, np.cumsum(away_s))
    gaps_s = upto_s[after] - upto_s[before + 1] + causes_s[after] * pass_share(sitting, after, last=False)
    gaps_s[:, 0] += away_upto_s[after + 1] - away_upto_s[before + 1]
    inside = writes[several_tokens(sitting, writes)]
    inside_s = causes_s[inside] * pass_share(sitting, inside, last=True)
    return np.concatenate((after, inside)), np.concatenate((gaps_s, inside_s))


def writing(sitting: Sitting) -> Chosen:
    """Return [n_rows] in which rows a token is written: in decoding, and where the last of what to read is read."""
    rows = sitting.rows
    after = rows["computed_after"].astype(np.int64)
    reach = after.copy()  # what its request had computed, at most, before each row
    for request in np.unique(sitting.request):
        own = np.flatnonzero(sitting.request == request)
        reach[own] = np.maximum.accumulate(np.append(0, after[own][:-1]))
    prompts = sitting.outcome.requests["prompt_tokens"][sitting.request]
    known = np.where(reach < prompts, prompts, reach + 1)
    reads = (rows["state"] == PREFILL) & (after >= known)
    return np.asarray((rows["tokens"] > 0) & ((rows["state"] == DECODE) | reads))


def row_causes_s(sitting: Sitting) -> Seconds:
    """Return [n_rows, 4] the seconds of each row by cause; a row that recovers is all due to the preemption."""
    own_s, prompts_s, batch_s = shares_s(sitting)
    lost_s = np.where(sitting.recovering_from >= 0, sitting.span_s, 0.0)
    return np.stack((lost_s, own_s, prompts_s, batch_s), axis=1)


def away_before_s(sitting: Sitting) -> Seconds:
    """Return [n_rows] how long each row's request was set aside right before it."""
    away_s = np.zeros(len(sitting.rows))
    away_s[sitting.departures + 1] = sitting.away_s
    return away_s


def pass_share(sitting: Sitting, place: Counts, *, last: bool) -> Seconds:
    """Return [n, 1] the share of each row's time that its first token waits for in its event, or the last one.

    A row that reads writes at the end of it all.
    """
    events, event = sitting.outcome.events, sitting.event[place]
    lasts_s = events["end_s"][event] - events["start_s"][event]
    share, several = np.ones(len(place)), several_tokens(sitting, place)
    count = np.where(last, events["passes"][event] - 1, 1)[several]
    share[several] = after_passes_s(sitting, event[several], count) / lasts_s[several]
    share[several] = 1 - share[several] if last else share[several]
    return share[:, None]


def several_tokens(sitting: Sitting, place: Counts) -> Chosen:
    """Return [n] which rows write a token in each of several passes."""
    return np.asarray((sitting.rows["state"][place] == DECODE) & (sitting.repeats[place] > 1))
