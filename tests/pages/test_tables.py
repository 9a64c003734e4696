"""Every table beside a chart opens, has its units in its column names, and can be taken away."""

import pytest

from tests.pages.conftest import Open, key

TABLES = {
    "app.py": ["example_passes"],
    "pages/1_prefill_and_decode.py": [
        "first_tokens",
        "larkspur_mini_passes",
        "one_request_passes",
        "pass_parts",
        "prompt_lengths",
    ],
    "pages/2_the_kv_cache_at_scale.py": [
        "places",
        "bytes_of_a_token",
        "models",
        "larkspur_mini_cache",
        "cards",
        "monday_in_memory",
        "seats",
        "what_the_memory_holds",
        "requests_of_one_length",
    ],
    "pages/3_batching.py": ["first_words", "customers", "passes", "who_made_one_wait", "steady_traffic"],
    "pages/6_pace_or_throughput.py": ["pace_of_each", "batches", "waits_by_cap", "monday_by_cap"],
}
WITHOUT_UNIT = {"pass", "state", "token_written", "five_likeliest", "pairs", "batch"}
WITHOUT_UNIT |= {"scheduler", "customer", "topic", "by", "cause", "traffic", "passes", "writing"}
WITHOUT_UNIT |= {"waiting_at_first_pass"}
NAMES_AND_COUNTS = {"what", "factor", "model", "sharing", "layers", "heads", "kv_heads", "card", "layout"}


@pytest.mark.parametrize(("path", "name"), [(path, name) for path, names in TABLES.items() for name in names])
def test_a_table_opens_with_units_and_a_download(open_page: Open, path: str, name: str) -> None:
    at = open_page(path, shown="yes")
    at.session_state[key(path, "on_server")] = "chosen"  # so that mini has run
    at.session_state[key(path, f"numbers.{name}")] = True
    at.run()
    assert not at.exception
    (table,) = at.dataframe
    ends = (
        "_s",
        "_ms",
        "_us",
        "_tokens",
        "_read",
        "_repeats",
        "_dollars",
        "tokens",
        "_bytes",
        "_requests",
        "_blocks",
        "_percent",
    )
    assert all(
        column.endswith(ends) or column in WITHOUT_UNIT | NAMES_AND_COUNTS for column in table.value.columns
    )
    (download,) = at.get("download_button")
    rows = len(table.value)
    assert download.label == f"Download {rows:,} row{'s' * (rows != 1)} (CSV)"
