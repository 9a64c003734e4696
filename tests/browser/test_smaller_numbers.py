"""Chapter 4 in a browser: one's own question at every width, which stays there, the guess, and the mission."""

import base64
import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from larkspur import generate
from larkspur.prompts import prompt
from pages.ui.bits_batch import BEGIN, MANY, POINTLESS, room, times_as_fast
from pages.ui.bits_browser import SCRIPT
from pages.ui.bits_bytes import packed_widths
from pages.ui.bits_models import (
    FEWER,
    FULL,
    METHODS,
    QUESTION,
    QUESTIONS,
    SCALES,
    WHOLE_ROW,
    full,
    model_at,
    replies,
)
from tests.browser.conftest import Visit
from tests.browser.hands import overhear, press
from tests.browser.serving import settle

CHAPTER = "smaller_numbers"
ODD = ["?", "\x00", "😡📦" * 30, "متى تصل طلبيتي؟", "Where is my order? " * 60, *QUESTIONS]
LOAD = """async ([script, block]) => {
    const url = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
    const bits = await import(url);
    const { header, arrays } = bits.unpack(Uint8Array.from(atob(block), (sign) => sign.charCodeAt(0)));
    const tokenizer = new bits.Tokenizer(arrays);
    window.weights = (method, width, name) =>
        Array.from(bits.modelAt(header, arrays, method, width).params[name]);
    window.answer = (text, method, width) => {
        const { ids } = bits.readPrompt(tokenizer, JSON.parse(text), header.max_prompt_tokens);
        const model = () => bits.modelAt(header, arrays, method, width);
        const asked = width === 16 ? new bits.Model(header.config, arrays) : model();
        return bits.reply(asked, ids, header.max_new_tokens);
    };
}"""


@pytest.fixture(params=SCALES)
def loaded(chromium: Browser, request: pytest.FixtureRequest) -> Iterator[tuple[Page, str]]:
    page = chromium.new_page()
    page.evaluate(LOAD, [SCRIPT, base64.b64encode(packed_widths(request.param)).decode()])
    yield page, request.param
    page.close()


@pytest.mark.browser
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("bits", FEWER)
def test_the_browser_turns_the_integers_into_pythons_numbers(
    loaded: tuple[Page, str], bits: int, method: str
) -> None:
    page, scales = loaded
    for name in ("h.0.attn.c_attn.weight", "h.1.mlp.c_proj.weight"):
        got = page.evaluate("([method, bits, name]) => weights(method, bits, name)", [method, bits, name])
        assert got == model_at(bits, method, scales).params[name].ravel().tolist()


@pytest.mark.browser
@pytest.mark.parametrize("text", ODD)
def test_the_browser_replies_as_python_does(loaded: tuple[Page, str], text: str) -> None:
    page, scales = loaded
    for method, bits in [("GPTQ", FULL), *((method, bits) for method in METHODS for bits in FEWER)]:
        got = page.evaluate(
            "([text, method, bits]) => answer(text, method, bits)", [json.dumps(text), method, bits]
        )
        model = model_at(bits, method, scales)
        assert got == [step.token_id for step in generate(model, prompt(full(), text).ids)]


@pytest.mark.browser
def test_a_typed_question_is_answered_at_every_width_and_leaves_by_no_way(visit: Visit) -> None:
    page = visit(f"{CHAPTER}?shown=yes")
    sent = overhear(page)
    asked = "xylophone zebra"
    page.get_by_label("Your question to Larkspur Supply Co.").fill(asked)
    page.get_by_role("button", name="Ask at every width").click()
    ids = [step.token_id for step in generate(full(), full().encode(asked))]
    expect(page.get_by_text(full().decode(ids).strip()).first).to_be_visible()
    expect(page.get_by_text("To the question “xylophone zebra”")).to_be_visible()
    page.get_by_label("Your question to Larkspur Supply Co.").fill("xylophone yak")  # typed, never asked
    page.get_by_role("radio", name="rounded").click()
    expect(page.get_by_role("heading", name="The replies, rounded")).to_be_visible()
    settle(page)
    everything = sent()
    assert f'"full":{json.dumps(ids, separators=(",", ":"))}'.encode() in everything
    assert b"xylophone" not in everything
    assert b"zebra" not in everything
    assert "xylophone" not in page.url


@pytest.mark.browser
def test_other_scales_are_sent_and_the_question_is_asked_again(visit: Visit) -> None:
    page = visit(f"{CHAPTER}?shown=yes&method=rounded")
    page.get_by_role("button", name=QUESTIONS[1]).click()
    for scales in ("every 16 weights", WHOLE_ROW):
        page.get_by_role("radio", name=scales).click()
        wanted = replies(QUESTIONS[1], "rounded", scales)
        expect(
            page.get_by_text(f"mini first replies otherwise at {wanted.first_change} bits")
        ).to_be_visible()
        expect(page.get_by_text(wanted.text(FULL)).first).to_be_visible()


@pytest.mark.browser
def test_an_empty_question_is_refused_with_a_sentence(visit: Visit) -> None:
    page = visit(CHAPTER)
    box = page.get_by_label("Your question to Larkspur Supply Co.")
    box.fill("  ")
    box.press("Enter")
    expect(page.get_by_text("Expected some text, got an empty prompt")).to_be_visible()
    expect(page.get_by_text("The replies below are still those to the question before.")).to_be_visible()
    expect(page.get_by_text(f"To the question “{QUESTION}”", exact=True)).to_be_visible()
    expect(box).to_have_attribute("aria-invalid", "true")


@pytest.mark.browser
def test_the_guess_brings_the_replies(visit: Visit) -> None:
    page = visit(CHAPTER)
    chart = page.get_by_test_id("stVegaLiteChart").first
    expect(chart.get_by_text("?", exact=True)).to_have_count(len(FEWER))
    page.get_by_role("radio", name="8", exact=True).first.click()
    page.get_by_role("button", name="Lock in my guess").click()
    truth = replies(QUESTION, "GPTQ", WHOLE_ROW).first_change
    way = "with GPTQ and one scale for a whole row"
    told = f"You guessed 8 bits. Asked this question, {way}, mini first replies otherwise at {truth} bits"
    expect(page.get_by_text(told)).to_be_visible()
    expect(chart.get_by_text("other", exact=True).first).to_be_visible()
    assert page.locator("u").count() > 0


@pytest.mark.browser
def test_the_mission_by_keyboard(visit: Visit) -> None:
    page = visit(CHAPTER)
    first = next(batch for batch in range(1, room(MANY)) if times_as_fast(batch) < POINTLESS)
    slider = page.get_by_role("slider", name="Customers in the batch")
    press(slider, "ArrowRight", first - BEGIN)
    expect(page.get_by_text(f"Done: with {first} at once a pass takes")).to_be_visible()


@pytest.mark.browser
def test_a_browser_that_cannot_run_it_gets_questions_to_pick(visit: Visit) -> None:
    page = visit(f"{CHAPTER}?shown=yes")
    page.add_init_script("Float32Array.from = () => { throw new Error('not here'); }")
    page.reload()
    expect(page.get_by_text("so the server that hosts this page stands in")).to_be_visible()
    expect(page.get_by_text("Run for real in your own browser")).to_have_count(0)
    page.get_by_role("radio", name=QUESTIONS[1]).click()
    expect(page.get_by_text(replies(QUESTIONS[1], "GPTQ", WHOLE_ROW).text(FULL)).first).to_be_visible()
    expect(page.get_by_label("Your question to Larkspur Supply Co.")).to_have_count(0)
