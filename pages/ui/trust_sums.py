"""The sums, tables and figures of *How far to trust it*."""

from functools import cache

import pandas as pd

from pages.ui import mini, numbers
from pages.ui.cited import works
from pages.ui.lone_sums import counted_from
from pages.ui.served import costs, server
from pages.ui.sources import day, escape_stars
from pages.ui.sums import Sum
from pages.ui.trust_passes import PUBLISHED, TEXT_SO_FAR, Does, apart_share, gap, times_s
from pages.ui.trust_what_if import (
    FOUR,
    LETTER,
    LONG,
    OFF,
    SHOWN,
    TOLD,
    changed,
    ends_s,
    in_words,
    result_s,
    value_of,
    widest,
)
from sim import MEASURED_PASSES, Settings, prompt_pairs
from sim.measured import Fit
from sim.recorded import RECORDED_RUNS
from sim.vllm_flags import RELEASE

RUN = RECORDED_RUNS["vllm-rtx4090"]
TRIED = {"given": 0, "counted": 1, "fitted": 2, "first": 3, "others": 4}  # places in the file


@cache
def figures() -> dict[str, str]:
    """Return the figures of the page's texts."""
    return of_the_assumptions() | of_the_gaps() | of_the_changes() | of_the_run()


def of_the_assumptions() -> dict[str, str]:
    """Return the assumptions as they are: the four of the unit costs, and the others."""
    four = {one.name: in_words(one, value_of(one)) for one in FOUR} | {"off": f"{OFF:.0%}"}
    card = server().accelerator
    return four | {
        "working_room": numbers.memory(server().assumptions.activation_bytes),
        "link": f"{card.link_bytes_per_s / 1e9:g}",
        "acceptance": numbers.percent(Settings().acceptance_rate),
        "price": f"{card.price_per_hour:g}",
    }


def of_the_gaps() -> dict[str, str]:
    """Return how far assumed times lie from published ones, over both charts."""
    engine, vllm = PUBLISHED
    told = {"engine": engine, "vllm": vllm}
    kinds: tuple[Does, ...] = ("reads", "writes")
    for does in kinds:
        for name, short in ((engine, "engine"), (vllm, "vllm")):
            between = gap(name, does)
            told[f"{does}_{short}_low"] = f"{abs(between.low):.0%}"
            told[f"{does}_{short}_high"] = f"{abs(between.high):.0%}"
    apart = max(apart_share(does) for does in kinds)
    return told | {"text_so_far": numbers.count(TEXT_SO_FAR), "apart": f"{apart:.0%}"}


def of_the_changes() -> dict[str, str]:
    """Return what moves each result most, and by how much."""
    told = {"letter": numbers.count(LETTER), "prompt": numbers.count(mini.example().prompt_tokens)}
    for shown in SHOWN:
        one, share = widest(shown)
        told |= {f"{TOLD[shown]}_what": one.words, f"{TOLD[shown]}_most": f"{share:.0%}"}
        told[TOLD[shown]] = numbers.ms(result_s(shown, costs()))
    return told


def of_the_run() -> dict[str, str]:
    """Return what the benchmark says of the recorded run."""
    told = {"run": RUN.name, "run_requests": numbers.count(RUN.requests), "run_day": day(RUN.day)}
    told |= {"run_wait": f"{RUN.ttft_s:.0f} s", "run_pace": numbers.ms(RUN.tpot_s), "command": RUN.command}
    told |= {"run_version": RUN.name.partition(" serving")[0], "release": RELEASE.version}
    told["cited_version"] = works()["vllm-optimization"].source.venue
    for name, place in TRIED.items():
        errors = RUN.tries[place].errors_percent
        told |= {f"{name}_worst": f"{max(map(abs, errors)):.2f}%"}
        told |= {
            f"{name}_{key}": f"{error:+.2f}"
            for key, error in zip(("ttft", "tpot", "e2e"), errors, strict=True)
        }
    told["counted_worst"] = f"{max(map(abs, RUN.tries[TRIED['counted']].errors_percent)):.0f}%"
    told["given_preemptions"] = numbers.count(RUN.tries[TRIED["given"]].preemptions)
    told["fitted_preemptions"] = numbers.count(RUN.tries[TRIED["fitted"]].preemptions)
    return told


