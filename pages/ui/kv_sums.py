"""The sums behind chapter 2's figures."""

from functools import lru_cache

from pages.ui import numbers
from pages.ui.charts import KEPT
from pages.ui.kv_card import CARDS, parts_of, requests_that_fit
from pages.ui.kv_factors import shown_models
from pages.ui.kv_lengths import blocks_of, paged_fit
from pages.ui.kv_seats import free_bytes, request_bytes
from pages.ui.kv_waste import PAPERS, paper_seats
from pages.ui.lone_sums import counted_from
from pages.ui.monday_memory import LAYOUTS, mean_seated, num_blocks, rush_shares, seats_promised, started_over
from pages.ui.served import server
from pages.ui.sources import cite_accelerator, cite_model, cite_result
from pages.ui.sums import Sum
from sim import QUOTED, ModelShape, Settings, monday

LAST = "the last token written is never read again, so it takes no memory"


@lru_cache(maxsize=KEPT)
def seats(is_revealed: bool) -> Sum:
    """Return the sum behind the requests that fit; how many only when revealed."""
    size = Settings().block_size
    longest = Settings().max_model_len
    fit = f"{seats_promised()} requests" if is_revealed else "how many? your guess"
    return Sum(
        "simulated",
        "requests at once",
        "Whole blocks that are free ÷ blocks that one request is promised, rounded down.",
        (
            ("free, in whole blocks", f"{numbers.count(free_bytes())} bytes"),
            (f"blocks of {numbers.tokens(size)}", numbers.count(num_blocks())),
            ("one request", f"{numbers.tokens(longest)} = {numbers.count(request_bytes())} bytes"),
            ("its blocks", numbers.count(longest // size)),
        ),
        fit,
        counted_from(),
    )


@lru_cache(maxsize=KEPT)
def models() -> Sum:
    """Return the sum behind the other models' bytes per token."""
    rows = tuple(
        (f"{key}: layers × bytes a layer keeps", layers_of(shape)) for key, shape in shown_models().items()
    )
    return Sum(
        "simulated",
        "KV cache a token, by model",
        "2 (key and value) × layers × heads that keep their own × width of a head × 2 bytes; a model that keeps one "
        "latent for all heads: layers × its width × 2 bytes. Counted from the published shapes.",
        rows,
        f"{len(rows)} models",
        " ".join(cite_model(key) for key in shown_models()),
    )


def layers_of(shape: ModelShape) -> str:
    """Return a model's layers and what each keeps of a token."""
    return f"{shape.num_layers} × {shape.kv_bytes_per_token() // shape.num_layers:,}"


@lru_cache(maxsize=KEPT)
def card(weight_bits: int, is_revealed: bool) -> Sum:
    """Return the sum behind the parts of Larkspur's card."""
    one = server()
    parts = parts_of(one, weight_bits)
    fit = f": {requests_that_fit(one, weight_bits)} of the longest requests" if is_revealed else ""
    return Sum(
        "simulated",
        "what fills a card",
        "KV = memory × the share given to the server − weights − room to work in (assumed). Below 16 bits every 128 "
        "weights carry a scale and a zero of 16 bits each: what their small whole numbers stand for (chapter 4).",
        (
            ("memory", f"{numbers.count(one.accelerator.memory_bytes)} bytes"),
            ("share given to the server", f"{one.gpu_memory_utilization:.0%}"),
            (f"weights at {weight_bits} bits", f"{numbers.count(parts['weights'])} bytes"),
            ("room to work in", f"{numbers.count(parts['working room'])} bytes (assumed)"),
            ("left for KV, in whole blocks", f"{numbers.count(whole_blocks_bytes(weight_bits))} bytes"),
        ),
        f"{numbers.count(parts['KV'])} bytes for KV{fit}",
        f"{cite_model('opt-13b')} {cite_accelerator('a100-80gb')}",
    )


def whole_blocks_bytes(weight_bits: int) -> int:
    """Return the bytes of the blocks that Larkspur's server has beside weights of so many bits."""
    size = Settings().block_size * server().model.kv_bytes_per_token()
    return server().num_blocks(Settings(weight_bits=weight_bits)) * size


@lru_cache(maxsize=KEPT)
def parking() -> Sum:
    """Return the sum behind the car park."""
    return Sum(
        "simulated",
        "Monday in the card's blocks",
        "Each of the requests takes blocks as the run says: reserved ones at the address that the run gave them, paged "
        f"ones wherever a block is free (here the free one of lowest number). {LAST[0].upper()}{LAST[1:]}.",
        (
            ("requests", numbers.count(len(monday()))),
            ("blocks", numbers.count(num_blocks())),
            ("tokens a block", numbers.count(Settings().block_size)),
            ("started over when paged memory ran out", numbers.count(started_over())),
        ),
        "who holds which block, pass by pass",
        f"data/monday.csv. {counted_from()}",
    )


@lru_cache(maxsize=KEPT)
def waste() -> Sum:
    """Return the sum behind the kinds of waste."""
    rows = tuple((layout, f"{rush_shares(layout)['holds text']:.1%} hold text") for layout in LAYOUTS)
    return Sum(
        "simulated",
        "what the memory holds",
        "Tokens held ÷ tokens that all blocks could hold, as a mean over the time in which somebody waits.",
        rows,
        f"{num_blocks() * Settings().block_size:,} places for tokens",
        counted_from(),
    )


@lru_cache(maxsize=KEPT)
def paper_shares() -> Sum:
    """Return what the paper printed of the same four layouts."""
    quoted = [QUOTED[f"kv-used-{PAPERS[layout]}"] for layout in LAYOUTS]
    rows = tuple((one.what, f"{one.value:g}%") for one in quoted)
    source = cite_result(quoted[-1])
    return Sum("quoted", "the paper's shares", "As printed.", rows, "share that holds real tokens", source)


@lru_cache(maxsize=KEPT)
def seated(is_revealed: bool) -> Sum:
    """Return the sum behind the mean seats, ours and the paper's."""
    layouts = [layout for layout in LAYOUTS if is_revealed or layout != "Max"]
    memory, slots = QUOTED["kv-memory-a100-40gb"], QUOTED["kv-slots-a100-40gb"]
    room = f"{memory.value:g} {memory.unit}, {slots.value:,.0f} tokens"
    rows = (*((layout, seats_of(layout)) for layout in layouts), ("KV memory in the paper", room))
    source = f"{counted_from()} The paper's: {cite_result(QUOTED['batched-vllm'])}"
    formula = "Requests that hold memory, as a mean over the time in which somebody waits."
    return Sum("simulated", "seats over time", formula, rows, "requests at once", source)


def seats_of(layout: str) -> str:
    """Return the mean seats of a layout, ours and the paper's."""
    return f"{mean_seated(layout):.1f} here, {paper_seats(layout):.2f} in the paper"


@lru_cache(maxsize=KEPT)
def fit(tokens: int) -> Sum:
    """Return the sum behind how many requests of one length fit."""
    size = Settings().block_size
    return Sum(
        "simulated",
        "requests of one length",
        "Paged: all blocks ÷ blocks of one request, both whole.",
        (
            ("all blocks", numbers.count(num_blocks())),
            (f"{numbers.tokens(tokens)}, all but the last", f"{blocks_of(tokens)} blocks of {size}"),
        ),
        f"{paged_fit(tokens)} requests fit paged",
        counted_from(),
    )


def cited() -> list[str]:
    """Return what the chapter quotes and counts from, as lines of Markdown."""
    quoted = [cite_result(QUOTED[key]) for key in ("kv-bytes-per-token", "kv-used-vllm", "batched-vllm")]
    return [*quoted, *map(cite_model, shown_models()), *map(cite_accelerator, CARDS)]
