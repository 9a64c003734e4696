"""Where each request's time goes: stretches of waiting, reading, writing, standing still."""

import numpy as np
import pandas as pd

from sim.exchange import Records
from sim.serve import Outcome

STATES = ("prefill", "decode", "stalled", "riding", "waiting", "preempted")  # the first four as in the rows
WAITING, PREEMPTED = STATES.index("waiting"), STATES.index("preempted")


def segments_frame(outcome: Outcome, origin_s: float) -> pd.DataFrame:
    """Return a row a stretch: `request, start_s, end_s, state`, by request and time.

    A stretch ends where the request's next one starts, so that they add up exactly.
    """
    rows = by_request(outcome.rows)
    request, state, start_s = _boundaries(outcome, rows)
    order = np.lexsort((np.arange(len(request)), start_s, request))
    request, state, start_s = request[order], state[order], start_s[order]
    changes = np.ones(len(request), dtype=np.bool_)
    changes[1:] = (request[1:] != request[:-1]) | (state[1:] != state[:-1])
    request, state, start_s = request[changes], state[changes], start_s[changes]
    end_s = np.append(start_s[1:], np.nan)
    lasts = np.append(request[1:] != request[:-1], True)[: len(request)]
    end_s = np.where(lasts, last_end_s(outcome, rows)[request], end_s[: len(request)])
    lasting = end_s > start_s
    columns = {"request": request, "start_s": start_s + origin_s, "end_s": end_s + origin_s}
    frame = pd.DataFrame(columns | {"state": pd.array(np.array(STATES)[state], dtype="str")})
    return frame[lasting].reset_index(drop=True)


def by_request(rows: Records) -> Records:
    """Return the rows sorted by request, each request's in the order of time."""
    return rows[np.argsort(rows["request"], kind="stable")]


def last_end_s(outcome: Outcome, rows: Records) -> np.ndarray:
    """Return [n_requests] the end of each request's last row, by when it has left its seat."""
    ends_s = np.full(len(outcome.requests), np.nan)
    ends_s[rows["request"]] = outcome.events["end_s"][rows["event"]]  # the last one stays
    return ends_s


def absences(rows: Records) -> np.ndarray:
    """Return the places in `rows` (by request) after which the request is set aside for a while."""
    same = rows["request"][1:] == rows["request"][:-1]
    return np.flatnonzero(same & (np.diff(rows["event"]) > 1))


def _boundaries(outcome: Outcome, rows: Records) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return request, state and start of every stretch, before equal neighbors are joined."""
    events, requests = outcome.events, outcome.requests
    served = np.flatnonzero(requests["rejected"] == 0)
    gone = rows[absences(rows)]
    request = np.concatenate((served, rows["request"], gone["request"]))
    waits, aside = np.full(len(served), WAITING), np.full(len(gone), PREEMPTED)
    state = np.concatenate((waits, rows["state"], aside))
    start_s = np.concatenate(
        (requests["arrival_s"][served], events["start_s"][rows["event"]], events["end_s"][gone["event"]])
    )
    return request, state, start_s
