"""The sums behind chapter 3's figures."""

from functools import lru_cache

import numpy as np

from pages.ui import numbers
from pages.ui.batching_figures import who_froze
from pages.ui.charts import KEPT
from pages.ui.first_word import PROMPT_TOKENS, SHORT_TOKENS, TO_COME, first_word_s, run_of
from pages.ui.guess import Guess
from pages.ui.ladder import ANEW, FIXED, SEATS, felt, peak_share, rush, served, step
from pages.ui.lone_sums import counted_from, in_ms
from pages.ui.numbers import ms
from pages.ui.same_latency import ALIKE, LEVEL_MS, NUM_REQUESTS, SEED, UNEQUAL, at_level
from pages.ui.sources import cite_result
from pages.ui.sums import Sum
from sim import QUOTED

MONDAY = "Requests: data/monday.csv, made for this module."


@lru_cache(maxsize=KEPT)
def first_word(made: Guess) -> Sum:
    """Return the sum behind the second customer's wait: of fixed batches, and when revealed of deciding anew."""
    word = ANEW.word if made.is_revealed else FIXED.word
    request = run_of(word).requests.iloc[1]
    wait_s = request["admitted_s"] - request["arrival_s"]
    waiting, reading = in_ms([wait_s, first_word_s(word) - wait_s], 1)
    return Sum(
        "simulated",
        f"first word, {word}",
        "The wait until the customer is seated, and the pass that reads the prompt and writes the first token.",
        (
            ("first customer's prompt", numbers.tokens(PROMPT_TOKENS)),
            ("of its reply still to come", numbers.tokens(TO_COME)),
            ("second customer's prompt, and reply", numbers.tokens(SHORT_TOKENS)),
            ("waits for a seat", waiting),
            ("the pass that reads", reading),
        ),
        f"first word after {ms(first_word_s(word), 1)}",
        counted_from(),
    )


@lru_cache(maxsize=KEPT)
def waits(above: str, below: str, budget: str) -> Sum:
    """Return the sum behind the two panels."""
    values = [("requests", numbers.count(len(rush()))), ("seats", numbers.count(SEATS))]
    values += [("tokens a pass, at most (in pieces)", numbers.count(int(budget)))]
    for word in dict.fromkeys((above, below)):
        run = served(word, budget)
        values += [
            (f"{word}: engine's name", step(word).scheduler),
            (f"{word}: passes", numbers.count(run.outcome.num_passes)),
            (f"{word}: memory held, at most", f"{run.summary()['peak_kv_share']:.0%}"),
            (
                f"{word}: sum of {len(rush())} waits for the first word",
                f"{run.requests['ttft_s'].sum():.1f} s",
            ),
        ]
    values.append(("memory held by any of the four, at most", f"{peak_share():.0%}"))
    averages = [f"{word} {felt(word, budget).first_word_s:.2f} s" for word in (above, below)]
    return Sum(
        "simulated",
        "who waits for whom",
        "Every pass is made up by the scheduler's rule and takes as long as its work: weights and KV to fetch, tokens "
        "to compute. The average is the sum of the waits ÷ their number. Paged memory, 16 bits, no guessing.",
        tuple(values),
        f"first word on average: {' and '.join(averages)}",
        f"{MONDAY} {counted_from()}",
    )


@lru_cache(maxsize=KEPT)
def freezes(above: str, below: str, budget: str) -> Sum:
    """Return the sum behind the longest freezes."""
    return Sum(
        "simulated",
        "the longest freeze",
        "Of every reply, the longest time between one token and the next; of these the longest.",
        tuple(
            (f"{word}: {who_froze(felt(word, budget))}", ms(felt(word, budget).freeze_s, 1))
            for word in dict.fromkeys((above, below))
        ),
        f"{ms(felt(above, budget).freeze_s, 1)} above, {ms(felt(below, budget).freeze_s, 1)} below",
        f"{MONDAY} {counted_from()}",
    )


@lru_cache(maxsize=KEPT)
def passes(above: str, below: str, budget: str) -> Sum:
    """Return the sum behind the passes of both panels: how many, and the longest."""
    values = []
    for word in dict.fromkeys((above, below)):
        events = served(word, budget).passes
        each_s = (events["end_s"] - events["start_s"]) / events["passes"]
        values += [
            (f"{word}: passes", numbers.count(events["passes"].sum())),
            (f"{word}: the longest (of equal ones in a row: their mean)", ms(each_s.max(), 1)),
            (
                f"{word}: read in it",
                numbers.tokens(int(events["prefill_tokens"].iloc[int(np.argmax(each_s))])),
            ),
        ]
    return Sum(
        "simulated",
        "the passes",
        "A pass takes its fixed part, fetching (all weights, and the KV of everyone in it) and arithmetic (its "
        "tokens), less what of the shorter of those two hides under the longer.",
        tuple(values),
        "the longest pass is the one that reads most",
        f"{MONDAY} {counted_from()}",
    )


@lru_cache(maxsize=KEPT)
def blame(customer: int) -> Sum:
    """Return the sum behind whom a customer waits for."""
    return Sum(
        "simulated",
        f"whom customer {customer} waited for",
        "Time in the queue is shared equally among those seated meanwhile. A pass's time beyond what it would have "
        "taken with the customer alone is shared among the others in it, by their work in that pass.",
        (),
        "the shares add up to all the time the customer lost to others",
        f"{MONDAY} {counted_from()}",
    )


@lru_cache(maxsize=KEPT)
def orca() -> Sum:
    """Return what Orca's authors claim, and where."""
    quoted, lengths = QUOTED["orca-throughput"], (QUOTED["orca-prompt-tokens"], QUOTED["orca-reply-tokens"])
    return Sum(
        "quoted",
        "Orca's claim",
        quoted.what[0].upper() + quoted.what[1:] + ".",
        tuple((one.what, f"{one.value:g} to {one.upper:g} {one.unit}") for one in lengths),
        f"{quoted.value:g} ×",
        cite_result(quoted),
    )


@lru_cache(maxsize=KEPT)
def ratio() -> Sum:
    """Return the sum behind our own ratio at equal latency."""
    values = []
    for traffic in (ALIKE, UNEQUAL):
        at = at_level(traffic)
        values += [
            (f"{traffic}: {FIXED.word}", f"{at.fixed_per_s:.2f} requests/s"),
            (f"{traffic}: {ANEW.word}", f"{at.anew_per_s:.2f} requests/s"),
        ]
    return Sum(
        "simulated",
        "our own ratio",
        f"Steady traffic of {NUM_REQUESTS} requests at random moments (seed {SEED}) is served at each rate. "
        "Latency is the median of a reply's whole time, its wait in the queue included, ÷ its tokens. Where a line "
        f"crosses {LEVEL_MS:.0f} ms a token, between two rates in proportion, its rate is read off; the ratio "
        "divides the two.",
        tuple(values),
        " and ".join(f"{at_level(traffic).ratio:.1f} × ({traffic})" for traffic in (ALIKE, UNEQUAL)),
        counted_from(),
    )
