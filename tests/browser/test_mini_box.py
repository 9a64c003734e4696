"""Larkspur mini's box in chapter 1: typed words stay, runs are replayed and stopped, links bring words back."""

import re
from collections.abc import Callable
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect

from larkspur import generate, load
from pages.ui.mini_browser import SCRIPT
from tests.browser.conftest import CONTENT_LIMIT_MS, Visit, settle
from tests.browser.hands import overhear

CHAPTER = "prefill_and_decode"
EXAMPLE = "We reply within five business"
LONG = "Where is my order? Please tell me. " * 60
STATUS_CHANGES = """() => {
    const status = document.querySelector('.stBidiComponent [data-testid=stBidiComponentIsolated]')
        .shadowRoot.querySelector('.status');
    window.changes = [];
    new MutationObserver(() => changes.push(status.textContent)).observe(status, { childList: true });
}"""


def box(page: Page) -> Page:
    """Wait for the box's first run, which nobody asked for, and return the page."""
    expect(page.locator(".status")).to_contain_text("Press Run to watch it", timeout=CONTENT_LIMIT_MS)
    expect(page.get_by_role("button", name="run for real here")).to_be_visible(timeout=CONTENT_LIMIT_MS)
    return page


def type_in(page: Page, words: str) -> None:
    page.get_by_label("Your message to Larkspur").fill(words)


def run(page: Page, words: str) -> None:
    type_in(page, words)
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.locator(".status")).to_contain_text("Larkspur mini wrote", timeout=CONTENT_LIMIT_MS)


def as_it_ran(page: Page) -> Page:
    page.get_by_label("Show it").select_option("as it ran")
    return page


def in_python(words: str) -> str:
    model = load("mini")
    return model.decode([step.token_id for step in generate(model, model.encode(words))]).strip()


@pytest.mark.browser
def test_the_example_has_run_when_the_page_stands(visit: Visit) -> None:
    page = box(visit(CHAPTER))
    expect(page.get_by_label("Your message to Larkspur")).to_have_value(EXAMPLE)
    expect(page.locator(".read .chip")).to_have_count(7)
    expect(page.locator(".written .chip")).to_have_count(7)
    assert page.locator(".reply").inner_text().strip() == in_python(EXAMPLE)


@pytest.mark.browser
def test_a_run_is_python_s_greedy_reply_and_fills_the_table(visit: Visit) -> None:
    page = as_it_ran(box(visit(CHAPTER)))
    run(page, "Where is my order?")
    assert page.locator(".reply").inner_text().strip() == in_python("Where is my order?")
    n_passes = page.locator(".written .chip").count()
    page.get_by_text("See the numbers").nth(1).click()
    expect(page.get_by_role("button", name=f"Download {n_passes} rows (CSV)")).to_be_visible()


@pytest.mark.browser
def test_what_is_typed_leaves_the_browser_by_no_way(visit: Visit) -> None:
    page = box(visit(CHAPTER))
    sent = overhear(page)
    as_it_ran(box(page))
    run(page, "xylophone zebra")
    expect(page.locator(".reply")).not_to_be_empty()
    type_in(page, "xylophone yak")  # typed, never run
    page.get_by_role("slider", name="Reply, tokens").press("ArrowRight")
    page.wait_for_url("**reply=8**")
    settle(page)
    everything = sent()
    lengths = {int(count) for count in re.findall(rb'"prompt_tokens":(\d+)', everything)}
    assert lengths == {7, len(load("mini").encode("xylophone zebra"))}  # the two runs were told of
    assert b"xylophone" not in everything
    assert b"zebra" not in everything
    assert "xylophone" not in page.url


@pytest.mark.browser
def test_the_box_is_used_by_keyboard_alone(visit: Visit) -> None:
    page = as_it_ran(box(visit(CHAPTER)))
    page.get_by_label("Your message to Larkspur").focus()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("When are")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("you open?")
    page.keyboard.press("Enter")
    expect(page.locator(".status")).to_contain_text("Larkspur mini wrote")
    expect(page.get_by_label("Your message to Larkspur")).to_have_value("When are\nyou open?")
    page.get_by_role("radio", name="µs").or_(page.get_by_role("radio", name="ms")).first.focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".pass")).to_contain_text("Pass 2 read 1 token")
    expect(page.locator(".likeliest li")).to_have_count(5)


