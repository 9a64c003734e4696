"""The JavaScript that readers run says the same as Python: the very script and bytes, in a real browser."""

import base64
import json
import platform
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unicodedata import ucd_3_2_0

import pytest
from playwright.sync_api import Browser, Page
from tokenizers.pre_tokenizers import ByteLevel

from larkspur import load
from larkspur.vectors import FILE
from pages.ui.mini_browser import SCRIPT
from pages.ui.mini_bytes import packed

LARGEST_DIFFERENCE = 1e-4
MOST_CACHED_PASS_MS = 1.0
LOAD = """async ([script, block]) => {
    const url = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
    window.mini = await import(url);
    const { header, arrays } = mini.unpack(Uint8Array.from(atob(block), (sign) => sign.charCodeAt(0)));
    window.header = header;
    window.tokenizer = new mini.Tokenizer(arrays);
    window.model = new mini.Model(header.config, arrays);
}"""
IDS = "text => JSON.parse(text).map(text => tokenizer.encode(text))"
PROMPTS = """text => JSON.parse(text).map(text => {
    try {
        const { ids, notes } = mini.readPrompt(tokenizer, text, header.max_prompt_tokens);
        return { read: ids.length, notes };
    } catch (refusal) {
        return { refusal: refusal.message };
    }
})"""
READ = "mini.readPrompt(tokenizer, text, header.max_prompt_tokens).ids"
LOGITS = f"""text => JSON.parse(text).map(text => {{
    const ids = {READ};
    const atOnce = Array.from(model.forward(ids, model.newCache()));
    const cache = model.newCache();
    let last;
    for (const id of ids) last = model.forward([id], cache);
    return [atOnce, Array.from(last)];
}})"""
REPLIES = f"""text => JSON.parse(text).map(text => {{
    const ids = {READ};
    const cache = model.newCache();
    const reply = [];
    for (let unread = ids; reply.length < header.max_new_tokens; unread = reply.slice(-1)) {{
        const probs = mini.probabilities(model.forward(unread, cache), 0);
        reply.push(mini.choose(probs, 0, null));
        if (reply[reply.length - 1] === 0) break;
    }}
    return reply;
}})"""
DRAWS = """text => JSON.parse(text).map(({ logits, draws }) => draws.map(({ temperature, uniform }) =>
    mini.choose(mini.probabilities(Float32Array.from(logits), temperature), temperature, () => uniform)))"""
TIMES = """async ids => {
    const clock = mini.readClock();
    await mini.warmUp(model, ids, clock);
    const passes = [];
    for (let n = 0; n < 50; n++) {
        const cache = model.newCache();
        model.forward(ids, cache);
        passes.push(mini.timedPass(model, [300], cache, clock));
    }
    return { tick_ms: clock.tick_ms, passes: passes.map(({ us, repeats }) => [us, repeats]) };
}"""


@pytest.fixture(scope="module")
def recorded() -> Any:
    return json.loads(FILE.read_text("ascii"))


@pytest.fixture(scope="module")
def page(chromium: Browser) -> Iterator[Page]:
    page = chromium.new_page()
    page.evaluate(LOAD, [SCRIPT, base64.b64encode(packed("", "")).decode()])
    yield page
    page.close()


def ask(page: Page, function: str, values: list[Any]) -> list[Any]:
    """Return what a function in the browser makes of values; as ASCII, since half characters are among them."""
    answers: list[Any] = page.evaluate(function, json.dumps(values))
    return answers


@pytest.mark.browser
def test_ids_of_a_hundred_hard_texts_are_equal(page: Page, recorded: Any) -> None:
    cases = recorded["texts"]
    got = ask(page, IDS, [case["text"] for case in cases])
    assert len(got) == 100
    for case, ids in zip(cases, got, strict=True):
        assert ids == case["ids"], case["text"]


@pytest.mark.browser
def test_limits_notes_and_refusals_are_equal(page: Page, recorded: Any) -> None:
    cases = recorded["texts"]
    for case, got in zip(cases, ask(page, PROMPTS, [case["text"] for case in cases]), strict=True):
        if "refusal" in case:
            assert got == {"refusal": case["refusal"].capitalize().replace("where is", "Where is")}
        else:
            assert got == {"read": case["read"], "notes": case["notes"]}


