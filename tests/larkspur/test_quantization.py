"""A model in fewer bits: what is stored, what the forward pass uses, and how much it loses."""

import math
import time
from collections.abc import Callable
from types import MappingProxyType

import numpy as np
import pytest

from larkspur import Model, evaluate, generate, layer_errors, prompt, quantize, speculate
from larkspur.calibration import linear_layers, own_texts, visit_inputs
from larkspur.corpus import Document, training_texts
from larkspur.forward import layer_norm

ALL_BITS = (8, 6, 4, 3, 2)
N_DRAWS = 3
ODD_TEXTS = ["?", "\x00", "😡📦" * 30, "متى تصل طلبيتي؟", "half \ud83d", "Where is my order? " * 60]


@pytest.fixture(scope="module")
def corpus() -> list[str]:
    return training_texts()


@pytest.fixture(scope="module")
def texts(held_out: list[Document]) -> list[str]:
    return [document.text for document in held_out[::4]]


def names(model: Model) -> list[str]:
    return [layer + ".weight" for layer in linear_layers(model.config)]


@pytest.mark.slow
@pytest.mark.parametrize("method", ["gptq", "round"])
def test_8_bits_agree_on_99_of_100_tokens(mini: Model, held_out: list[Document], method: str) -> None:
    found = evaluate(quantize(mini, 8, method), [document.text for document in held_out], mini)
    assert found.agreement is not None
    assert found.agreement >= 0.99


@pytest.mark.parametrize("method", ["gptq", "round"])
@pytest.mark.parametrize("group_size", [None, 5, 16])
@pytest.mark.parametrize("bits", ALL_BITS)
def test_the_forward_pass_uses_the_dequantized_integers_and_nothing_else_has_changed(
    mini: Model, bits: int, group_size: int | None, method: str
) -> None:
    small = quantize(mini, bits, method, group_size, ["Where is my order? It is on its way."])
    dequantized = {name: matrix.dequantize() for name, matrix in small.packed.items()}
    plain = Model(mini.config, MappingProxyType(dict(mini.params) | dequantized), mini.tokenizer)
    ids = mini.encode("Where is my order?")
    np.testing.assert_array_equal(small.forward(ids), plain.forward(ids))
    np.testing.assert_array_equal(small.forward(ids[:1]), plain.forward(ids[:1]))  # the fused pass
    assert sorted(small.packed) == sorted(names(mini))
    for name, array in mini.params.items():
        if name not in small.packed:
            assert small.params[name] is array


@pytest.mark.parametrize("bits", ALL_BITS)
def test_bytes_are_those_of_integers_zero_points_scales_and_what_stays(mini: Model, bits: int) -> None:
    small, fine = quantize(mini, bits, "round"), quantize(mini, bits, "round", 16)
    n_channels = 2 * (96 + 32 + 128 + 32)
    assert small.packed_nbytes == 24_576 * bits // 8 + n_channels * bits // 8 + n_channels * 2
    assert small.nbytes == small.packed_nbytes + 105_984
    assert mini.nbytes == 4 * 51_072 == 105_984 + 98_304
    n_groups = 2 * (96 * 2 + 32 * 2 + 128 * 2 + 32 * 8)
    assert fine.packed_nbytes == 24_576 * bits // 8 + n_groups * bits // 8 + n_groups * 2
    assert small.num_params == mini.num_params
    for matrix in small.packed.values():
        assert matrix.integers.max() == 2**bits - 1


def test_what_4_bits_take_is_what_the_docstring_says(mini: Model) -> None:
    assert quantize(mini, 4, "round").packed_nbytes == 12_288 + 1_440
    assert "12,288 bytes and 1,440" in " ".join(str(quantize.__doc__).split())


def added_loss(model: Model, small: Model, texts: list[str]) -> float:
    """Return what a token costs more, in nats."""
    return math.log(evaluate(small, texts).perplexity / evaluate(model, texts).perplexity)


def calibrations(kind: str, corpus: list[str]) -> list[dict[str, object]]:
    """Return settings of `quantize` that calibrate on other texts each time."""
    if kind == "own texts":
        return [{"seed": seed} for seed in range(N_DRAWS)]
    rng = np.random.default_rng(0)
    return [
        {"calibration": [corpus[i] for i in rng.choice(len(corpus), 64, replace=False)]}
        for _ in range(N_DRAWS)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["own texts", "training texts"])
@pytest.mark.parametrize("bits", [4, 3])
def test_gptq_adds_less_loss_than_rounding_whatever_it_is_calibrated_on(
    mini: Model,
    texts: list[str],
    corpus: list[str],
    bits: int,
    kind: str,
    record_property: Callable[[str, object], None],
) -> None:
    rounded = added_loss(mini, quantize(mini, bits, "round"), texts)
    found = [
        added_loss(mini, quantize(mini, bits, "gptq", **calibration), texts)
        for calibration in calibrations(kind, corpus)
    ]
    less = ", ".join(f"{1 - loss / rounded:.0%}" for loss in found)
    record_property(
        f"{bits} bits, added loss of GPTQ beside rounding's {rounded:.3f} ({kind})", f"{less} less"
    )
    assert max(found) < rounded


