"""Who made whom wait on Monday, in seconds and in words."""

from functools import lru_cache
from itertools import pairwise

import numpy as np
import pandas as pd

from pages.ui import numbers
from pages.ui.charts import KEPT
from pages.ui.ladder import heeded, rush, served
from sim.arrays import Counts, Seconds

CAUSES = {
    "queue_s": "held the seats while it waited",
    "others_prefill_s": "had prompts read in its passes",
    "batch_s": "shared its passes",
    "preempted_s": "took its memory",
}
NAMED = 3  # of those who are to blame


@lru_cache(maxsize=KEPT)
def by_others(word: str, budget: str) -> pd.DataFrame:
    """Return a row a pair, `customer, by, seconds`: all that one customer waited because of another.

    Customers are in the order of arrival, those to blame by how much they are.
    """
    pairs = served(word, budget).blame()
    request, by, each_s = (pairs[name].to_numpy() for name in ("request", "by", "seconds"))
    is_other = request != by
    number = len(rush())
    found, which = np.unique((request * number + by)[is_other], return_inverse=True)
    seconds = np.bincount(which, each_s[is_other], len(found))
    customer, by = np.divmod(found, number)
    order = np.lexsort((-seconds, customer))
    return pd.DataFrame({"customer": customer[order] + 1, "by": by[order] + 1, "seconds": seconds[order]})


@lru_cache(maxsize=KEPT)
def reasons(word: str, budget: str) -> tuple[str, ...]:
    """Say for whom each customer waited, in the order of arrival."""
    pairs = by_others(word, budget)
    customer, by, seconds = (pairs[name].to_numpy() for name in ("customer", "by", "seconds"))
    edges = np.searchsorted(customer, np.arange(1, len(rush()) + 2))
    return tuple(because(by[first:end], seconds[first:end]) for first, end in pairwise(edges))


def because(by: Counts, seconds: Seconds) -> str:
    """Say for whom somebody waited and how long, the longest first; both are [n_others]."""
    if len(by) == 0:
        return "nobody"
    rest_s = seconds[NAMED:]
    *each_s, others_s = numbers.adding_up([*seconds[:NAMED], rest_s.sum()], 2)
    named = [f"{who} ({waited_s:.2f} s)" for who, waited_s in zip(by, each_s, strict=False)]
    others = f", {len(rest_s)} others ({others_s:.2f} s)" if len(rest_s) else ""
    return f"customer{'s' * (len(by) > 1)} {', '.join(named)}{others}"


@lru_cache(maxsize=KEPT)
def lateness(word: str, budget: str) -> pd.DataFrame:
    """Return a row a customer: seconds by cause under a scheduler."""
    return served(word, budget).lateness()


def both_told(above: str, below: str, budget: str, customer: int) -> str:
    """Say of one or two schedulers what a customer waited for, as Markdown."""
    words = dict.fromkeys((above, below))
    return "\n".join(told(word, heeded(word, budget), customer) for word in words)


@lru_cache(maxsize=KEPT)
def told(word: str, budget: str, customer: int) -> str:
    """Say what a customer waited for under a scheduler, and because of whom, as Markdown."""
    request = served(word, budget).requests.iloc[customer - 1]
    causes = lateness(word, budget).iloc[customer - 1]
    others_s = causes["others_prefill_s"] + causes["batch_s"] + causes["preempted_s"]
    queue_s, passes_s = numbers.adding_up([causes["queue_s"], others_s], 2)
    done = f"{request['e2e_s']:.1f} s"
    return (
        f"- **{word}**: first word after {request['ttft_s']:.1f} s, done after {done}. Of the {done}, "
        f"{queue_s:.2f} s in the queue and {passes_s:.2f} s in passes that others made longer, "
        f"{causes['queue_s'] + others_s:.2f} s in all. They waited for {reasons(word, budget)[customer - 1]}."
    )


def pairs(above: str, below: str, budget: str, customer: int) -> pd.DataFrame:
    """Return `scheduler, customer, by, cause, waited_s`: a row for each that made a customer wait, and why."""
    frames = []
    for word in (above, below):
        blame = served(word, budget).blame()
        own = blame[(blame["request"] == customer - 1) & (blame["by"] != customer - 1)]
        columns = {
            "scheduler": word,
            "customer": customer,
            "by": own["by"] + 1,
            "cause": own["cause"].map(CAUSES),
            "waited_s": own["seconds"],
        }
        frames.append(pd.DataFrame(columns))
    return pd.concat(frames, ignore_index=True).sort_values("waited_s", ascending=False, ignore_index=True)
