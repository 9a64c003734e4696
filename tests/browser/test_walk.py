"""A reader's walk: guess, run, check, walk on and back; the address keeps everything."""

from urllib.parse import parse_qsl, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.hands import lock_in, press, slide
from tests.browser.serving import serving, settle

CHAPTER = "prefill_and_decode"


def until_asked(page: Page, **expected: str) -> None:
    """Wait until the address says what is expected, and nothing else."""
    page.wait_for_url(lambda url: dict(parse_qsl(urlsplit(url).query)) == expected)


def asks(reader: str = "Product manager", prompt: int = 7, reply: int = 7, **more: str) -> dict[str, str]:
    """Return what chapter 1's address says with these settings."""
    return {"prompt": str(prompt), "reply": str(reply), "reader": reader} | more


def until_there(page: Page, title: str) -> None:
    """Wait until a page stands. Streamlit's browser side loses what lies ahead where Back is pressed earlier."""
    expect(page.get_by_role("heading", name=title)).to_be_visible()
    settle(page)


def until_mini_has_run(page: Page) -> None:
    """Wait until chapter 1 tells of mini's run, for which its part of the page is run once more."""
    expect(page.get_by_role("button", name="run for real here")).to_be_visible()
    settle(page)


def follow(page: Page, name: str) -> None:
    page.get_by_role("link", name=name).first.click()


@pytest.mark.browser
@pytest.mark.walk
def test_a_walk_through_chapter_1_and_back(visit: Visit) -> None:
    page = visit()
    page.get_by_role("radio", name="Engineer").click()
    until_asked(page, reader="Engineer")
    follow(page, "Start with chapter 1")
    lock_in(page, page.get_by_label("The first token appears after (ms)"), "700")
    expect(page.get_by_text("You guessed 700 ms. It took")).to_be_visible()
    page.get_by_text("The first token comes later", exact=True).click()
    page.get_by_text("It is tempting").wait_for()
    locked = {"guess": "700", "first": "700", "shown": "yes", "check": "a", "done": "1"}
    until_asked(page, **asks("Engineer", **locked))
    slider = page.get_by_role("slider", name="Reply, tokens")
    press(slider, "ArrowRight")
    until_asked(page, **asks("Engineer", reply=8, **locked))
    there = page.url

    follow(page, "Overview")
    expect(page.get_by_role("heading", name="What happens between the prompt and the reply")).to_be_visible()
    until_asked(page, reader="Engineer", done="1")
    expect(page.get_by_role("link", name="1 · Prefill and decode · done").first).to_be_visible()
    settle(page)

    page.go_back()
    expect(page.get_by_text("You guessed 700 ms. It took")).to_be_visible()
    until_mini_has_run(page)
    page.wait_for_url(there)
    page.go_forward()
    until_there(page, "What happens between the prompt and the reply")
    until_asked(page, reader="Engineer", done="1")

    page.go_back()
    page.reload()
    settle(page)
    expect(page.get_by_text("You guessed 700 ms. It took")).to_be_visible()
    expect(page.get_by_role("radio", name="Engineer")).to_be_checked()
    expect(page.get_by_role("slider", name="Reply, tokens")).to_have_value("8")


@pytest.mark.browser
def test_parts_of_chapter_1_run_alone_and_leave_each_other_as_they_are(visit: Visit) -> None:
    page = visit(f"{CHAPTER}?shown=yes&prompt=100&reader=Analyst")
    until_mini_has_run(page)
    chart = page.get_by_test_id("stVegaLiteChart")
    page.get_by_role("slider", name="Prompt, tokens").press("ArrowRight")
    expect(chart.get_by_text("a prompt of 101 tokens")).to_be_visible()
    until_asked(page, **asks("Analyst", prompt=101, shown="yes"))
    page.get_by_role("button", name="Run", exact=True).click()
    until_mini_has_run(page)
    page.get_by_text("Only the time after the first token", exact=True).click()
    until_asked(page, **asks("Analyst", prompt=101, shown="yes", check="b", done="1"))
    expect(chart.get_by_text("a prompt of 101 tokens")).to_be_visible()
    expect(page.get_by_role("slider", name="Prompt, tokens")).to_have_value("101")