@pytest.mark.browser
def test_ids_of_every_character_are_equal(page: Page) -> None:
    """All of planes 0 to 3 and 14, each beside letters, digits, marks and spaces."""
    texts = beside_others([*range(0x40000), *range(0xE0000, 0xF0000)])
    expected = [",".join(map(str, load("mini").encode(text))) for text in texts]
    agree(page, "text => String(tokenizer.encode(text))", texts, expected)


@pytest.mark.browser
def test_every_character_of_unicode_3_is_cut_in_the_same_places(page: Page) -> None:
    """A browser may know newer characters than the tokenizer does: their ids agree all the same, see above."""
    known = [point for point in range(0x110000) if ucd_3_2_0.category(chr(point)) not in ("Cn", "Co", "Cs")]
    texts = beside_others(known)
    cut = ByteLevel(add_prefix_space=False).pre_tokenize_str
    expected = [",".join(str(stop - start) for _, (start, stop) in cut(text)) for text in texts]
    agree(page, "text => String(tokenizer.cut(text).map(word => Array.from(word).length))", texts, expected)


def beside_others(points: list[int]) -> list[str]:
    """Return texts in which 256 characters each stand beside letters, digits, marks and spaces."""
    return [
        "".join(f"he{chr(point)}re  {chr(point)}1{chr(point)}'s" for point in points[start : start + 256])
        for start in range(0, len(points), 256)
    ]


def agree(page: Page, function: str, texts: list[str], expected: list[str]) -> None:
    """Compare what a function in the browser makes of texts, some at a time."""
    compare = f"cases => JSON.parse(cases).map(([text, expected]) => ({function})(text) === expected)"
    for start in range(0, len(texts), 64):
        part = list(zip(texts, expected, strict=True))[start : start + 64]
        differ = [text for (text, _), same in zip(part, ask(page, compare, part), strict=True) if not same]
        assert not differ, [hex(ord(text[2])) for text in differ]


@pytest.mark.browser
def test_every_token_looks_the_same_on_a_chip(page: Page) -> None:
    got = page.evaluate("tokenizer.tokens.map((_, id) => tokenizer.tokenText(id))")
    assert got == [load("mini").token_text(token_id) for token_id in range(load("mini").config.n_vocab)]


@pytest.mark.browser
def test_logits_of_twenty_prompts_agree_at_once_and_token_by_token(
    page: Page, recorded: Any, record_property: Callable[[str, object], None]
) -> None:
    cases, largest = recorded["logits"], 0.0
    assert len(cases) == 20
    for case, ways in zip(cases, ask(page, LOGITS, [case["text"] for case in cases]), strict=True):
        for logits in ways:
            pairs = zip(logits, case["logits"], strict=True)
            largest = max(largest, *(abs(got - expected) for got, expected in pairs))
    record_property("largest logit difference between JavaScript and NumPy", f"{largest:.1e}")
    assert largest <= LARGEST_DIFFERENCE


@pytest.mark.browser
def test_two_hundred_greedy_replies_are_equal(page: Page, recorded: Any) -> None:
    cases = recorded["replies"]
    assert len(cases) == 200
    assert ask(page, REPLIES, [case["text"] for case in cases]) == [case["reply"] for case in cases]


@pytest.mark.browser
def test_sampling_draws_the_same_tokens(page: Page, recorded: Any) -> None:
    expected = [[draw["id"] for draw in case["draws"]] for case in recorded["logits"]]
    assert ask(page, DRAWS, recorded["logits"]) == expected


@pytest.mark.browser
def test_a_cached_pass_takes_at_most_a_millisecond(
    page: Page, chromium: Browser, record_property: Callable[[str, object], None]
) -> None:
    measured = page.evaluate(TIMES, load("mini").encode("We reply within five business"))
    passes = sorted(measured["passes"])
    us, repeats = passes[len(passes) // 2]
    record_property(
        "one pass with the cache in the browser",
        f"{us:.0f} µs, median of {len(passes)} passes, {repeats} repeats in it, "
        f"a tick of {measured['tick_ms']:.2g} ms, Chromium {chromium.version}, {processor()}",
    )
    assert us / 1000 <= MOST_CACHED_PASS_MS


def processor() -> str:
    """Return the processor's name, as far as the system tells it."""
    told = Path("/proc/cpuinfo")
    lines = told.read_text().splitlines() if told.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()