@pytest.mark.slow
def test_fewer_bits_lose_more_and_finer_groups_less(mini: Model, texts: list[str]) -> None:
    for method in ("round", "gptq"):
        losses = [added_loss(mini, quantize(mini, bits, method), texts) for bits in (8, 4, 3, 2)]
        assert losses == sorted(losses)
        fine = added_loss(mini, quantize(mini, 3, method, 16), texts)
        assert fine < losses[2]


def test_gptq_moves_the_outputs_less_though_it_moves_the_weights_more(mini: Model, texts: list[str]) -> None:
    rounded, chosen = (
        layer_errors(mini, quantize(mini, 4, method), texts[:60]) for method in ("round", "gptq")
    )
    assert [row.layer for row in rounded] == linear_layers(mini.config)
    assert sum(row.outputs for row in chosen) < sum(row.outputs for row in rounded)
    assert sum(row.weights for row in chosen) > sum(row.weights for row in rounded)
    assert all(row.outputs == row.weights == 0 for row in layer_errors(mini, mini, texts[:2]))
    with pytest.raises(ValueError, match="expected at least one text, got none"):
        layer_errors(mini, mini, [])


def test_what_visits_the_layers_is_the_forward_pass(mini: Model) -> None:
    inputs: dict[str, np.ndarray] = {}
    texts = [mini.encode("Where is my order?"), mini.encode("We reply"), [0]]
    last = visit_inputs(mini.config, mini.params, texts, inputs.__setitem__)
    logits = layer_norm(mini.config, mini.params, "ln_f", last) @ mini.params["wte.weight"].T
    expected = np.concatenate([mini.forward(ids) for ids in texts])
    np.testing.assert_allclose(logits, expected, rtol=1e-4, atol=1e-4)
    assert list(inputs) == linear_layers(mini.config)
    for name, array in inputs.items():
        assert array.shape == (sum(map(len, texts)), mini.params[name + ".weight"].shape[0])


def test_the_model_given_stays_as_it_was_and_the_same_seed_gives_the_same_bytes(mini: Model) -> None:
    before = {name: array.tobytes() for name, array in mini.params.items()}
    first, again, other = (quantize(mini, 3, seed=seed) for seed in (1, 1, 2))
    assert {name: array.tobytes() for name, array in mini.params.items()} == before
    packed = [
        b"".join(small.packed[name].packed.tobytes() for name in names(mini))
        for small in (first, again, other)
    ]
    assert packed[0] == packed[1] != packed[2]
    for small in (first, again):
        with pytest.raises(ValueError, match="read-only"):
            small.params["h.0.attn.c_attn.weight"][0] = 0


@pytest.mark.parametrize("method", ["gptq", "round"])
def test_a_new_setting_takes_far_less_than_two_seconds_of_the_processor(mini: Model, method: str) -> None:
    seconds = []
    for _ in range(3):  # the best: a busy machine slows some
        start_s = time.process_time()
        quantize(mini, 4, method)
        seconds.append(time.process_time() - start_s)
    assert min(seconds) < 1


@pytest.mark.parametrize("text", ODD_TEXTS)
@pytest.mark.parametrize("bits", [8, 2])
def test_a_quantized_model_replies_to_odd_and_long_prompts(
    mini: Model, student: Model, text: str, bits: int
) -> None:
    small = quantize(mini, bits, "round")
    ids = list(prompt(small, text).ids)
    reply = [step.token_id for step in generate(small, ids)]
    assert 1 <= len(reply) <= 64
    assert speculate(small, student, ids).token_ids == tuple(reply)
    assert small.encode(text) == mini.encode(text)


@pytest.mark.parametrize("text", ["", " \n"])
def test_an_empty_prompt_is_refused_with_a_sentence(mini: Model, text: str) -> None:
    with pytest.raises(ValueError, match="expected some text, got an empty prompt"):
        prompt(quantize(mini, 4, "round"), text)


def test_odd_empty_and_endless_calibration_texts_are_read_as_far_as_they_go(mini: Model) -> None:
    small = quantize(mini, 4, calibration=["", "\x00😡", "half \ud83d", "Where is my order? " * 200])
    assert np.isfinite(small.forward(mini.encode("Where is my order?"))).all()


def test_own_texts_begin_with_the_marker_and_fit_the_context(mini: Model) -> None:
    for ids in own_texts(mini, 0):
        assert ids[0] == 0
        assert 2 <= len(ids) <= 256


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"bits": 1}, "expected 2 to 8 bits, got 1"),
        ({"bits": 16}, "expected 2 to 8 bits, got 16"),
        ({"bits": 4, "method": "awq"}, "expected one of gptq, round, got 'awq'"),
        ({"bits": 4, "group_size": 0}, "expected groups of at least 1 input, got 0"),
        ({"bits": 4, "calibration": []}, "expected calibration texts, got none"),
        ({"bits": 4, "calibration": ["", ""]}, "expected calibration texts, got none"),
    ],
)
def test_settings_that_cannot_work_are_refused_with_a_sentence(
    mini: Model, settings: dict[str, object], sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        quantize(mini, **settings)
