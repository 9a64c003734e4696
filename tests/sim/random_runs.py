"""Random small cases: traces that collide, servers that are too small, settings of every combination.

Unit costs and arrivals are multiples of 2⁻²⁰ s, so that sums are exact and ties at pass ends do happen.
"""

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from sim import ACCELERATORS, MODELS, Server, Settings, Trace, UnitCosts
from sim.settings import KV_LAYOUTS, PREEMPTIONS, SCHEDULERS

TICK_S = 2.0**-20


def ticks(most):
    return st.integers(0, most).map(lambda count: count * TICK_S)


@st.composite
def unit_costs(draw):
    return UnitCosts(
        pass_s=draw(ticks(2000)),
        token_s=draw(ticks(200)),
        kv_token_s=draw(ticks(8)),
        pair_s=draw(ticks(2)),
        weight_s=draw(ticks(4000)),
        overlap=draw(st.sampled_from([0.0, 0.25, 0.5, 1.0])),
    )


@st.composite
def traces(draw, most_requests=12, longest=60):
    count = draw(st.integers(1, most_requests))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    span = draw(st.sampled_from([1, 1000, 100_000, 1_000_000]))
    prompts = rng.integers(1, longest, size=count, endpoint=True)
    cached = np.where(rng.random(count) < draw(st.sampled_from([0, 0.5])), rng.integers(0, prompts), 0)
    outputs = rng.integers(1, draw(st.sampled_from([3, longest])), size=count, endpoint=True)
    return Trace(rng.integers(0, span, size=count) * TICK_S, prompts, outputs, cached)


@st.composite
def settings(draw, most_guesses=0, **fixed):
    chosen = {
        "scheduler": draw(st.sampled_from(SCHEDULERS)),
        "max_num_seqs": draw(st.sampled_from([1, 2, 3, 5, 100])),
        "max_num_batched_tokens": draw(st.sampled_from([1, 2, 7, 16, 64, 1000])),
        "kv_layout": draw(st.sampled_from(KV_LAYOUTS)),
        "block_size": draw(st.sampled_from([1, 3, 4, 16])),
        "max_model_len": draw(st.sampled_from([100, 128])),
        "preemption": draw(st.sampled_from(PREEMPTIONS)),
        "num_speculative_tokens": draw(st.integers(0, most_guesses)),
        "acceptance_rate": draw(st.sampled_from([0.0, 0.5, 0.8, 1.0])),
        "seed": draw(st.integers(0, 3)),
    }
    return Settings(**(chosen | fixed))


@st.composite
def servers(draw, block_size=4, **fixed):
    tokens = draw(st.sampled_from([60, 130, 250, 1000, 100_000]))
    chosen = {
        "num_gpu_blocks": 2 + tokens // block_size,
        "costs": draw(unit_costs()),
        "draft": MODELS["opt-125m"],
        "draft_costs": draw(unit_costs()),
        "replicas": draw(st.sampled_from([1, 1, 1, 2])),
    }
    return Server(MODELS["opt-13b"], ACCELERATORS["a100-80gb"], **(chosen | fixed))


@st.composite
def cases(draw, most_guesses=3, **fixed):
    chosen = draw(settings(most_guesses=most_guesses, **fixed))
    server = draw(servers(block_size=chosen.block_size))
    link = server.block_bytes(chosen) / chosen.block_size * 2**15  # a block takes 2⁻¹⁵ s a token, exactly
    exact = replace(server, accelerator=replace(server.accelerator, link_bytes_per_s=link))
    return draw(traces()), exact, chosen
