"""Who made whom late: the waiting of each request, shared out among those it waited for."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from sim.arrays import Counts, Seconds
from sim.lateness import others_work, shares_s
from sim.rows import check_rows, numbered
from sim.sitting import Sitting


class Blamed(NamedTuple):
    """Seconds that requests waited, and by whom: rows, of which a pair may have several."""

    request: Counts
    by: Counts
    seconds: Seconds


class Due(NamedTuple):
    """What rows wait for others by one cause, and the work by which it is shared out; all [n_rows] but one."""

    seconds: Seconds
    others_work: Seconds  # that shares it out
    work: Seconds  # a row's own
    leavers_work: Seconds  # [n_departures], in the event in which each is set aside


def blame_frame(sitting: Sitting) -> pd.DataFrame:
    """Return a row a pair: `request, by, cause, seconds`; each cause adds up to that of the lateness.

    Raises ValueError where the pairs would not fit in memory.
    """
    parts = passes_blame(sitting) | {
        "preempted_s": preempted_blame(sitting),
        "queue_s": queue_blame(sitting),
    }
    num_requests = len(sitting.outcome.requests)
    causes = sorted(parts)
    keys, seconds = zip(*(pairs_of(parts[cause], num_requests) for cause in causes), strict=True)
    which = np.repeat(np.arange(len(causes)), [len(each) for each in keys])
    key = np.concatenate(keys)
    order = np.argsort(key, kind="stable")
    request, by = np.divmod(key[order], max(1, num_requests))
    cause = pd.array(causes, dtype="str").take(which[order])
    return pd.DataFrame(
        {"request": request, "by": by, "cause": cause, "seconds": np.concatenate(seconds)[order]}
    )


def pairs_of(blamed: Blamed, num_requests: int) -> tuple[Counts, Seconds]:
    """Return the pairs for which seconds are left, request · `num_requests` + by, in order, and their seconds."""
    lasting = blamed.seconds > 0
    pairs, which = np.unique((blamed.request * num_requests + blamed.by)[lasting], return_inverse=True)
    return pairs, np.bincount(which, blamed.seconds[lasting], len(pairs)).astype(np.float64)


def passes_blame(sitting: Sitting) -> dict[str, Blamed]:
    """Return what others' prompts, and others in the batch, took from each row they shared a pass with."""
    row, other = pairs_in_events(sitting)
    witness, departure = rows_of_events(sitting, sitting.leaving_event)  # each row with each who left then
    mates = np.maximum(1, np.bincount(row, minlength=len(sitting.rows)))
    request = sitting.request[np.concatenate((row, witness))]
    by = sitting.request[np.concatenate((other, sitting.departures[departure]))]
    blamed = {}
    for cause, due in dues(sitting).items():
        shared = due.others_work > 0
        per_work = np.divide(due.seconds, due.others_work, out=np.zeros_like(due.seconds), where=shared)
        equal_s = np.where(shared, 0.0, due.seconds) / mates  # others' work is free: they made it draft
        mates_s = per_work[row] * due.work[other] + equal_s[row]
        leavers_s = per_work[witness] * due.leavers_work[departure]
        blamed[cause] = Blamed(request, by, np.concatenate((mates_s, leavers_s)))
    return blamed


def dues(sitting: Sitting) -> dict[str, Due]:
    """Return what each row waits for others, by cause."""
    _, prompts_s, batch_s = shares_s(sitting)
    prompts, everything = others_work(sitting)
    served = sitting.rows["tokens"] > 0
    prompt_work = np.where(sitting.reads, sitting.work, 0.0)
    return {
        "others_prefill_s": Due(prompts_s, prompts, prompt_work, np.zeros(len(sitting.departures))),
        "batch_s": Due(
            batch_s,
            np.where(served, everything - prompts, everything),
            sitting.work - prompt_work + sitting.moved_in,
            sitting.moved_out,
        ),
    }


def pairs_in_events(sitting: Sitting) -> tuple[Counts, Counts]:
    """Return all pairs of different rows of one event, as places."""
    sizes = np.bincount(sitting.event, minlength=len(sitting.outcome.events))
    check_rows((sizes.astype(np.float64) ** 2).sum())
    other, row = rows_of_events(sitting, sitting.event)
    different = row != other
    return row[different], other[different]


