"""Random cases for the oracle and the engine: all settings, little memory, exact seconds, ties wanted.

Seconds are small multiples of one tick of 2⁻²⁰ s (at fewer bits, of a small fraction of it), so that sums in
floats are exact in any order and arrivals often fall on the very end of a pass.
"""

from dataclasses import replace
from typing import Any, NamedTuple

from hypothesis import strategies as st

from sim import Accelerator, Assumptions, ModelShape, Server, Settings, Trace, UnitCosts
from sim.settings import KV_LAYOUTS, PREEMPTIONS, SCHEDULERS
from sim.shape import KV_BITS, WEIGHT_BITS

TICK_S = 2.0**-20
# A token of this model has 4 bytes of KV. What counting says of it on this accelerator is exact too, and
# above all given costs: fewer bits scale these down by dyadic shares.
MODEL = ModelShape(2**17, 2**17, num_layers=1, hidden_size=1, num_heads=1, num_kv_heads=1, head_dim=1)
DRAFT = replace(MODEL, params=2**7, active_params=2**7)
ACCELERATOR = Accelerator(2**30, 2.0**20, 2.0**30, link_bytes_per_s=2.0**22, price_per_hour=1.0)
ASSUMPTIONS = Assumptions(1.0, 1.0, overhead_s=TICK_S, overlap=0.5, activation_bytes=0)
# one draw each, from lists in which what should come more often stands more often
GAPS = st.sampled_from([0, 0, *range(13), *[0] * 12, 60, 200])  # ticks
PROMPTS, OUTPUTS = st.integers(1, 24), st.sampled_from([*range(1, 17), *range(8, 17)])
CACHED = st.sampled_from([*[0] * 20, *range(24)])


class Case(NamedTuple):
    """One input of a run."""

    trace: Trace
    server: Server
    settings: Settings


def server_of(costs: UnitCosts, num_blocks: int, **changes: Any) -> Server:
    """Return a server with `num_blocks` usable blocks beside the null block."""
    return Server(
        MODEL, ACCELERATOR, ASSUMPTIONS, costs=costs, num_gpu_blocks=num_blocks + 1, draft=DRAFT, **changes
    )


def ticks(most: int) -> st.SearchStrategy[float]:
    """Return 0 to `most` ticks, in seconds; 0 every other time."""
    return st.sampled_from([n * TICK_S for n in (*[0] * most, *range(most + 1))])


def unit_costs() -> st.SearchStrategy[UnitCosts]:
    """Return costs of a few ticks; experts all or none, as other shares are not exact."""
    return st.builds(
        UnitCosts,
        pass_s=st.integers(0, 4).map(lambda n: n * TICK_S),
        token_s=ticks(2),
        kv_token_s=ticks(2),
        pair_s=ticks(1),
        weight_s=ticks(8),
        overlap=st.sampled_from([0.0, 0.25, 0.5, 1.0]),
        expert_s=ticks(4),
        expert_share=st.sampled_from([0.0, 1.0]),
    )


@st.composite
def traces(draw: st.DrawFn, /, *, most_requests: int = 10) -> Trace:
    """Return up to `most_requests` requests, many at once, some far apart, a few with cached tokens."""
    row = st.tuples(GAPS, PROMPTS, OUTPUTS, CACHED)
    count = draw(st.sampled_from([*range(most_requests + 1), *range(4, most_requests + 1)]))
    rows = draw(st.lists(row, min_size=count, max_size=count))
    arrivals, now = [], 0
    for gap, *_ in rows:
        now += gap
        arrivals.append(now * TICK_S)
    prompts, outputs = [row[1] for row in rows], [row[2] for row in rows]
    return Trace(arrivals, prompts, outputs, [min(row[3], row[1] - 1) for row in rows])


def settings_of(**fixed: Any) -> st.SearchStrategy[Settings]:
    """Return settings of every combination; those `fixed` stay."""
    drawn: dict[str, st.SearchStrategy[Any]] = {
        "scheduler": st.sampled_from(SCHEDULERS),
        "max_num_seqs": st.sampled_from([2, 3, *range(1, 11)]),
        "max_num_batched_tokens": st.sampled_from([*range(1, 13), *range(12, 97, 7)]),
        "kv_layout": st.sampled_from(["paged"] * 3 + list(KV_LAYOUTS)),  # paged alone preempts
        "block_size": st.integers(1, 5),
        "max_model_len": st.sampled_from([40, 41, 30]),
        "preemption": st.sampled_from(PREEMPTIONS),
        "weight_bits": st.sampled_from([16] * 4 + list(WEIGHT_BITS)),
        "kv_bits": st.sampled_from([16] * 2 + list(KV_BITS)),
        "num_speculative_tokens": st.sampled_from([0] * 5 + [1, 2, 3, 4, 5]),
        "acceptance_rate": st.sampled_from([0.0, 0.5, 0.7, 1.0]),
        "seed": st.integers(0, 2**32 - 1),
    }
    return st.builds(Settings, **drawn | {name: st.just(value) for name, value in fixed.items()})


@st.composite
def cases(draw: st.DrawFn, /, *, most_requests: int = 10, **fixed: Any) -> Case:
    """Return a random case; `fixed` are fields of Settings that must not vary.

    Memory holds the longest request with little to spare, so that several seldom fit; now and then less.
    """
    trace = draw(traces(most_requests=most_requests))
    settings = draw(settings_of(**fixed))
    longest = max((trace.prompt_tokens + trace.output_tokens).tolist(), default=1)
    if settings.kv_layout in ("reserve-max", "reserve-pow2"):
        longest = settings.max_model_len
    spare = draw(st.integers(-6, 60))  # tokens
    server = server_of(
        draw(unit_costs()),
        num_blocks=max(0, -(-(longest + spare) // settings.block_size)),
        draft_costs=draw(st.none() | unit_costs()) if settings.num_speculative_tokens else None,
        replicas=draw(st.sampled_from([1, 1, 1, 2, 3])),
    )
    return Case(trace, server, settings)
