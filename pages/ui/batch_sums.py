"""The sums behind the figures of pace and throughput."""

from functools import cache, lru_cache

from pages.ui import numbers
from pages.ui.batch_curve import CUSTOMERS, curve, fullest, monday_curve, monday_trace, queue
from pages.ui.batch_guess import SO_FAR, each_per_s
from pages.ui.batch_price import ASSUMED, REPLIES, replies_dollars, told
from pages.ui.cap_waits import CUSTOMERS as STEADY
from pages.ui.cap_waits import waited, waits
from pages.ui.charts import KEPT
from pages.ui.lone_sums import counted_from, part_values
from pages.ui.served import costs
from pages.ui.sums import Sum
from sim import pass_time


@cache
def each(customers: int) -> Sum:
    """Return the sum behind what each gets of so many who write at once."""
    time = pass_time(costs(), float(customers), float(customers * (SO_FAR + 1)), 0.0)
    return Sum(
        "simulated",
        f"pace of each, {numbers.count(customers)} at once",
        "One pass writes one token for every customer: pace = 1 ÷ the time of a pass. It fetches the weights once for "
        "all, the KV cache of each, and does each one's arithmetic; part of the shorter hides under the longer.",
        part_values(time),
        f"1 ÷ {numbers.ms(time.total_s, 1)} = {each_per_s(customers):.1f} tokens a second",
        counted_from(),
    )


@lru_cache(maxsize=KEPT)
def saturated(times: int, price: float, cap: int) -> Sum:
    """Return the sum behind the dots of the saturated server: of the one at the reader's cap."""
    dot, trace = curve(times)[cap - 1], queue(times)
    cost = told(replies_dollars(dot.replies_per_s, price))
    return Sum(
        "simulated",
        f"pace, throughput and price at {numbers.count(cap)} at once, the cap of “Break it”",
        f"Each dot is one run of {numbers.count(CUSTOMERS)} customers with a cap on the batch. Pace = 1 ÷ the time "
        "per token of the customer slower than 99 in 100 (all of the reply, others' reading included). Throughput = "
        f"tokens written ÷ time. Price = {numbers.count(REPLIES)} ÷ replies an hour × dollars an hour.",
        (
            ("prompt, mean", f"{trace.prompt_tokens.mean():.0f} tokens"),
            ("reply, mean", f"{trace.output_tokens.mean():.0f} tokens"),
            ("at once (your cap, under “Break it”)", numbers.count(cap)),
            ("pace", f"{dot.pace_per_s:.1f} tokens a second"),
            ("throughput", f"{dot.server_per_s:,.0f} tokens a second"),
            ("replies an hour", numbers.count(3600 * dot.replies_per_s)),
            (
                "price of the server",
                f"{told(price)} an hour (yours; it begins at {told(ASSUMED)}, an assumption)",
            ),
        ),
        f"{cost} for {numbers.count(REPLIES)} replies",
        counted_from(),
    )


@lru_cache(maxsize=KEPT)
def steady(rate_per_minute: int) -> Sum:
    """Return the sum behind the waits."""
    last = waits(rate_per_minute)[-1]
    return Sum(
        "simulated",
        "waits at your rate",
        f"For each cap, {numbers.count(STEADY)} customers arrive at random at this rate, with Monday's lengths drawn "
        "at random. Wait = arrival to first token. Percentiles are linear between the two nearest customers.",
        (
            ("rate", f"{rate_per_minute / 60:.2f} customers a second"),
            ("largest cap: 99 in 100", waited(last.p99_s)),
        ),
        f"1 in 2 within {waited(last.p50_s)} at the largest cap",
        counted_from(),
    )


@cache
def rush() -> Sum:
    """Return the sum behind Monday's dots."""
    best = fullest(monday_curve())
    return Sum(
        "simulated",
        f"Monday's {len(monday_trace())} requests, cap by cap",
        "Each dot is one run of Monday with a cap on the batch. Throughput = tokens written ÷ time from the first "
        "arrival to the last token.",
        (
            ("tokens written", numbers.count(monday_trace().output_tokens.sum())),
            ("a reply, mean", f"{monday_trace().output_tokens.mean():.0f} tokens"),
            ("nearly the slowest", "between the two slowest (all but 1 in 100, read between customers)"),
            ("best cap for throughput", numbers.count(best.batch)),
        ),
        f"{best.server_per_s:.0f} tokens a second at a cap of {best.batch}",
        f"data/monday.csv, made for this module. {counted_from()}",
    )
