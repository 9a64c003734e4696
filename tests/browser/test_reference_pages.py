"""The fold of new words, the glossary and the way to How far to trust it: by keyboard, and nothing is lost."""

import pytest
from playwright.sync_api import Locator, Page, expect

from pages.ui import catalogs, cited, flags
from pages.ui.chapters import OVERVIEW, PAGES, beside, called, chapter
from sim import MEASURED_PASSES, MODEL_ENTRIES
from sim import SOURCES as PAPERS
from sim.recorded import RECORDED_RUNS
from tests.browser.conftest import Visit
from tests.browser.serving import settle

CHAPTER = "prefill_and_decode"
LINK = f"{CHAPTER}?guess=300&prompt=300&reader=Analyst&done=2"


def press_tab_to(page: Page, target: Locator) -> None:
    """Press Tab until `target` has the focus, as a reader without a mouse would."""
    for _ in range(40):
        if target.evaluate("element => element === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError("expected 40 presses of Tab to reach it")


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 390])
def test_new_words_open_by_keyboard_and_lead_to_the_glossary_and_back(visit: Visit, width: int) -> None:
    page = visit(LINK, width=width)
    fold = page.locator("summary").filter(has_text="Words that are new here")
    page.get_by_role("radio", name="Analyst").focus()
    press_tab_to(page, fold)
    page.keyboard.press("Enter")
    expect(page.get_by_text("The passes that write the reply after its first token")).to_be_visible()
    press_tab_to(page, page.get_by_role("link", name="All words: the glossary"))
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Glossary")).to_be_visible()
    settle(page)
    page.wait_for_url(lambda url: "reader=Analyst" in url and "done=2" in url)
    expect(page.get_by_role("radio", name="Analyst")).to_be_checked()
    settle(page)

    page.go_back()
    expect(page.get_by_text("You guessed 300 ms. It took")).to_be_visible()
    settle(page)
    expect(page.get_by_role("slider", name="Prompt, tokens")).to_have_value("300")


@pytest.mark.browser
def test_a_word_is_searched_by_keyboard_and_the_link_keeps_it(visit: Visit) -> None:
    page = visit("glossary")
    box = page.get_by_label("Find a word")
    box.focus()
    page.keyboard.type("goodput")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Customers served on target, per second.")).to_be_visible()
    expect(page.get_by_text("Filling shorter texts of a batch")).to_be_hidden()
    page.wait_for_url(lambda url: "find=goodput" in url)
    other = visit(page.url.rpartition("/")[2])
    expect(other.get_by_label("Find a word")).to_have_value("goodput")
    expect(other.get_by_text("Customers served on target, per second.")).to_be_visible()


@pytest.mark.browser
def test_every_source_on_the_page_of_sources_is_a_link_that_keeps_the_app_open(visit: Visit) -> None:
    page = visit("sources")
    outward = page.get_by_test_id("stMain").locator("a[href^='https://']")
    there = dict(outward.evaluate_all("links => links.map(link => [link.href, link.target])"))
    real = [*MEASURED_PASSES.values(), *RECORDED_RUNS.values()]
    expected = {source.url for source in PAPERS.values()}
    expected |= {work.source.url for work in cited.works().values()}
    expected |= {found for one in real for found in catalogs.ADDRESS.findall(one.source)}
    expected |= {entry.origin.source for entry in MODEL_ENTRIES.values()}
    expected |= {one.source for one in flags.all_said()}
    assert expected <= {*there, *(address.rstrip("/") for address in there)}
    assert set(there.values()) == {"_blank"}


@pytest.mark.browser
def test_a_simulated_badge_leads_to_how_far_to_trust_it_and_back_to_the_same_settings(visit: Visit) -> None:
    page = visit(LINK)
    page.get_by_role("button", name="simulated · one request").focus()
    page.keyboard.press("Enter")
    link = page.get_by_test_id("stPopoverBody").get_by_role("link", name="How far to trust it")
    link.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="How far to trust it")).to_be_visible()
    settle(page)
    page.wait_for_url(lambda url: "reader=Analyst" in url and "done=2" in url)
    page.get_by_test_id("stSidebar").get_by_role("link", name="1 · Prefill and decode").click()
    expect(page.get_by_text("You guessed 300 ms. It took")).to_be_visible()
    expect(page.get_by_role("slider", name="Prompt, tokens")).to_have_value("300")


@pytest.mark.browser
@pytest.mark.parametrize("reader", ["Product manager", "Analyst", "Engineer"])
def test_next_leads_from_the_overview_through_all_pages_and_back(visit: Visit, reader: str) -> None:
    page, here = visit(f"?reader={reader}&done=3"), OVERVIEW
    for _ in [one for one in PAGES if one.is_ready]:
        here = beside(here)[1] or OVERVIEW
        name = f"{called(here)} · done" if called(here).startswith("3 ·") else called(here)
        page.get_by_test_id("stMain").get_by_role("link", name=name).last.click()
        title = "What happens between the prompt and the reply" if here is OVERVIEW else here.title
        expect(page.get_by_role("heading", name=title, level=1)).to_be_visible()
        settle(page)
        if here == chapter(1):  # a run of mini that is reported while the reader walks on is another matter
            expect(page.get_by_role("button", name="run for real here")).to_be_visible()
            settle(page)
        if here == chapter(7):
            read_the_memo(page)
        expect(page.get_by_role("radio", name=reader)).to_be_checked()
        page.wait_for_url(lambda url: "done=3" in url)


def read_the_memo(page: Page) -> None:
    """Search every setting, and open the memo that comes of it."""
    page.get_by_role("button", name="Try all").click()
    page.get_by_text("Read the memo").click()
    expect(page.get_by_text("These numbers come from a simulated server")).to_be_visible()
    settle(page)