@pytest.mark.browser
def test_a_copied_link_opens_the_same_page_elsewhere(visit: Visit) -> None:
    page = visit(f"{CHAPTER}?guess=90&reader=Analyst&prompt=1200")
    page.get_by_role("button", name="Copy link").click()
    page.get_by_text("Copied.").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == page.url
    other = visit(copied.partition("/")[2].partition("/")[2].partition("/")[2])
    expect(other.get_by_text("You guessed 90 ms. It took")).to_be_visible()
    expect(other.get_by_role("radio", name="Analyst")).to_be_checked()
    expect(other.get_by_role("slider", name="Prompt, tokens")).to_have_value("1200")


@pytest.mark.browser
def test_a_deep_link_on_a_cold_server_shows_the_whole_frame(cold_server_url: str, visit: Visit) -> None:
    page = visit(f"{CHAPTER}?reader=Analyst", url=cold_server_url)
    menu = page.get_by_test_id("stSidebar")
    expect(menu.get_by_role("link", name="Overview")).to_be_visible()
    expect(menu.get_by_text("7 · Serve Larkspur's Monday")).to_be_visible()
    expect(page.get_by_role("radio", name="Analyst")).to_be_checked()
    expect(page.get_by_role("heading", name="Prefill and decode")).to_be_visible()


@pytest.mark.browser
def test_chapter_1_can_be_started_without_scrolling_past_one_screen(visit: Visit) -> None:
    for width, height in ((1280, 800), (390, 844)):
        page = visit(width=width, height=height)
        link = page.get_by_role("link", name="Start with chapter 1").last
        box = link.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= height


@pytest.mark.browser
def test_the_line_in_the_timeline_moves_and_counts_tokens(visit: Visit) -> None:
    page = visit(CHAPTER)
    scrubber = page.get_by_label("Move the line (ms)").last
    slide(scrubber, 50)
    expect(page.get_by_text("3 tokens", exact=True).last).to_be_visible()


@pytest.mark.browser
def test_quick_changes_of_a_control_are_not_undone_by_the_address(visit: Visit) -> None:
    page = visit(f"{CHAPTER}?shown=yes&prompt=100")
    slider = page.get_by_role("slider", name="Prompt, tokens")
    slider.focus()
    for _ in range(12):
        slider.press("ArrowRight")
    until_asked(page, **asks(prompt=112, shown="yes"))
    settle(page)
    expect(slider).to_have_value("112")


@pytest.mark.browser
def test_a_framed_page_stays_framed_and_its_copied_link_is_not(visit: Visit) -> None:
    page = visit(f"{CHAPTER}?embed=true&shown=yes&prompt=900")
    until_asked(page, **asks(prompt=900, shown="yes"), embed="true")
    page.get_by_role("button", name="Copy link").click()
    page.get_by_text("Copied.").wait_for()
    assert "embed" not in page.evaluate("navigator.clipboard.readText()")


@pytest.mark.browser
def test_below_a_base_path_the_address_is_kept_too(visit: Visit) -> None:
    with serving("module") as served:
        page = visit(f"{CHAPTER}?prompt=30&shown=yes", url=served.url)
        until_asked(page, **asks(prompt=30, shown="yes"))
        for link in page.get_by_role("link", name="Overview").all():
            assert link.evaluate("link => link.href") == f"{served.url}/?reader=Product+manager"
        page.get_by_role("link", name="Overview").first.click()
        expect(
            page.get_by_role("heading", name="What happens between the prompt and the reply")
        ).to_be_visible()
        until_asked(page, reader="Product manager")
        page.get_by_role("link", name="Start with chapter 1").click()
        until_asked(page, **asks(prompt=30, shown="yes"))
        page.close()  # before its server ends, to which mini may still report a run


@pytest.mark.browser
def test_forward_after_a_reset_finds_the_reset(visit: Visit) -> None:
    page = visit(f"{CHAPTER}?shown=yes&reply=100")
    follow(page, "Overview")
    until_asked(page, reader="Product manager")
    follow(page, "Start with chapter 1")
    until_asked(page, **asks(reply=100, shown="yes"))
    until_mini_has_run(page)
    page.get_by_role("button", name="Reset").click()
    until_asked(page, **asks(shown="yes"))
    settle(page)
    page.go_back()
    until_there(page, "What happens between the prompt and the reply")
    page.go_back()
    until_there(page, "Prefill and decode")
    until_mini_has_run(page)
    until_asked(page, **asks(reply=100, shown="yes"))
    page.go_forward()
    until_there(page, "What happens between the prompt and the reply")
    page.go_forward()
    until_asked(page, **asks(shown="yes"))
    expect(page.get_by_role("slider", name="Reply, tokens")).to_have_value("7")
