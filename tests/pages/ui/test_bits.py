"""Chapter 4's parts: what is drawn is what was measured or computed, and what is said of it holds."""

import time
from typing import Any

import numpy as np
import pytest

from larkspur import evaluate, generate, held_out_texts, load, quantize
from larkspur.calibration import linear_layers
from pages.ui import bits_bytes, bits_cliff
from pages.ui.bits_browser import reported
from pages.ui.bits_models import (
    FEWER,
    FULL,
    LINEAR_WEIGHTS,
    METHODS,
    QUESTION,
    QUESTIONS,
    SCALES,
    WHOLE_ROW,
    WIDTHS,
    Replies,
    errors,
    full,
    measured,
    quantized,
    replies,
)
from pages.ui.bits_words import GAP, changed_words, has_gaps, marked, reply_rows, verdict
from pages.ui.guess import Guess

NOTHING = Guess(None, None, None, is_revealed=False)
SHOWN = Guess(None, None, None, is_revealed=True)
EVERY = [(method, scales) for method in METHODS for scales in SCALES]


def report(**changes: Any) -> dict[str, Any]:
    return {"scales": WHOLE_ROW, "full": [5, 0], "replies": [[[5, 0]] * 5, [[7, 0]] * 5]} | changes


def test_16_bits_are_16_bits_and_reply_as_the_32_they_come_from() -> None:
    weight = full().params["h.0.mlp.c_fc.weight"]
    np.testing.assert_array_equal(weight, weight.astype(np.float16))
    mini = load("mini")
    for question in QUESTIONS:
        ids = [step.token_id for step in generate(mini, mini.encode(question))]
        assert replies(question, "GPTQ", WHOLE_ROW).full == tuple(ids)


def test_what_is_measured_is_what_evaluate_says() -> None:
    small = quantize(full(), 4, "gptq", 16)
    found = evaluate(small, held_out_texts(), full())
    kept = measured(4, "GPTQ", "every 16 weights")
    assert (kept.perplexity, kept.agreement) == (pytest.approx(found.perplexity), found.agreement)
    assert kept.weight_bytes == small.packed_nbytes


def test_shared_models_cannot_be_written_to() -> None:
    for model in (full(), quantized(4, "GPTQ", WHOLE_ROW)):
        with pytest.raises(ValueError, match="read-only"):
            model.params["h.0.mlp.c_fc.weight"][0] = 0


def test_a_new_setting_takes_well_under_two_seconds(record_property: Any) -> None:
    for cached in (quantized, measured, replies):
        cached.cache_clear()
    start_s = time.process_time()
    measured(3, "GPTQ", WHOLE_ROW)
    replies(QUESTION, "GPTQ", WHOLE_ROW)
    took_s = time.process_time() - start_s
    record_property("a new way to quantize, measured and asked at every width, processor s", round(took_s, 3))
    assert took_s < 1.5


@pytest.mark.parametrize("scales", SCALES)
def test_the_cliff_is_as_the_text_says(scales: str) -> None:
    base = measured(FULL, "GPTQ", scales).perplexity
    for method in METHODS:
        of = {bits: measured(bits, method, scales).perplexity for bits in WIDTHS}
        assert of[8] < 1.005 * base
        assert of[6] < 1.005 * base
        assert 1.02 * base < of[4] < 1.15 * base
        assert of[3] > 1.3 * of[4]
        assert of[2] > 40 * of[3]
        agreements = [measured(bits, method, scales).agreement for bits in WIDTHS]
        assert agreements == sorted(agreements, reverse=True)
        assert agreements[1] > 0.99
    for bits in (4, 3, 2):
        assert measured(bits, "GPTQ", scales).perplexity < measured(bits, "rounded", scales).perplexity


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("bits", [4, 3, 2])
def test_finer_scales_help_where_bits_are_few_and_take_room(bits: int, method: str) -> None:
    coarse, fine = (measured(bits, method, scales) for scales in SCALES)
    assert fine.perplexity < coarse.perplexity
    assert coarse.weight_bytes < fine.weight_bytes < measured(FULL, method, WHOLE_ROW).weight_bytes


@pytest.mark.parametrize("scales", SCALES)
@pytest.mark.parametrize("bits", FEWER)
def test_gptq_moves_the_weights_further_and_the_outputs_less_in_every_layer(bits: int, scales: str) -> None:
    for chosen, rounded in zip(*(errors(bits, method, scales) for method in METHODS), strict=True):
        assert chosen.weights > rounded.weights
        assert chosen.outputs < rounded.outputs


@pytest.mark.parametrize(("method", "scales"), EVERY)
def test_the_lines_are_what_was_measured(method: str, scales: str) -> None:
    frame = bits_cliff.cliff_marks(scales, None, NOTHING).to_pandas()
    drawn = frame[frame["kind"] == method].set_index("lane")["y"]
    assert drawn.to_dict() == {bits: measured(bits, method, scales).perplexity for bits in WIDTHS}
    assert drawn.between(1, bits_cliff.HIGH).all()


