"""Sources: nothing quoted that no page uses, nothing cited that is not in the data, and every page as declared."""

import json
import re
from functools import cache

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui import catalogs, cited, flags
from pages.ui.chapters import CHAPTERS, OVERVIEW, ROOT, SOURCES, TRUST, Page, chapter
from pages.ui.frame import READERS
from pages.ui.kv_factors import model_numbers
from pages.ui.sources import day
from sim import ACCELERATOR_ENTRIES, MEASURED_PASSES, MODEL_ENTRIES, QUOTED
from sim.quoted import SOURCES as PAPERS
from sim.recorded import RECORDED_RUNS
from sim.vllm_flags import BENCH_FLAGS, CHECKPOINTS, RELEASE, SERVE_FLAGS
from tests.pages.conftest import Open, key, words

ADDRESS = re.compile(r"https?://[^\s)\]|,]+")
READ = [page for page in (OVERVIEW, *CHAPTERS, TRUST) if page.is_ready]
slugs = pytest.mark.parametrize("page", READ, ids=lambda page: page.slug)


@cache
def said_on(page: Page) -> str:
    """Return all that a page says in its three readings, opened to the end: folds, sums and charts included."""
    told = []
    for reader in READERS:
        at = AppTest.from_file(str(ROOT / "app.py")).run()
        if page is not OVERVIEW:
            at.switch_page(page.path)
            at.query_params["shown"] = "yes"
        at.query_params["reader"] = reader
        at.run()
        assert not at.exception
        told += [words(at), *(chart.proto.alt for chart in at.get("vega_lite_chart"))]
    return "\n".join(told)


@cache
def found_on_monday() -> str:
    """Return what chapter 7 says once it has searched: what the bits of the best setting cost."""
    at = AppTest.from_file(str(ROOT / "app.py")).run()
    at.switch_page(CHAPTERS[-1].path)
    at.query_params.update({"shown": "yes", "search": "yes"})
    at.run()
    assert not at.exception
    return words(at)


def addresses(text: str) -> set[str]:
    return {found.rstrip(".;") for found in ADDRESS.findall(text)}


def known() -> set[str]:
    catalog = [entry.origin.source for entry in MODEL_ENTRIES.values()]
    catalog += [origin.source for entry in ACCELERATOR_ENTRIES.values() for origin in entry.origins.values()]
    catalog += [one.source for one in (*MEASURED_PASSES.values(), *RECORDED_RUNS.values())]
    catalog += [source.url for source in PAPERS.values()]
    catalog += [work.source.url for work in cited.works().values()]
    return addresses("\n".join(catalog))


@slugs
def test_every_address_that_a_page_cites_is_in_the_data(page: Page) -> None:
    strange = addresses(said_on(page)) - known()
    assert not strange, f"{page.title} cites {strange}: add the work to data/quoted.toml or data/used.toml"


@slugs
def test_every_work_that_a_page_names_is_declared_for_it(page: Page) -> None:
    here = addresses(said_on(page))
    for name, work in cited.works().items():
        if work.source.url in here:
            assert page in work.pages, f"data/used.toml: {page.title} names {name}"
    for name, paper in PAPERS.items():
        if paper.url in here:
            assert page in cited.pages_of(name), f"data/used.toml: {page.title} names {name}"


@pytest.mark.parametrize("name", [one.key for one in cited.figures()])
def test_every_quoted_figure_is_used_where_the_table_says(name: str) -> None:
    (figure,) = (one for one in cited.figures() if one.key == name)
    assert figure.pages, f"no page uses {name}: drop it, or declare its pages in data/used.toml"
    for page in figure.pages:
        if page.is_ready:
            assert figure.source.url in said_on(page)
            if name in QUOTED:
                said = said_on(page) + (found_on_monday() if page == CHAPTERS[-1] else "")
                assert any(shown in said for shown in ways(QUOTED[name].value)), f"{name}: {page.title}"


def ways(value: float) -> set[str]:
    """Return how a page may print a value."""
    return {f"{value:g}", f"{value:,.0f}", f"{value:.2f}"} - ({f"{value:,.0f}"} if value % 1 else set())


@pytest.mark.parametrize("name", cited.works())
def test_every_work_is_named_where_the_table_says(name: str) -> None:
    work = cited.works()[name]
    assert work.pages
    for page in work.pages:
        if page.is_ready:
            assert work.source.url in said_on(page), f"{page.title} does not name {name}"


