"""The sums behind chapter 4's figures."""

from functools import cache, lru_cache

from larkspur import held_out_texts
from larkspur.calibration import N_TEXTS, N_TOKENS
from pages.ui import numbers
from pages.ui.batch_curve import monday_trace
from pages.ui.bits_batch import POINTLESS, TOKENS, passes_s, room, told_times
from pages.ui.bits_cliff import told
from pages.ui.bits_figures import PROMISED
from pages.ui.bits_layers import percent, worst
from pages.ui.bits_models import FEWER, FULL, LINEAR_WEIGHTS, Replies, full, measured, num_tokens
from pages.ui.bits_quoted import FEW_MS, MANY_MS, more_percent, perplexity
from pages.ui.bits_seats import SO_FAR, gb, served
from pages.ui.bits_words import count_same
from pages.ui.charts import KEPT
from pages.ui.lone_sums import counted_from
from pages.ui.served import server
from pages.ui.sources import cite_result
from pages.ui.sums import Sum
from sim import MONDAY_TARGETS, QUOTED, Settings

MINI = "larkspur, run by NumPy on the server that hosts this page; the weights are in data/larkspur-mini"
BROWSER = "Larkspur mini in JavaScript in your browser, or by NumPy on the server where the page says so"


@lru_cache(maxsize=KEPT)
def cliff(scales: str) -> Sum:
    """Return the sum behind the cliff."""
    four = measured(4, "GPTQ", scales)
    return Sum(
        "run for real here",
        "Larkspur mini at every width",
        "The weights of mini's linear layers are stored as whole numbers of so many bits, with a scale and a zero "
        "point for each row or group. Perplexity = e to the mean of −log (the chance mini gave the token that came). "
        "Agreement = share of tokens for which the likeliest one is that of 16 bits. GPTQ is calibrated on "
        f"{N_TEXTS} texts of {N_TOKENS} tokens that mini writes itself.",
        (
            ("texts that training never saw", numbers.count(len(held_out_texts()))),
            ("their tokens", numbers.count(num_tokens())),
            (
                "weights stored in fewer bits",
                f"{numbers.count(LINEAR_WEIGHTS)} of mini's {full().num_params:,}",
            ),
            ("perplexity at 16 bits", told(measured(FULL, "GPTQ", scales).perplexity)),
            ("perplexity at 4 bits, GPTQ", told(four.perplexity)),
            ("bytes of these weights, 16 bits", numbers.count(measured(FULL, "GPTQ", scales).weight_bytes)),
            ("4 bits, with scales and zero points", numbers.count(four.weight_bytes)),
        ),
        f"{told(four.perplexity)} at 4 bits, the likeliest token the same in {numbers.percent(four.agreement, 1)}",
        MINI,
    )


def reply(shown: Replies | None, *, is_revealed: bool) -> Sum:
    """Return the sum behind the replies; where the reply first changes only when revealed."""
    values: tuple[tuple[str, str], ...] = ()
    result = "not yet shown"
    if shown is not None and is_revealed:
        values = (("widths with the same reply", f"{count_same(shown)} of {len(FEWER)}"),)
        first = shown.first_change
        result = f"first changed at {first} bits" if first else "the same at every width"
    return Sum(
        "run for real here",
        "the replies",
        "At every width mini writes its greedy reply to the same question: always the likeliest next token, to the end "
        "of the text or 64 tokens. A reply has changed if any of its tokens is another.",
        values,
        result,
        BROWSER,
    )


@lru_cache(maxsize=KEPT)
def layers(bits: int, scales: str) -> Sum:
    """Return the sum behind where the error sits."""
    (rounded, most), (_, chosen) = (worst(bits, method, scales) for method in ("rounded", "GPTQ"))
    return Sum(
        "run for real here",
        f"mini's layers at {bits} bits",
        "Change of outputs = sum of squares of what changed in a layer's outputs ÷ sum of squares of the outputs "
        "before, every layer given what it gets at 16 bits, on the held-out texts.",
        (
            ("tokens", numbers.count(num_tokens())),
            ("largest change, rounded", f"{percent(most)} ({rounded})"),
            ("largest change, GPTQ", percent(chosen)),
        ),
        f"at most {percent(most)} rounded, {percent(chosen)} with GPTQ",
        MINI,
    )


