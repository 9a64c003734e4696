"""Who made whom wait on Monday, in seconds and in words."""

from functools import lru_cache

import pandas as pd

from pages.ui import numbers
from pages.ui.charts import KEPT
from pages.ui.ladder import served

CAUSES = {
    "queue_s": "held the seats while it waited",
    "others_prefill_s": "had prompts read in its passes",
    "batch_s": "shared its passes",
    "preempted_s": "took its memory",
}
NAMED = 3  # of those who are to blame


@lru_cache(maxsize=KEPT)
def by_others(word: str, budget: str) -> pd.DataFrame:
    """Return a row a pair, `customer, by, seconds`: all that one customer waited because of another."""
    pairs = served(word, budget).blame()
    pairs = pairs[pairs["request"] != pairs["by"]].groupby(["request", "by"])["seconds"].sum().reset_index()
    ordered = pairs.sort_values(["request", "seconds"], ascending=[True, False], kind="stable")
    return ordered.assign(customer=ordered["request"] + 1, by=ordered["by"] + 1)[
        ["customer", "by", "seconds"]
    ]


def because(word: str, budget: str, customer: int) -> str:
    """Say for whom a customer waited, the longest first."""
    pairs = by_others(word, budget)
    own = pairs[pairs["customer"] == customer]
    if own.empty:
        return "nobody"
    rest = own["seconds"].iloc[NAMED:]
    *each_s, rest_s = numbers.adding_up([*own["seconds"].head(NAMED), rest.sum()], 2)
    named = [f"{by} ({one_s:.2f} s)" for by, one_s in zip(own["by"], each_s, strict=False)]
    others = f", {len(rest)} others ({rest_s:.2f} s)" if len(rest) else ""
    return f"customer{'s' * (len(own) > 1)} {', '.join(named)}{others}"


@lru_cache(maxsize=KEPT)
def told(word: str, budget: str, customer: int) -> str:
    """Say what a customer waited for under a scheduler, and because of whom, as Markdown."""
    request = served(word, budget).requests.iloc[customer - 1]
    causes = served(word, budget).lateness().iloc[customer - 1]
    others_s = causes["others_prefill_s"] + causes["batch_s"] + causes["preempted_s"]
    queue_s, passes_s = numbers.adding_up([causes["queue_s"], others_s], 2)
    done = f"{request['e2e_s']:.1f} s"
    return (
        f"- **{word}**: first word after {request['ttft_s']:.1f} s, done after {done}. Of the {done}, "
        f"{queue_s:.2f} s in the queue and {passes_s:.2f} s in passes that others made longer, "
        f"{causes['queue_s'] + others_s:.2f} s in all. They waited for {because(word, budget, customer)}."
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
