"""The simulated server beside real ones: `python -m benchmarks.recorded`.

Prints a recorded vLLM run beside the simulation of it, with costs fitted to all of it and to its first half,
and pass times that were counted beside those that others have published.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from sim import (
    ACCELERATORS,
    MEASURED_PASSES,
    MODELS,
    Accelerator,
    Server,
    Settings,
    Trace,
    UnitCosts,
    fit_costs,
    larkspur_server,
    pass_time,
    prompt_pairs,
    simulate,
)

SHARED = Path(__file__).resolve().parents[2] / "shared" / "reference" / "measured"
RUN = SHARED / "vllm_0.19_rtx4090_llama-3.1-8b"
GIVEN = UnitCosts(pass_s=0.01637, token_s=9.57e-5, kv_token_s=1.01e-7, pair_s=5.9e-10)  # that came with it
# NVIDIA's Ada white paper, appendix A: 1,008 GB/s, 165.2 TFLOP/s of dense 16-bit; link and price do not matter
RTX_4090 = Accelerator(24 * 2**30, 1.008e12, 165.2e12, link_bytes_per_s=25e9, price_per_hour=1.0)
MEASURES = ("ttft_s", "tpot_s", "e2e_s")
PROMPTS = (64, 256, 512, 1024, 2048)
BATCHES = ((1, 256), (8, 512), (32, 512), (64, 512), (94, 512), (128, 512))  # requests, KV tokens of each


@dataclass(frozen=True, eq=False)
class Recorded:
    """A recorded run: what was sent, to what, and the seconds that each request took (`MEASURES`)."""

    trace: Trace
    server: Server
    settings: Settings
    times: pd.DataFrame

    def errors(self, costs: UnitCosts, rows: slice = slice(None)) -> dict[str, float]:
        """Return the errors of simulated means over `rows`, in shares of the measured; and the preemptions."""
        requests = simulate(self.trace, replace(self.server, costs=costs), self.settings).requests[rows]
        shares = {name: requests[name].mean() / self.times[name][rows].mean() - 1 for name in MEASURES}
        return shares | {"preemptions": requests["preemptions"].sum()}

    def fitted(self, first: int | None = None) -> UnitCosts:
        """Return costs fitted to the whole run, or to its `first` requests (all are served)."""
        known = self.times if first is None else self.times.reindex(range(first)).reindex(self.times.index)
        return fit_costs(self.trace, self.server, self.settings, known)


def recorded_run() -> Recorded:
    """Return the recorded vLLM run; the first arrival is at 0 s."""
    about = json.loads((RUN / "about.json").read_text(encoding="utf-8"))
    lines = (RUN / "requests.jsonl").read_text(encoding="utf-8").splitlines()
    sent = pd.DataFrame([json.loads(line) for line in lines])
    sent = sent.sort_values("queued_ts", kind="stable", ignore_index=True)
    arrival_s, first_s, last_s = (sent[f"{name}_ts"] for name in ("queued", "first_token", "last_token"))
    tpot_s = (last_s - first_s) / (sent["output_toks"] - 1)
    times = pd.DataFrame({"ttft_s": first_s - arrival_s, "tpot_s": tpot_s, "e2e_s": last_s - arrival_s})
    trace = Trace(arrival_s - arrival_s[0], sent["input_toks"], sent["output_toks"])
    cache = about["kv_cache"]
    server = Server(MODELS["llama-3.1-8b"], RTX_4090, num_gpu_blocks=cache["num_gpu_blocks"])
    limits = ("max_num_seqs", "max_num_batched_tokens", "max_model_len")
    own = {name: about["engine"][name] for name in limits} | {"block_size": cache["block_size"]}
    return Recorded(trace, server, Settings(**own), times)


def tries(run: Recorded) -> Iterator[tuple[str, str, dict[str, float]]]:
    """Yield simulations of the recorded run: their unit costs, the requests compared, and the errors."""
    half, everything = len(run.trace) // 2, "all requests"
    yield "costs that came with the run", everything, run.errors(GIVEN)
    yield "costs counted, for comparison", everything, run.errors(run.server.unit_costs(run.settings))
    yield "fitted to all of it", everything, run.errors(run.fitted())
    from_half = run.fitted(half)
    yield f"fitted to the first {half}", f"the first {half}", run.errors(from_half, slice(half))
    yield f"fitted to the first {half}", "the others", run.errors(from_half, slice(half, None))


def print_run(run: Recorded) -> None:
    """Print the recorded run beside its simulations; `data/recorded.toml` holds these rows."""
    print(f"{RUN.name}: simulated means against the measured\n{'':<50}    TTFT    TPOT     E2E  preemptions")
    for costs, of, errors in tries(run):
        *shares, preemptions = errors.values()
        row = "".join(f"{share:>+8.2%}" for share in shares)
        print(f"{f'{costs}: {of}':<50}{row}{preemptions:>13.0f}")
    for name, fitted in (("all", run.fitted()), ("the first half", run.fitted(len(run.trace) // 2))):
        print(
            f"fitted to {name}: "
            + ", ".join(f"{key} {vars(fitted)[key]:.3g}" for key in list(vars(fitted))[:4])
        )


def counted_passes() -> Iterator[tuple[str, float, list[float]]]:
    """Yield passes of OPT-13B on an A100 80 GB: what it is, seconds counted, and seconds as published."""
    server = replace(larkspur_server(), model=MODELS["opt-13b"], accelerator=ACCELERATORS["a100-80gb"])
    costs, published = server.unit_costs(Settings()), MEASURED_PASSES.values()
    for tokens in PROMPTS:
        counted = pass_time(costs, float(tokens), float(tokens), prompt_pairs(0.0, float(tokens)))
        yield f"read {tokens:,} tokens", counted.total_s, [each.prefill_s(tokens) for each in published]
    for seqs, each_kv in BATCHES:
        kv_tokens = seqs * each_kv
        counted = pass_time(costs, float(seqs), float(kv_tokens), 0.0)
        name = f"decode {seqs} of {each_kv} KV tokens"
        yield name, counted.total_s, [each.decode_s(seqs, kv_tokens) for each in published]


def reasons() -> Iterator[str]:
    """Yield why counted and published times part, with the numbers behind it, in milliseconds."""
    costs = larkspur_server().unit_costs(Settings())
    published = MEASURED_PASSES.values()

    def beside(counted: float, fits: list[float], unit: str) -> str:
        return f"counted {counted:.3g}, published " + " and ".join(f"{fit:.3g}" for fit in fits) + f" {unit}"

    prefill, decode = [each.prefill_ms for each in published], [each.decode_ms for each in published]
    fixed_ms = 1e3 * (costs.pass_s + (1 - costs.overlap) * costs.weight_s)
    both_ms = 1e3 * (costs.pass_s + costs.weight_s)
    yield (
        "A prompt's fixed part: counting knows 0.3 ms of overhead, and reading weights partly hides: "
        + beside(fixed_ms, [fit[0] for fit in prefill], "ms")
    )
    yield (
        "Arithmetic: counting assumes 55 % of the peak, each engine reaches a share of its own: "
        + beside(1e3 * costs.token_s, [fit[1] for fit in prefill], "ms a token")
    )
    yield (
        "Pairs: counting assumes the same share for attention, which reaches less: "
        + beside(1e6 * costs.pair_s / 2, [1e3 * fit[2] for fit in prefill], "µs a token squared")
    )
    yield (
        "A decode pass's fixed part: counting reads all weights at 85 % of the bandwidth, and 0.3 ms of overhead: "
        + beside(both_ms, [fit[0] for fit in decode], "ms")
    )
    yield (
        "Reading KV: counting assumes the bandwidth of weights for blocks that lie scattered: "
        + beside(1e6 * costs.kv_token_s, [1e3 * fit[1] for fit in decode], "µs a token")
    )
    yield (
        "A request more in the batch: counting hides half its arithmetic behind reading, by assumption: "
        + beside(1e3 * (1 - costs.overlap) * costs.token_s, [fit[2] for fit in decode], "ms a request")
    )
    for each in published:
        yield f"{each.name}: {each.scaled}; so the two sets are no raw measurements."


def print_passes() -> None:
    """Print counted pass times beside published ones, and the reasons they part."""
    names = [each.name for each in MEASURED_PASSES.values()]
    print("OPT-13B on an A100 80 GB, milliseconds a pass; in brackets counted against published")
    print(f"{'':<30}{'counted':>9}" + "".join(f"{name:>32}" for name in names))
    for name, counted_s, published_s in counted_passes():
        beside = [f"{1e3 * each:.1f} ({counted_s / each - 1:+.0%})" for each in published_s]
        print(f"{name:<30}{1e3 * counted_s:>9.1f}" + "".join(f"{each:>32}" for each in beside))
    print("Why they part:", *reasons(), sep="\n- ")


if __name__ == "__main__":
    if RUN.exists():
        print_run(recorded_run())
        print()
    else:
        print("The recorded vLLM run is not beside this project: only published fits are compared.")
    print_passes()
