"""What fewer bits cost Larkspur mini, and what guessing saves it: `python -m benchmarks.quantize`.

Prints perplexity, agreement, bytes and processor seconds by bits and method, GPTQ beside rounding over several
calibration draws, and tokens a pass with 4 guesses beside the formula. All on held-out documents.
"""

import math
import platform
import time
from collections.abc import Sequence

import larkspur.one_thread  # noqa: F401  before NumPy

# isort: split
import numpy as np

from benchmarks.machine import processor
from larkspur import Model, Speculation, acceptance, evaluate, layer_errors, load, quantize, speculate
from larkspur.corpus import held_out_documents, training_texts

ALL_BITS = (8, 6, 4, 3, 2)
GROUP_SIZES = (None, 16)
N_DRAWS = 5
N_CALIBRATION_TEXTS = 64
N_GUESSES = 4
REACH = {"greedy": 3.7, "temperature 1": 2.8}


def by_bits(model: Model, texts: Sequence[str]) -> None:
    """Print one line for every number of bits, method and group size."""
    full = evaluate(model, texts)
    print(f"float32: perplexity {full.perplexity:.3f} over {full.n_tokens:,} tokens, {model.nbytes:,} bytes")
    print("bits method group  perplexity  added nats  agreement    bytes  of which packed  processor s")
    for bits in ALL_BITS:
        for method in ("round", "gptq"):
            for group_size in GROUP_SIZES:
                start_s = time.process_time()
                small = quantize(model, bits, method, group_size)
                seconds = time.process_time() - start_s
                found = evaluate(small, texts, model)
                added = math.log(found.perplexity / full.perplexity)
                print(
                    f"{bits:4} {method:6} {group_size or 'all':>5} {found.perplexity:11.3f} {added:11.4f} "
                    f"{found.agreement:10.2%} {small.nbytes:8,} {small.packed_nbytes:16,} {seconds:12.3f}"
                )


def by_calibration(model: Model, texts: Sequence[str]) -> None:
    """Print how much less loss GPTQ adds than rounding, calibrated on other texts each time."""
    corpus, rng = training_texts(), np.random.default_rng(0)
    full = evaluate(model, texts).perplexity

    def added_nats(small: Model) -> float:
        return math.log(evaluate(small, texts).perplexity / full)

    for bits in (4, 3):
        rounded = added_nats(quantize(model, bits, "round"))
        own = [added_nats(quantize(model, bits, seed=seed)) for seed in range(N_DRAWS)]
        picked = [rng.choice(len(corpus), N_CALIBRATION_TEXTS, replace=False) for _ in range(N_DRAWS)]
        given = [
            added_nats(quantize(model, bits, calibration=[corpus[i] for i in places])) for places in picked
        ]
        for kind, losses in (("its own texts", own), ("training texts", given)):
            less = " ".join(f"{1 - loss / rounded:.0%}" for loss in losses)
            print(f"{bits} bits: GPTQ adds less than rounding's {rounded:.4f} nats by {less} ({kind}; ≥ 15%)")


def by_layer(model: Model, texts: Sequence[str], bits: int = 4) -> None:
    """Print where the error sits, as shares of the squares of weights and of outputs."""
    print(f"{bits} bits       weights: round    gptq   outputs: round    gptq")
    both = (layer_errors(model, quantize(model, bits, method), texts) for method in ("round", "gptq"))
    for rounded, chosen in zip(*both, strict=True):
        print(
            f"{rounded.layer:15} {rounded.weights:13.3%} {chosen.weights:7.3%} "
            f"{rounded.outputs:16.3%} {chosen.outputs:7.3%}"
        )


def guessing(model: Model, draft: Model, prompts: Sequence[Sequence[int]]) -> None:
    """Print tokens a pass with 4 guesses beside what the formula makes of the acceptance."""
    for kind, temperature in (("greedy", 0.0), ("temperature 1", 1.0)):
        results = [
            speculate(model, draft, ids, N_GUESSES, temperature, np.random.default_rng(seed))
            for seed, ids in enumerate(prompts)
        ]
        kept, judged, tokens, passes = totals(results)
        print(
            f"{kind}: {tokens / passes:.2f} tokens a pass (reach {REACH[kind]}), formula "
            f"{expected_tokens(kept / judged, N_GUESSES):.2f} at {kept / judged:.3f} of {judged:,} guesses kept"
        )
    found = acceptance(model, draft, prompts)
    for kind, rate in (("greedy", found.greedy), ("temperature 1", found.sampled)):
        print(
            f"{kind}, every place of the greedy replies: {rate:.3f} kept, "
            f"formula {expected_tokens(rate, N_GUESSES):.2f}"
        )


def totals(results: Sequence[Speculation]) -> tuple[int, int, int, int]:
    """Return guesses kept, guesses judged, tokens written and passes of the big model."""
    rounds = [done for result in results for done in result.rounds]
    kept = sum(done.n_kept for done in rounds)
    judged = kept + sum(done.rejected for done in rounds)
    return kept, judged, sum(len(result.token_ids) for result in results), len(rounds)


def expected_tokens(rate: float, n_guesses: int) -> float:
    """Return tokens a pass if each guess is kept with the same chance, whatever the others are (2211.17192, eq. 1)."""
    return sum(rate**kept for kept in range(n_guesses + 1))


if __name__ == "__main__":
    print(f"{processor()}, Python {platform.python_version()}, NumPy {np.__version__}")
    mini, documents = load("mini"), held_out_documents()
    held_out = [document.text for document in documents]
    asked = list(dict.fromkeys(document.prompt for document in documents if document.prompt))
    by_bits(mini, held_out)
    by_calibration(mini, held_out)
    by_layer(mini, held_out)
    guessing(mini, load("student"), [mini.encode(text) for text in asked])
