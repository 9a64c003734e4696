"""The figures that chapter 6's texts are filled with."""

from dataclasses import replace
from functools import cache, lru_cache

from pages.ui import numbers
from pages.ui.batch_curve import (
    KNEE,
    MOST,
    curve,
    fitting,
    fullest,
    knee,
    largest,
    monday_curve,
    monday_trace,
    queue,
)
from pages.ui.batch_guess import CROWD, SO_FAR, each_per_s
from pages.ui.batch_price import ASSUMED, REPLIES, replies_dollars, told
from pages.ui.cap_waits import CUSTOMERS as STEADY
from pages.ui.cap_waits import SHARES
from pages.ui.charts import KEPT
from pages.ui.served import server
from sim import MONDAY_TARGETS, Settings

PROMISE = 40  # tokens a second: where the promise begins, and that of the mission


@lru_cache(maxsize=KEPT)
def figures(price: float) -> dict[str, str]:
    """Return the figures of the chapter's texts at a price of the server, in dollars an hour."""
    return of_the_guess() | of_the_queue() | of_the_memory() | of_the_prices(price) | of_monday()


@cache
def of_the_guess() -> dict[str, str]:
    """Return the figures of many who write at once."""
    alone, each = each_per_s(1), each_per_s(CROWD)
    return {
        "crowd": numbers.count(CROWD),
        "so_far": numbers.tokens(SO_FAR),
        "alone": f"{alone:.0f}",
        "truth": f"{each:.0f}",
        "shared": f"{alone / CROWD:.1f}",
        "crowd_pass": numbers.ms(1 / each, 1),
        "alone_pass": numbers.ms(1 / alone, 1),
        "all": numbers.count(CROWD * each),
        "times_all": f"{CROWD * each / alone:.0f}",
    }


def of_the_queue() -> dict[str, str]:
    """Return the figures of the saturated server."""
    dots = curve(1)
    crowd, full = dots[CROWD - 1], dots[-1]
    return {
        "customers": numbers.count(len(queue(1))),
        "one": "1",
        "of_all": "100",
        "shares": ", ".join(SHARES.values()),
        "steady": numbers.count(STEADY),
        "target": f"{MONDAY_TARGETS.ttft_s:g} s",
        "most": numbers.count(MOST),
        "promise": numbers.count(PROMISE),
        "in_queue_crowd": f"{crowd.pace_per_s:.0f}",
        "times_server": f"{crowd.server_per_s / dots[0].server_per_s:.0f}",
        "pace_kept": f"{crowd.pace_per_s / dots[0].pace_per_s:.0%}",
        "full_each": f"{full.pace_per_s:.0f}",
        "full_server": numbers.count(full.server_per_s),
        "best_server": numbers.count(fullest(dots).server_per_s),
        "full_repeats": numbers.count(full.preemptions),
    }


def of_the_texts(times: int) -> dict[str, str]:
    """Return the mean lengths of texts `times` as long."""
    trace = queue(times)
    return {
        "prompt_mean": f"{trace.prompt_tokens.mean():.0f}",
        "reply_mean": numbers.count(trace.output_tokens.mean()),
    }


def of_the_memory() -> dict[str, str]:
    """Return the figures of what fits, where the server writes most, and where the knee would be."""
    return {
        "fitting": numbers.count(fitting(1)),
        "fitting_doubled": numbers.count(fitting(2)),
        "best_batch": numbers.count(fullest(curve(1)).batch),
        "best_batch_doubled": numbers.count(fullest(curve(2)).batch),
        "knee": numbers.count(knee(1).batch),
        "knee_doubled": numbers.count(knee(2).batch),
        "knee_share": f"{KNEE:.0%}",
        "blocks": numbers.count(server().num_blocks(Settings())),
    }


def of_the_prices(price: float) -> dict[str, str]:
    """Return the figures of what replies cost: one at a time, and in the crowd's batch."""
    one, many = (replies_dollars(curve(1)[batch - 1].replies_per_s, price) for batch in (1, CROWD))
    return {
        "replies": numbers.count(REPLIES),
        "price": told(price),
        "assumed": told(ASSUMED),
        "price_alone": told(one),
        "monday_alone": told(replies_dollars(monday_curve()[0].replies_per_s, price)),
        "price_crowd": told(many),
        "times_cheaper": f"{one / many:.0f}",
    }


def of_monday() -> dict[str, str]:
    """Return the figures of Monday's caps."""
    dots = monday_curve()
    best, last = fullest(dots), dots[-1]
    same = next(dot for dot in dots if replace(dot, batch=last.batch) == last)
    return {
        "monday": numbers.count(len(monday_trace())),
        "monday_best": numbers.count(best.batch),
        "monday_best_server": numbers.count(best.server_per_s),
        "monday_best_each": f"{best.pace_per_s:.0f}",
        "monday_same_from": numbers.count(same.batch),
        "monday_last_each": f"{last.pace_per_s:.0f}",
        "monday_reply": f"{monday_trace().output_tokens.mean():.0f}",
        "queue_reply": f"{queue(1).output_tokens.mean():.0f}",
    }


def of_the_cap(times: int, cap: int) -> dict[str, str]:
    """Return what a cap gives on customers with texts `times` as long."""
    dot = curve(times)[cap - 1]
    times_told = f"{dot.preemptions:,} time{'s' * (dot.preemptions > 1)}"
    return {
        "cap": numbers.count(cap),
        "cap_each": f"{dot.pace_per_s:.1f}",
        "cap_repeats": f"customers are set aside {times_told}" if dot.preemptions else "nobody is set aside",
    }


def of_the_mission(times: int) -> dict[str, str]:
    """Return what the mission says when it is done, with texts `times` as long."""
    most, roomy = largest(times, PROMISE), largest(times, PROMISE, is_roomy=True)
    return {
        "found": numbers.count(most),
        "next_each": f"{curve(times)[most].pace_per_s:.1f}",
        "roomy": numbers.count(roomy),
    }


def is_found(times: int, cap: int) -> bool:
    """Return whether `cap` is the largest batch that keeps everyone at the mission's pace."""
    return cap == largest(times, PROMISE)