def preempted_blame(sitting: Sitting) -> Blamed:
    """Return the seconds of each preemption, shared equally by those running when it happened."""
    recovering = sitting.recovering_from
    lost = recovering >= 0
    recovery_s = np.bincount(recovering[lost], sitting.span_s[lost], minlength=len(sitting.departures))
    request = sitting.request[sitting.departures]
    return shared_by_seated(sitting, request, sitting.leaving_event, sitting.away_s + recovery_s)


def queue_blame(sitting: Sitting) -> Blamed:
    """Return the waiting of each request before it entered, shared equally by those seated meanwhile.

    A row each for who is there as it arrives and for who sits down later, up to when they leave: whoever sits
    in an event has an equal share of it, so that sums of shares by event say all.
    """
    request, first, end = waits(sitting)
    requests, events = sitting.outcome.requests, sitting.outcome.events
    seated = np.bincount(sitting.event, minlength=len(events))
    shares_s = (events["end_s"] - events["start_s"]) / np.maximum(seated, 1)
    before_s = np.append(0.0, np.cumsum(shares_s))  # [n_events + 1]
    missed_s = np.maximum(requests["arrival_s"][request] - events["start_s"][first], 0.0)
    rest_s = np.maximum(
        shares_s[first] - missed_s / np.maximum(seated[first], 1), 0.0
    )  # of the event under way

    there, wait = rows_of_events(sitting, first)
    later, later_wait = rows_that_begin(sitting, first + 1, end)
    row, wait = np.concatenate((there, later)), np.concatenate((wait, later_wait))
    begin = np.maximum(sitting.event[row], first[wait] + 1)
    seconds = before_s[np.minimum(sitting.stay_end[row], end[wait])] - before_s[begin]
    seconds[: len(there)] += rest_s[wait[: len(there)]]
    return Blamed(request[wait], sitting.request[row], seconds)


def waits(sitting: Sitting) -> tuple[Counts, Counts, Counts]:
    """Return the requests that waited while others were seated, and the events, from the first to before the end."""
    requests, events, replicas = sitting.outcome.requests, sitting.outcome.events, sitting.server.replicas
    found = []
    for replica in range(replicas):
        own = np.flatnonzero(sitting.outcome.event_replica == replica)  # neighbors, in the order of time
        starts_s = events["start_s"][own]
        until_s = np.append(starts_s[1:], events["end_s"][own][-1:])
        served = np.flatnonzero(requests["rejected"] == 0)
        served = served[served % replicas == replica]
        first = np.searchsorted(until_s, requests["arrival_s"][served], side="right")
        end = np.searchsorted(starts_s, requests["admitted_s"][served], side="left")
        waited = first < end
        before = own[0] if len(own) else 0
        found.append(np.array((served, before + first, before + end))[:, waited])
    request, first, end = np.concatenate(found, axis=1)
    return request, first, end


def shared_by_seated(sitting: Sitting, request: Counts, event: Counts, seconds: Seconds) -> Blamed:
    """Return `seconds` of each `request` in equal parts for those seated in `event`."""
    row, place = rows_of_events(sitting, event)
    seated = np.bincount(place, minlength=len(event))
    return Blamed(request[place], sitting.request[row], (seconds / np.maximum(seated, 1))[place])


def rows_that_begin(sitting: Sitting, first: Counts, end: Counts) -> tuple[Counts, Counts]:
    """Return the rows with which requests sit down in each range of events, and which of the ranges it is."""
    begins = np.flatnonzero(sitting.begins)
    begins = begins[np.argsort(sitting.event[begins], kind="stable")]
    from_place, to_place = (np.searchsorted(sitting.event[begins], each) for each in (first, end))
    which, inside = numbered(to_place - from_place)
    return begins[from_place[which] + inside], which


def rows_of_events(sitting: Sitting, event: Counts) -> tuple[Counts, Counts]:
    """Return the rows of each of these events, as places of rows, and which of the events each is in."""
    order = np.argsort(sitting.event, kind="stable")
    sizes = np.bincount(sitting.event, minlength=len(sitting.outcome.events))
    firsts = np.cumsum(sizes) - sizes
    which, inside = numbered(sizes[event])
    return order[firsts[event[which]] + inside], which
