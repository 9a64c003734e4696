"""Quoted results name their source, and agree with what can be computed."""

import datetime as dt
import json
import re
from pathlib import Path

import pytest

from sim import MODELS, QUOTED, QUOTED_TABLES, SOURCES

PAPERS = Path(__file__).parents[3] / "shared" / "reference" / "papers.json"
SOURCE_LINK = r"https://(arxiv\.org/abs/\d{4}\.\d{5}|www\.usenix\.org/.+)"


@pytest.mark.parametrize("key", SOURCES)
def test_every_source_has_a_link_a_venue_and_a_day(key):
    source = SOURCES[key]
    assert re.fullmatch(SOURCE_LINK, source.url)
    assert source.title
    assert source.authors
    assert source.venue[-4:].isdigit()
    assert isinstance(source.checked, dt.date)


def test_every_source_is_quoted():
    assert {id(result.source) for result in QUOTED.values()} == {id(source) for source in SOURCES.values()}


def test_speed_ups_say_against_what():
    speed_ups = [result for result in QUOTED.values() if result.unit == "×"]
    assert len(speed_ups) == 2
    assert all("against" in result.what for result in speed_ups)


def test_the_quoted_kv_bytes_follow_from_the_shape():
    kv_bytes = MODELS["opt-13b"].kv_bytes_per_token()
    assert QUOTED["kv-bytes-per-token"].value == kv_bytes
    assert QUOTED["kv-gb-per-request"].value == pytest.approx(2048 * kv_bytes / 2**30, abs=0.05)
    slots = QUOTED["kv-memory-a100-40gb"].value * 2**30 / kv_bytes
    assert QUOTED["kv-slots-a100-40gb"].value == pytest.approx(slots, abs=50)


@pytest.mark.parametrize("key", QUOTED_TABLES)
def test_every_row_of_a_quoted_table_has_its_columns(key):
    table = QUOTED_TABLES[key]
    assert table.rows
    assert {len(row) for row in table.rows} == {len(table.columns)}
    assert table.what
    assert table.where


def test_the_speed_ups_of_t5_xxl_are_those_of_the_paper():
    table = QUOTED_TABLES["t5-xxl-speed-ups"]
    assert "against" in table.what
    if not PAPERS.exists():
        pytest.skip("the reference values are not beside this checkout")
    values = json.loads(PAPERS.read_text())["leviathan_icml23"]["values"]
    (published,) = (value["rows"] for value in values if value["where"].startswith("Table 2 T5-XXL"))
    assert [list(row) for row in table.rows] == published
