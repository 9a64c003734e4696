"""Who sets something and walks on at once finds the next page, and what was set."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.serving import settle
from tests.browser.slow import Slow, slow_down
from tests.browser.test_walk import CHAPTER, asks, follow, until_asked, until_mini_has_run, until_there


@pytest.mark.browser
@pytest.mark.parametrize(
    ("choice", "passed_on", "told_here", "pause_ms"),
    [
        ("The first token comes later", {"reader": "Product manager", "done": "1"}, {"check": "a"}, 0),
        ("Engineer", {"reader": "Engineer"}, {}, 8),
    ],
)
def test_who_chooses_and_walks_on_at_once_keeps_the_choice(
    visit: Visit, choice: str, passed_on: dict[str, str], told_here: dict[str, str], pause_ms: int
) -> None:
    page = visit(f"{CHAPTER}?shown=yes")
    until_mini_has_run(page)
    chosen = page.get_by_role("radio", name=choice, exact=True)
    link = page.get_by_role("link", name="Overview").first
    page.evaluate(
        "([chosen, link, pause_ms]) => { chosen.click(); setTimeout(() => link.click(), pause_ms); }",
        [chosen.element_handle(), link.element_handle(), pause_ms],
    )
    until_there(page, "What happens between the prompt and the reply")
    until_asked(page, **passed_on)
    page.go_back()
    until_there(page, "Prefill and decode")
    until_asked(page, **asks(shown="yes") | passed_on | told_here)


@pytest.mark.browser
def test_a_number_that_is_typed_stays_and_the_link_pressed_next_leads_on(visit: Visit) -> None:
    page = visit(CHAPTER)
    until_mini_has_run(page)
    box = page.get_by_label("The first token appears after (ms)")
    box.fill("700")
    follow(page, "Overview")
    until_there(page, "What happens between the prompt and the reply")
    follow(page, "1 · Prefill and decode")
    expect(box).to_have_value("700")


@pytest.mark.browser
@pytest.mark.parametrize("does_go_on", [True, False])
def test_a_link_waits_for_a_busy_server_and_not_for_ever(visit: Visit, does_go_on: bool) -> None:
    page, server = visit(), Slow()
    server.listen_to(page, f"{CHAPTER}?shown=yes")
    until_mini_has_run(page)
    server.hold_all_but(2)  # which say that a run begins
    answered = len(server.sent) + 1
    page.get_by_text("The first token comes later", exact=True).click()
    expect(page.locator('[data-test-script-state="running"]')).to_be_attached()
    link = page.get_by_role("link", name="Overview").first
    link.click()
    expect(link).to_have_attribute("aria-busy", "true")
    assert len(server.sent) == answered
    if does_go_on:
        server.go_on()
        until_there(page, "What happens between the prompt and the reply")
        until_asked(page, reader="Product manager", done="1")
    else:
        server.until_told(page, answered + 1)


@pytest.mark.browser
def test_back_while_a_link_waits_ends_its_wait(visit: Visit) -> None:
    page = visit()
    follow(page, "Start with chapter 1")
    until_there(page, "Prefill and decode")
    until_mini_has_run(page)
    reader = page.get_by_role("radio", name="Engineer", exact=True)
    link = page.get_by_role("link", name="Glossary").first
    page.evaluate(
        "both => { both.forEach((one) => one.click()); setTimeout(() => history.back(), 20); }",
        [reader.element_handle(), link.element_handle()],
    )
    until_there(page, "What happens between the prompt and the reply")
    expect(page.get_by_role("link", name="Glossary").first).not_to_have_attribute("aria-busy", "true")
    page.wait_for_timeout(1000)  # longer than a link waits here
    expect(page.get_by_role("heading", name="What happens between the prompt and the reply")).to_be_visible()


@pytest.mark.browser
def test_a_page_that_a_late_word_brings_back_is_left_again(visit: Visit) -> None:
    page, server = visit(), Slow()
    server.listen_to(page, f"{CHAPTER}?shown=yes")
    until_mini_has_run(page)
    page.get_by_text("Engineer", exact=True).click()
    until_asked(page, **asks("Engineer", shown="yes"))
    settle(page)
    page.wait_for_timeout(1000)  # the link goes at once
    server.late, known = server.sent[-1:], len(server.sent)
    follow(page, "Overview")
    server.until_told(page, known + 2)  # the link, and the link once more
    expect(page.get_by_role("heading", name="What happens between the prompt and the reply")).to_be_visible()
    until_asked(page, reader="Engineer")


@pytest.mark.browser
def test_a_box_tells_nothing_of_its_run_once_its_reader_walks_on(visit: Visit) -> None:
    page, server = visit(), Slow()
    server.listen_to(page, f"{CHAPTER}?shown=yes")
    until_mini_has_run(page)
    page.get_by_label("Your message to Larkspur").fill("Where is my chair?")
    page.emulate_media(reduced_motion="reduce")  # no replay, after which a run is told
    slow_down(page)  # so that mini writes for longer than the link waits
    server.hold_all_but(0)
    sent = len(server.sent)
    run, link = (
        page.get_by_role("button", name="Run", exact=True),
        page.get_by_role("link", name="Overview").first,
    )
    page.evaluate("both => both.forEach((one) => one.click())", [run.element_handle(), link.element_handle()])
    expect(page.locator(".status")).to_contain_text("Larkspur mini wrote")
    server.go_on()
    until_there(page, "What happens between the prompt and the reply")
    assert len(server.sent) > sent
    assert server.told_controls(since=sent) == []