@pytest.mark.browser
def test_a_replayed_run_is_labelled_and_announced_in_few_words(visit: Visit) -> None:
    page = box(visit(CHAPTER))
    page.evaluate(STATUS_CHANGES)
    run(page, "Where is my order?")
    changes = page.evaluate("changes")
    assert changes[:2] == ["Running …", "Shown 1,000 × slower than it ran."]
    assert len(changes) == 3
    assert page.locator("[aria-live], [role=status], [role=alert]").and_(page.locator(".status")).count() == 1


@pytest.mark.browser
def test_less_motion_shows_everything_at_once(visit: Visit) -> None:
    page = box(visit(CHAPTER))
    page.emulate_media(reduced_motion="reduce")
    run(page, "Where is my order?")
    expect(page.locator(".status")).to_contain_text(
        "Shown all at once, because your system asks for less motion."
    )


@pytest.mark.browser
def test_stop_gives_up_a_run_and_cuts_a_replay_short(visit: Visit) -> None:
    page = box(visit(CHAPTER))
    stop = page.get_by_role("button", name="Stop")
    expect(stop).to_be_disabled()
    type_in(page, LONG)
    page.get_by_label("Your message to Larkspur").press("Enter")
    stop.click()
    expect(page.locator(".status")).to_contain_text("Stopped before the reply was finished.")
    expect(page.locator(".read .chip")).to_have_count(7)  # the example's run is still on show

    page.get_by_label("Show it").select_option("5,000 × slower")
    type_in(page, "Where is my order?")
    page.get_by_label("Your message to Larkspur").press("Enter")
    expect(page.locator(".status")).to_contain_text("5,000 × slower")
    stop.click()
    expect(page.locator(".status")).to_contain_text("The replay was stopped: all is shown.")
    expect(page.locator(".written .chip:not(.hidden)")).to_have_count(page.locator(".written .chip").count())


@pytest.mark.browser
def test_the_cache_switch_shows_the_other_times_of_the_same_run(visit: Visit) -> None:
    page = box(visit(CHAPTER))
    with_cache = page.locator(".written small").all_inner_texts()
    page.get_by_role("switch", name="With the KV cache").uncheck()
    assert page.locator(".written small").all_inner_texts() != with_cache
    page.locator(".written input").last.check()
    expect(page.locator(".pass")).to_contain_text("Pass 7 read 13 tokens")
    page.get_by_role("switch", name="With the KV cache").check()
    assert page.locator(".written small").all_inner_texts() == with_cache


@pytest.mark.browser
def test_empty_long_and_broken_prompts_get_their_sentences(visit: Visit) -> None:
    page = as_it_ran(box(visit(CHAPTER)))
    type_in(page, " \n ")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.locator(".status")).to_contain_text("got an empty prompt; type a question")
    run(page, LONG)
    expect(page.locator(".notes")).to_contain_text(
        "only its end is read: the start marker and the last 191 tokens"
    )
    expect(page.locator(".read .chip")).to_have_count(192)
    page.get_by_label("Your message to Larkspur").evaluate("area => (area.value = 'box \\ud83d')")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.locator(".notes")).to_contain_text("Half a character (1 in all) cannot be read")


@pytest.mark.browser
def test_a_temperature_draws_and_says_so(visit: Visit) -> None:
    page = as_it_ran(box(visit(CHAPTER)))
    page.get_by_text("More settings").click()
    page.get_by_label("Temperature").fill("2")
    expect(page.get_by_text("2: drawn by chance")).to_be_visible()
    replies = set()
    for _ in range(4):
        run(page, "Hello")
        replies.add(page.locator(".reply").inner_text())
        type_in(page, "")
        page.get_by_role("button", name="Run", exact=True).click()
        expect(page.locator(".status")).to_contain_text("empty prompt")
    assert len(replies) > 1


SHARED = "<img src=x onerror=alert(1)> **Where** is my order? 📦 &ask=1#"


