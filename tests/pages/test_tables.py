"""Every table beside a chart opens, has its units in its column names, and can be taken away."""

import pandas as pd
import pytest

from pages.ui.tables import digits, title, whole_as_integers, widths
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
    "pages/5_guess_ahead.py": [
        "ten_passes",
        "rounds",
        "tokens_a_pass",
        "one_token",
        "guessing_by_batch",
        "monday_per_token",
        "t5_xxl",
    ],
    "pages/4_smaller_numbers.py": [
        "widths",
        "replies",
        "layers",
        "seats",
        "quoted_perplexities",
        "bits_weighed",
        "passes_by_batch",
    ],
    "pages/7_serve_larkspurs_monday.py": [
        "single_changes",
        "your_customers",
        "misses",
        "your_timeline",
        "your_passes",
        "named_settings",
        "settings_counted",
        "tied_best",
        "knobs_put_back",
        "cards_and_customers",
        "limits_lifted",
        "two_settings",
    ],
    "pages/6_pace_or_throughput.py": ["pace_of_each", "batches", "waits_by_cap", "monday_by_cap"],
    "pages/8_glossary.py": ["glossary"],
    "pages/9_how_far_to_trust_it.py": [
        "unit_costs",
        "passes_that_read",
        "passes_that_write",
        "changed_assumptions",
        "recorded_run",
    ],
    "pages/10_sources.py": ["quoted_figures", "models", "left_out_of_config_json", "cards"],
}
WORDS = {"term", "also_called", "meaning", "pages", "of", "assumed_value"}
WORDS |= {"quoted", "place", "source", "address", "checked", "kind"}
WITHOUT_UNIT = {"pass", "state", "token_written", "five_likeliest", "pairs", "batch"}
WITHOUT_UNIT |= {"scheduler", "customer", "topic", "by", "cause", "traffic", "passes", "writing"}
WITHOUT_UNIT |= {"guesses_a_pass", "kept", "thrown_away", "own", "token", "times_as_fast", "guesses"}
WITHOUT_UNIT |= {"plain_on_target", "guessing_on_target", "task", "draft", "temperature", "acceptance"}
WITHOUT_UNIT |= {"bits", "reply", "changed_words", "layer", "method", "times_faster", "opt_13b_perplexity"}
WITHOUT_UNIT |= {"gptq_perplexity", "rounded_perplexity"}  # a number of tokens to waver between
WITHOUT_UNIT |= {"waiting_at_first_pass", "customers"}
NAMES_AND_COUNTS = {"what", "factor", "model", "sharing", "layers", "heads", "kv_heads", "card", "layout"}
KNOBS = {"who_is_in_the_next_pass", "memory_promised_to_a_customer", "bits_of_each_weight", "guesses_ahead"}
KNOBS |= {"seats", "tokens_a_pass", "when_memory_runs_out", "knob", "value", "setting", "at_start", "in_best"}
OF_MONDAY = {
    "the_start",
    "vLLMs_defaults",
    "mine",
    "the_best",
    "on_target",
    "a_on_target",
    "b_on_target",
    "because",
    "missed",
    "one_change_that_helps",
    "limit",
    "lifted",
}
OF_MONDAY |= {"settings", "accepted_settings", "offered_today", "cards"}
NAMES_AND_COUNTS = (
    KNOBS
    | OF_MONDAY
    | {"what", "factor", "model", "sharing", "layers", "heads", "kv_heads", "card", "layout"}
)


@pytest.mark.parametrize(("path", "name"), [(path, name) for path, names in TABLES.items() for name in names])
def test_a_table_opens_with_units_and_a_download(open_page: Open, path: str, name: str) -> None:
    at = open_page(path, shown="yes", search="yes", **dict.fromkeys(("cards", "limits", "two"), "open"))
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
        column.endswith(ends) or column in WITHOUT_UNIT | NAMES_AND_COUNTS | WORDS
        for column in table.value.columns
    )
    others = table.value.select_dtypes(exclude=["number", "bool"])
    assert [column for column in others if is_numbers_as_text(others[column])] == []
    assert [column for column in others if has_line_breaks(others[column])] == []
    (download,) = (each for each in at.get("download_button") if each.label.startswith("Download "))
    rows = len(table.value)
    assert download.label == f"Download {rows:,} row{'s' * (rows != 1)} (CSV)"


def is_numbers_as_text(column: pd.Series) -> bool:
    told = column.dropna().astype(str).str.replace(",", "")
    return len(told) > 0 and bool(pd.to_numeric(told, errors="coerce").notna().all())


def has_line_breaks(column: pd.Series) -> bool:
    """Whether a row of the file would go on in the next line, where many tools lose it."""
    return bool(column.dropna().astype(str).str.contains("\n").any())


def test_whole_numbers_are_written_as_integers_and_the_others_as_they_are() -> None:
    table = whole_as_integers(
        pd.DataFrame({"bytes": [1.0, None, 3.0], "wait_s": [0.5, 1.0, 2.0], "card": "a"})
    )
    assert table.to_csv(index=False) == "bytes,wait_s,card\n1,0.5,a\n,1.0,a\n3,2.0,a\n"


def test_a_table_has_a_readable_name_and_room_for_its_columns() -> None:
    assert title("larkspur_mini_cache") == "Larkspur mini cache"
    assert title("monday_by_cap") == "Monday by cap"
    short, long = (
        widths(pd.DataFrame({name: [1]}))[name]["width"] for name in ("cap", "median_customer_tokens_per_s")
    )
    assert short < 80 < 200 < long


@pytest.mark.parametrize(
    ("values", "form"),
    [
        ([25_706_946_560, 12], "localized"),
        ([8139.587, 1.354], "localized"),
        ([1.354, 2.845], "%.3f"),
        ([94.606, 99.469], "%.2f"),
        ([0.004637, 0.015], "%.5f"),
        ([0.149796, 113.917], "%.2f"),  # 0.15, and never 113.9170
        ([0.0015, 113.917, 0.0], "%.3f"),
        ([3, 24], None),
        ([0.0, 0.0], None),
    ],
)
def test_numbers_have_thousands_marks_and_sensible_digits(values: list[float], form: str | None) -> None:
    assert digits(pd.Series(values)) == form


def test_years_are_no_thousands() -> None:
    assert digits(pd.Series([2022], name="year")) is None