def run_table() -> pd.DataFrame:
    """Return a row a simulation of the recorded run: the errors of its means in percent, and its preemptions."""
    table = pd.DataFrame([vars(tried) for tried in RUN.tries])
    return table.rename(columns={"costs": "what", "preemptions": "preempted_requests"})


def one_pass(does: Does) -> Sum:
    """Return the sum behind the assumed line of a chart of passes, at its right end."""
    unit, seconds = costs(), times_s(does)["assumed here"]
    reads = does == "reads"
    tokens = 2048 if reads else 128
    work = (
        ("tokens computed", numbers.count(tokens)),
        ("KV tokens fetched", numbers.count(tokens if reads else tokens * TEXT_SO_FAR)),
        ("pairs of prompt tokens", numbers.count(prompt_pairs(0.0, float(tokens)) if reads else 0)),
    )
    each = (
        ("fixed part", numbers.brief(unit.pass_s)),
        ("fetching all weights", numbers.ms(unit.weight_s, 2)),
        ("fetching the KV of a token", f"{unit.kv_token_s * 1e6:.2f} µs"),
        ("arithmetic of a token", numbers.brief(unit.token_s)),
        ("arithmetic of a pair", f"{unit.pair_s * 1e9:.1f} ns"),
    )
    return Sum(
        "simulated",
        "a pass that reads" if reads else "a pass that writes",
        "Fixed part + the longer of fetching and arithmetic + what of the shorter is not hidden. "
        f"Hidden is {unit.overlap:.0%} of the shorter. At the right end of the line:",
        (*work, *each),
        f"{numbers.ms(seconds[-1])} a pass",
        counted_from(),
    )


def published() -> Sum:
    """Return what stands behind the two published lines."""
    rows = []
    for name, key in PUBLISHED.items():
        fit = MEASURED_PASSES[key]
        rows += [
            (f"{name}: read n tokens, ms", terms(fit.prefill_ms, ("", "n", "n²"))),
            (f"{name}: write, ms", terms(fit.decode_ms, ("", "KV tokens", "customers"))),
            (
                f"{name}: from {fit.many} customers on, ms",
                terms(fit.decode_many_ms, ("", "KV tokens", "customers")),
            ),
            (f"{name}: mind", fit.scaled),
        ]
    first = MEASURED_PASSES["distserve-engine"]
    return Sum(
        "quoted",
        "two published sets of pass times",
        "Straight lines that others fitted to times measured on OPT-13B and an A100 80 GB.",
        tuple(rows),
        "two engines, one model, one card",
        f"{escape_stars(first.source)}. Checked {day(first.checked)}.",
    )


def terms(fit: Fit, of: tuple[str, str, str]) -> str:
    """Return the terms of a fit, as factors of what they count."""
    return " + ".join(f"{factor:.3g} {what}".strip() for factor, what in zip(fit, of, strict=True))


def what_if(shown: str) -> Sum:
    """Return the sum behind the chart of changed assumptions."""
    rows = []
    for one in FOUR:
        for times, end_s in zip((1 - OFF, 1 + OFF), ends_s(shown, one), strict=True):
            value = in_words(one, changed(one, times))
            rows.append(
                (f"{one.words} {value} instead of {in_words(one, value_of(one))}", numbers.ms(end_s, 2))
            )
    prompt = numbers.tokens(LETTER if shown == LONG else mini.example().prompt_tokens)
    return Sum(
        "simulated",
        f"{shown}, one assumption changed",
        f"The overview's sum anew (prompt of {prompt}) with one of the four assumptions {OFF:.0%} less or more, the "
        "others as they are. A share is never more than all of it.",
        tuple(rows),
        f"{numbers.ms(result_s(shown, costs()), 2)} as assumed",
        counted_from(),
    )


def recorded() -> Sum:
    """Return what stands behind the comparison with a recorded run."""
    rows = tuple(
        (f"{tried.costs}, {tried.of}", ", ".join(f"{error:+.2f}%" for error in tried.errors_percent))
        for tried in RUN.tries
    )
    return Sum(
        "quoted",
        "from our own benchmark run",
        "Simulated mean ÷ measured mean − 1: wait for the first token, time per token, whole reply.",
        rows,
        f"{RUN.name}, {RUN.requests} requests",
        f"`{RUN.command}`, {day(RUN.day)}. The recording: {RUN.source}. Checked {day(RUN.checked)}.",
    )