@pytest.mark.browser
def test_a_shared_prompt_comes_back_as_text_and_stays_in_the_address(visit: Visit) -> None:
    page = box(visit(CHAPTER))
    type_in(page, SHARED)
    page.get_by_text("More settings").click()
    page.get_by_role("button", name="Share this prompt").click()
    expect(page.locator(".status")).to_contain_text("Link copied.")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert "ask=" not in page.url

    other = box(visit(copied.split("/", 3)[3]))
    expect(other.get_by_label("Your message to Larkspur")).to_have_value(SHARED)
    assert other.locator(".reply").inner_text().strip() == in_python(SHARED)
    other.get_by_role("slider", name="Reply, tokens").press("ArrowRight")
    other.wait_for_url("**reply=8**")
    assert "ask=" in other.url


@pytest.mark.browser
def test_more_than_200_characters_are_not_shared(visit: Visit) -> None:
    page = box(visit(CHAPTER))
    page.get_by_text("More settings").click()
    for words, told in (("📦" * 201, "got 201;"), (" ", "got 1;")):
        type_in(page, words)
        page.get_by_role("button", name="Share this prompt").click()
        expect(page.locator(".status")).to_contain_text(f"Expected 1 to 200 characters to share, {told}")
    type_in(page, "📦" * 200)
    page.get_by_role("button", name="Share this prompt").click()
    expect(page.locator(".status")).to_contain_text("Link copied.")


@pytest.mark.browser
def test_words_are_kept_in_the_tab_while_the_reader_walks(visit: Visit) -> None:
    page = box(visit(f"{CHAPTER}?ask={quote('Can I pay later?')}"))
    type_in(page, "Do you sell rakes?")
    page.get_by_role("link", name="Overview").first.click()
    page.get_by_role("heading", name="What happens between").wait_for()
    page.get_by_role("link", name="Start with chapter 1").first.click()
    box(page)
    expect(page.get_by_label("Your message to Larkspur")).to_have_value("Do you sell rakes?")


@pytest.mark.browser
def test_mini_s_color_follows_light_and_dark(visit: Visit) -> None:
    page = box(visit(CHAPTER))
    bar = page.locator(".likeliest .bar").first
    expect(bar).to_have_css("background-color", "rgb(11, 122, 91)")
    page.emulate_media(color_scheme="dark")
    expect(bar).to_have_css("background-color", "rgb(60, 203, 157)")


BREAK_THE_MODEL = """const read = DataView.prototype.getUint32;
DataView.prototype.getUint32 = function (...args) {
    if (new Error().stack.includes("larkspur_mini")) throw new Error("no such thing here");
    return read.apply(this, args);
}"""
BREAK_THE_SCRIPT = """const make = URL.createObjectURL;
URL.createObjectURL = (blob) => (blob.size > 20000 && blob.type === "text/javascript" ? "blob:nowhere" : make(blob));
"""


@pytest.fixture
def broken(chromium: Browser, server_url: str) -> Callable[[str], Page]:
    """Return a function that opens the chapter in a browser in which a script has broken something."""

    def open_broken(script: str) -> Page:
        page = chromium.new_context().new_page()
        page.add_init_script(script)
        page.goto(f"{server_url}/{CHAPTER}")
        settle(page)
        return page

    return open_broken


@pytest.mark.browser
def test_where_the_model_fails_the_server_stands_in_by_itself(broken: Callable[[str], Page]) -> None:
    page = broken(BREAK_THE_MODEL)
    expect(page.get_by_text("Larkspur mini cannot run in this browser")).to_be_visible()
    expect(page.get_by_label("Your message", exact=True)).to_have_value(EXAMPLE)
    expect(page.get_by_text("Written one pass a token", exact=True)).to_be_visible()
    page.context.close()


@pytest.mark.browser
def test_where_the_script_never_starts_the_server_is_one_button_away(broken: Callable[[str], Page]) -> None:
    assert len(SCRIPT) > 20_000
    page = broken(BREAK_THE_SCRIPT)
    page.get_by_role("button", name="Run it on the server instead").click()
    expect(page.get_by_text("is sent to that server")).to_be_visible()
    expect(page.get_by_text("Written one pass a token", exact=True)).to_be_visible()
    page.context.close()