@cache
def seats() -> Sum:
    """Return the sum behind what fewer bits free."""
    card, settings, target = server(), Settings(), MONDAY_TARGETS
    values = [
        ("parameters", numbers.count(card.model.params)),
        ("memory for the model", gb(card.accelerator.memory_bytes * card.gpu_memory_utilization)),
        ("working room (assumed)", gb(card.assumptions.activation_bytes)),
    ]
    for bits in (16, 8, 4, 3):
        stored = bits if bits == 16 else bits + 0.25
        values.append(
            (
                f"{bits} bits: {stored:g} a weight with scales",
                f"{numbers.count(served(bits).weight_bytes)} bytes",
            )
        )
    return Sum(
        "simulated",
        "memory and Monday at 16, 8, 4 and 3 bits",
        "KV memory = memory for the model − weights − working room. Requests that fit = KV memory in blocks ÷ blocks "
        f"of {settings.max_model_len:,} tokens promised in one piece. Monday runs paged, everything else as vLLM "
        f"begins; on target = first token within {target.ttft_s:g} s and {numbers.ms(target.tpot_s)} a token.",
        tuple(values),
        f"{served(4).kv_bytes / served(16).kv_bytes:.2f} times the KV memory at 4 bits",
        f"data/monday.csv ({len(monday_trace())} requests, made for this module). {counted_from()}",
    )


@lru_cache(maxsize=KEPT)
def batch(customers: int) -> Sum:
    """Return the sum behind a pass of a batch at 16 and at 4 bits."""
    many, few = (passes_s(bits)[customers - 1] for bits in (16, 4))
    costs = {bits: server().unit_costs(Settings(weight_bits=bits)) for bits in (16, 4)}
    return Sum(
        "simulated",
        f"a pass of {customers} at once",
        "Fetching = weights + KV of all tokens so far. Arithmetic = tokens × 2 × parameters ÷ FLOP/s, the same at any "
        "width. A pass = fixed part + the longer + what is not hidden of the shorter.",
        (
            ("customers", numbers.count(customers)),
            ("tokens of each so far", numbers.count(TOKENS)),
            ("weights at 16 bits", numbers.ms(costs[16].weight_s, 2)),
            ("weights at 4 bits", numbers.ms(costs[4].weight_s, 2)),
            ("KV", numbers.ms(customers * TOKENS * costs[16].kv_token_s, 2)),
            ("arithmetic", numbers.ms(customers * costs[16].token_s, 2)),
            ("16 bits have room for", numbers.count(room(16))),
        ),
        f"{numbers.ms(many, 1)} ÷ {numbers.ms(few, 1)} = {told_times(customers)} (mission: below {POINTLESS:g})",
        counted_from(),
    )


@cache
def quoted() -> Sum:
    """Return the sum behind the quoted perplexities."""
    names = {"opt-13b": "OPT-13B", "opt-175b": "OPT-175B"}
    return Sum(
        "quoted",
        "GPTQ's perplexities",
        "Perplexity on WikiText2 as the authors print it; how much it is above 16 bits is computed here.",
        tuple(
            (
                f"{name}, {bits} bits, GPTQ",
                f"{perplexity(model, bits, 'GPTQ'):g} (+{more_percent(model, bits, 'GPTQ'):.1f} %)",
            )
            for model, name in names.items()
            for bits in (4, 3)
        ),
        f"{perplexity('opt-13b', 16, 'GPTQ'):g} and {perplexity('opt-175b', 16, 'GPTQ'):g} at 16 bits",
        cite_result(QUOTED["gptq-opt-13b-4-bit"]),
    )


@cache
def latency() -> Sum:
    """Return the sum behind the quoted latencies."""
    return Sum(
        "quoted",
        "GPTQ's time a token",
        f"{QUOTED['gptq-opt-175b-16-bit-latency'].what}; {QUOTED['gptq-opt-175b-3-bit-latency'].what}. Bits alone "
        "promise 16 ÷ 3.",
        (
            ("16 bits", f"{MANY_MS:g} ms"),
            ("3 bits", f"{FEW_MS:g} ms"),
            ("promised by bits alone", f"{PROMISED:.1f} times"),
            (
                "counted on our server, 13 billion, one customer",
                f"{served(16).alone_s / served(3).alone_s:.1f} times ({SO_FAR} tokens so far)",
            ),
        ),
        f"{MANY_MS / FEW_MS:.1f} times as fast",
        cite_result(QUOTED["gptq-opt-175b-3-bit-latency"]),
    )


@cache
def weighed() -> Sum:
    """Return the sum behind bits weighed: requests that fit are simulated, perplexities quoted."""
    few = served(4)
    return Sum(
        "simulated",
        "who fits, over quoted perplexity",
        "Requests that fit and Monday as counted above; OPT-13B's perplexity as GPTQ's authors print it. The two come "
        "from different places: the simulated server runs no model, so it does not know what a bit costs in quality.",
        tuple(
            (f"{bits} bits: fit, Monday", f"{served(bits).longest_requests}, {served(bits).on_target}")
            for bits in (16, 4, 3)
        ),
        f"4 bits with GPTQ: {few.longest_requests} fit, perplexity {perplexity('opt-13b', 4, 'GPTQ'):g}",
        f"{counted_from()} {cite_result(QUOTED['gptq-opt-13b-4-bit'])}",
    )
