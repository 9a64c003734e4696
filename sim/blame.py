"""Who made whom late: the waiting of each request, shared out among those it waited for."""

import numpy as np
import numpy.typing as npt
import pandas as pd

from sim.lateness import others_work, shares_s
from sim.rows import MOST_ROWS
from sim.sitting import Seconds, Sitting

Counts = npt.NDArray[np.int64]
Blamed = tuple[Counts, Counts, Seconds]  # request, by whom, seconds


def blame_frame(sitting: Sitting) -> pd.DataFrame:
    """Return a row a pair: `request, by, cause, seconds`; each cause adds up to that of the lateness.

    Raises ValueError where the pairs would not fit in memory.
    """
    parts = passes_blame(sitting) | {
        "preempted_s": preempted_blame(sitting),
        "queue_s": queue_blame(sitting),
    }
    frames = [
        pd.DataFrame({"request": request, "by": by, "cause": cause, "seconds": seconds})
        for cause, (request, by, seconds) in parts.items()
    ]
    frame = pd.concat(frames, ignore_index=True)
    lasting = frame[frame["seconds"] > 0]
    return lasting.groupby(["request", "by", "cause"])["seconds"].sum().reset_index()


def passes_blame(sitting: Sitting) -> dict[str, Blamed]:
    """Return what others' prompts, and others in the batch, took from each row they shared a pass with."""
    row, other = pairs_in_events(sitting)
    witness, gap = rows_of_events(sitting, sitting.leaving_event)  # each row with each who left then
    _, prompts_s, batch_s = shares_s(sitting)
    prompts, everything = others_work(sitting)
    served = sitting.rows["tokens"] > 0
    prompt_work = np.where(sitting.reads, sitting.work, 0.0)
    causes = {
        "others_prefill_s": (prompts_s, prompts, prompt_work, np.zeros(len(gap))),
        "batch_s": (
            batch_s,
            np.where(served, everything - prompts, everything),
            sitting.work - prompt_work + sitting.moved_in,
            sitting.moved_out[gap],
        ),
    }
    mates = np.maximum(1, np.bincount(row, minlength=len(batch_s)))
    request = sitting.request[np.concatenate((row, witness))]
    by = sitting.request[np.concatenate((other, sitting.gaps[gap]))]
    blamed = {}
    for cause, (seconds, all_work, work, leavers_work) in causes.items():
        per_work = np.divide(seconds, all_work, out=np.zeros_like(seconds), where=all_work > 0)
        equal_s = (
            np.where(all_work > 0, 0.0, seconds) / mates
        )  # where others' work is free: they made it draft
        mates_s = per_work[row] * work[other] + equal_s[row]
        taken_s = np.concatenate((mates_s, per_work[witness] * leavers_work))
        blamed[cause] = (request, by, taken_s)
    return blamed


def pairs_in_events(sitting: Sitting) -> tuple[Counts, Counts]:
    """Return all pairs of different rows of one event, as places."""
    order = np.argsort(sitting.event, kind="stable")  # rows event by event
    sizes = np.bincount(sitting.event, minlength=len(sitting.outcome.events))
    if (sizes.astype(np.float64) ** 2).sum() > MOST_ROWS:
        raise ValueError(
            f"expected a run with at most {MOST_ROWS:,} pairs of requests in its passes, got more; "
            "ask who is to blame in a shorter trace."
        )
    mates = sizes[sitting.event[order]]  # [n_rows] how many are in the row's event
    firsts = np.repeat(np.cumsum(sizes) - sizes, sizes)
    row = np.repeat(np.arange(len(order)), mates)
    inside = np.arange(len(row)) - np.repeat(np.cumsum(mates) - mates, mates)
    other = firsts[row] + inside
    different = row != other
    return order[row[different]], order[other[different]]


def preempted_blame(sitting: Sitting) -> Blamed:
    """Return the seconds of each preemption, shared equally by those running when it happened."""
    recovering = sitting.recovering_from
    lost = recovering >= 0
    seconds = sitting.away_s + np.bincount(
        recovering[lost], sitting.span_s[lost], minlength=len(sitting.gaps)
    )
    request = sitting.request[sitting.gaps]
    return shared_by_seated(sitting, request, sitting.event[sitting.gaps] + 1, seconds)


def queue_blame(sitting: Sitting) -> Blamed:
    """Return the waiting of each request before it entered, shared equally by those seated meanwhile."""
    requests, events = sitting.outcome.requests, sitting.outcome.events
    replicas = sitting.server.replicas
    waited, event, seconds = [], [], []
    for replica in range(replicas):
        own = np.flatnonzero(sitting.outcome.event_replica == replica)
        starts_s = events["start_s"][own]
        until_s = np.append(starts_s[1:], events["end_s"][own][-1:])
        served = np.flatnonzero(requests["rejected"] == 0)
        for request in served[served % replicas == replica].tolist():
            arrival_s, admitted_s = requests["arrival_s"][request], requests["admitted_s"][request]
            first = np.searchsorted(until_s, arrival_s, side="right")
            last = np.searchsorted(starts_s, admitted_s, side="left")
            during_s = np.minimum(until_s[first:last], events["end_s"][own[first:last]])
            during_s = during_s - np.maximum(starts_s[first:last], arrival_s)
            waited.append(np.full(len(during_s), request))
            event.append(own[first:last])
            seconds.append(np.maximum(during_s, 0.0))
    if not waited:
        return np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0)
    return shared_by_seated(sitting, *(np.concatenate(each) for each in (waited, event, seconds)))


def shared_by_seated(sitting: Sitting, request: Counts, event: Counts, seconds: Seconds) -> Blamed:
    """Return `seconds` of each `request` in equal parts for those seated in `event`."""
    row, place = rows_of_events(sitting, event)
    seated = np.bincount(place, minlength=len(event))
    return request[place], sitting.request[row], (seconds / np.maximum(seated, 1))[place]


def rows_of_events(sitting: Sitting, event: Counts) -> tuple[Counts, Counts]:
    """Return the rows of each of these events, as places of rows, and which of the events each is in."""
    order = np.argsort(sitting.event, kind="stable")
    sizes = np.bincount(sitting.event, minlength=len(sitting.outcome.events))
    firsts = np.cumsum(sizes) - sizes
    seated = sizes[event]
    which = np.repeat(np.arange(len(event)), seated)
    inside = np.arange(len(which)) - np.repeat(np.cumsum(seated) - seated, seated)
    return order[firsts[event[which]] + inside], which