@pytest.mark.parametrize(("method", "scales"), EVERY)
def test_whether_a_reply_is_the_same_is_shown_only_when_revealed(method: str, scales: str) -> None:
    shown = replies(QUESTION, method, scales)
    hidden = bits_cliff.cliff_marks(scales, shown, NOTHING).to_pandas()
    assert set(hidden[hidden["y"] == bits_cliff.REPLY_AT]["kind"]) == {"row", "empty"}
    assert "first changes" not in bits_cliff.cliff_alt(scales, shown, NOTHING)
    frame = bits_cliff.cliff_marks(scales, shown, SHOWN).to_pandas()
    same = {bits for bits in FEWER if shown.at(bits) == shown.full}
    assert set(frame[frame["kind"] == "same"]["lane"]) == same
    assert set(frame[frame["kind"] == "other"]["lane"]) == set(FEWER) - same
    assert f"first changes at {shown.first_change} bits" in bits_cliff.cliff_alt(scales, shown, SHOWN)


@pytest.mark.parametrize("bits", FEWER)
def test_the_diamonds_stand_at_the_widths_guessed(bits: int) -> None:
    made = Guess(bits, 8, bits, is_revealed=True)
    frame = bits_cliff.cliff_marks(WHOLE_ROW, None, made).to_pandas()
    assert frame[frame["kind"] == "guess"]["lane"].tolist() == [bits]
    assert f"you guessed {bits}" in set(frame["label"])
    assert ("first guess" in set(frame["kind"])) == (bits != 8)
    assert f"stands at {bits}" in bits_cliff.cliff_alt(WHOLE_ROW, None, made)


def test_the_first_change_is_the_largest_width_with_another_reply() -> None:
    one, other = (1, 0), (2, 0)
    assert Replies(one, (one, one, other, one, other)).first_change == 4
    assert Replies(one, (one,) * 5).first_change is None
    with pytest.raises(ValueError, match="expected a reply for each"):
        Replies(one, (one,))


@pytest.mark.parametrize(
    ("reply", "pieces", "count"),
    [
        ("You can follow it", [("You can follow it", False)], 0),
        ("You may follow it", [("You", False), ("may", True), ("follow it", False)], 1),
        ("You can it", [("You can", False), (GAP, True), ("it", False)], 0),
        ("You can follow it now, please", [("You can follow it", False), ("now, please", True)], 2),
        ("", [(GAP, True)], 0),
    ],
)
def test_changed_words_are_marked(reply: str, pieces: list[tuple[str, bool]], count: int) -> None:
    assert marked(reply, "You can follow it") == pieces
    assert changed_words(reply, "You can follow it") == count


def test_what_is_left_of_a_reply_is_said_as_it_is() -> None:
    mini = load("mini")
    before, shorter = (tuple(mini.encode(text)[1:]) for text in ("You can follow it", "You can it"))
    shown = Replies((*before, 0), ((*before, 0), (0,), (*shorter, 0), before, (*before, 0)))
    assert [verdict(shown, bits) for bits in FEWER] == [
        "the same",
        "changed: nothing legible left",
        "changed: words are missing",
        "changed, though not in its words",
        "the same",
    ]
    assert has_gaps(shown, is_revealed=True)
    assert not has_gaps(shown, is_revealed=False)
    assert not has_gaps(Replies(before, (before, (0,), before, before, before)), is_revealed=True)


def test_the_linear_layers_are_the_weights_that_are_counted() -> None:
    names = [f"{layer}.weight" for layer in linear_layers(full().config)]
    assert sum(full().params[name].size for name in names) == LINEAR_WEIGHTS
    assert measured(FULL, "GPTQ", WHOLE_ROW).weight_bytes == 2 * LINEAR_WEIGHTS


def test_replies_are_escaped_and_held_back() -> None:
    mini = load("mini")
    wild = (*mini.encode("<b>&")[1:], 0)
    shown = Replies(wild, (wild,) * 5)
    told = reply_rows(shown, is_revealed=True)
    assert "<b>&" not in told
    assert "&lt;b&gt;&amp;" in told
    assert reply_rows(shown, is_revealed=False).count("&lt;b&gt;&amp;") == 1
    assert "being asked" in reply_rows(None, is_revealed=True)


def test_a_report_is_read_by_method_and_by_scales() -> None:
    both = reported(report(), WHOLE_ROW)
    assert both is not None
    assert both["GPTQ"] == Replies((5, 0), ((5, 0),) * 5)
    assert both["rounded"].first_change == 8
    assert reported(report(), "every 16 weights") is None


@pytest.mark.parametrize(
    "changes",
    [
        {"full": []},
        {"full": [544]},
        {"full": [-1]},
        {"full": [1.5]},
        {"full": ["x"]},
        {"full": [1] * 65},
        {"full": None},
        {"replies": []},
        {"replies": [[[1]] * 5]},
        {"replies": [[[1]] * 4, [[1]] * 4]},
        {"replies": [5, 5]},
    ],
)
def test_a_report_that_makes_no_sense_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises((ValueError, TypeError)):
        reported(report(**changes), WHOLE_ROW)


def test_the_browser_gets_packed_integers_not_numbers() -> None:
    sent = len(bits_bytes.packed_widths(WHOLE_ROW))
    expanded = len(METHODS) * len(FEWER) * 24_576 * 4
    assert sent < 0.5 * expanded