def test_the_table_declares_nothing_that_is_not_quoted() -> None:
    """Figures of chapters that are not written yet may be declared before they are quoted."""
    there = {one.key for one in cited.figures()}
    early = {name for name, pages in cited.used().items() if not any(page.is_ready for page in pages)}
    assert set(cited.used()) - early <= there


def test_every_model_of_chapter_2s_table_is_said_to_be_used_there() -> None:
    shown = set(model_numbers()["model"])
    told = {entry.name for name, entry in MODEL_ENTRIES.items() if chapter(2) in catalogs.pages_of(name)}
    assert shown == told


@slugs
def test_models_and_cards_are_shown_where_the_catalogs_say(page: Page) -> None:
    said = said_on(page)
    for name, entry in MODEL_ENTRIES.items():
        if f"]({entry.origin.source})" in said:
            assert page in catalogs.pages_of(name), f"{page.title} shows {name}"
    for name, card in ACCELERATOR_ENTRIES.items():
        if f"{card.name}: memory bandwidth" in said:
            assert page in catalogs.pages_of(name), f"{page.title} shows {name}"


@pytest.mark.parametrize("reader", READERS)
def test_the_page_lists_every_figure_work_and_run(open_page: Open, reader: str) -> None:
    said = words(open_page(SOURCES.path, reader=reader))
    for one in cited.figures():
        assert f"**{one.value}**: {one.what} ({one.where})" in said
        assert one.source.url in said
    for work in cited.works().values():
        assert work.source.url in said
    for run in RECORDED_RUNS.values():
        assert run.name in said


@slugs
def test_every_flag_that_a_page_names_is_declared_for_it_and_no_other(page: Page) -> None:
    said = said_on(page)
    assert all(flags.COMMANDS in flags.pages_of(name) for name in flags.all_flags())
    for name, flag in flags.all_flags().items():
        is_named = re.search(rf"{flag.flag}(?![\w-])", said) is not None
        if page is not flags.COMMANDS:  # which shows them once its search has run
            assert is_named == (page in flags.pages_of(name)), f"data/used.toml: {page.title}, {flag.flag}"


def test_every_flag_is_listed_once_with_what_it_takes_its_pages_its_address_and_its_day(
    open_page: Open,
) -> None:
    said = words(open_page(SOURCES.path))
    for command, known in (("vllm serve", SERVE_FLAGS), ("vllm bench serve", BENCH_FLAGS)):
        for flag in known.values():
            line = f"- `{flag.flag}` of `{command}` takes {flag.takes}. Used in: "
            above, found, below = said.partition(line)
            assert found
            assert line not in below
            assert "chapter 7" in below.partition("\n")[0]
            heading = above.rpartition("vLLM: [")[2]
            assert f"]({flag.source}). Checked {day(flag.checked)}." in heading
    assert f"]({CHECKPOINTS.source})" in said
    assert f"]({RELEASE.source})" in said


def test_every_catalog_number_that_is_published_has_a_link_and_its_day(open_page: Open) -> None:
    said = words(open_page(SOURCES.path))
    for entry in MODEL_ENTRIES.values():
        line = next(line for line in said.splitlines() if f"[{entry.name}]({entry.origin.source})" in line)
        assert f"Checked {day(entry.origin.checked)}." in line
    for card in ACCELERATOR_ENTRIES.values():
        for name, origin in card.origins.items():
            for address in addresses(origin.source):
                assert not origin.assumption
                (line,) = (line for line in said.splitlines() if f"]({address}): " in line)
                assert catalogs.WHAT[name] in line
                assert card.name in line
                assert f"Checked {day(origin.checked)}." in line


@pytest.mark.parametrize("name", ["quoted_figures", "models", "left_out_of_config_json"])
def test_addresses_in_tables_are_links(open_page: Open, name: str) -> None:
    at = open_page(SOURCES.path)
    at.session_state[key(SOURCES.path, f"numbers.{name}")] = True
    (table,) = at.run().dataframe
    assert json.loads(table.proto.columns)["address"]["type_config"]["type"] == "link"
    assert all(address.startswith("https://") for address in table.value["address"])


def test_the_table_of_figures_has_a_row_a_figure_with_its_day(open_page: Open) -> None:
    at = open_page(SOURCES.path)
    at.session_state[key(SOURCES.path, "numbers.quoted_figures")] = True
    (table,) = at.run().dataframe
    assert len(table.value) == len(cited.figures())
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\d", day) for day in table.value["checked"])
