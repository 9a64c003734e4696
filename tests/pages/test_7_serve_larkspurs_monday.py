"""Chapter 7 as its visitors meet it: by hand, by search, what is held back, what a link says, and bad input."""

from dataclasses import replace

import pytest

from pages.ui import monday_search, monday_wish
from pages.ui.frame import READERS
from pages.ui.monday_knobs import KNOBS
from pages.ui.monday_try import CUSTOMERS, DEFAULTS, START, best_change, kept
from sim import MONDAY_TARGETS
from tests.pages.asked import MONDAY
from tests.pages.conftest import Open, addressed, guess, key, words

PATH = "pages/7_serve_larkspurs_monday.py"
TRUTH = f"{best_change(START).kept} of {CUSTOMERS}"


def of(name: str) -> str:
    return key(PATH, name)


def test_only_what_the_guess_is_about_is_missing_before_it(open_page: Open) -> None:
    at = open_page(PATH, hint="open")
    assert TRUTH not in words(at)
    assert "The place of one change is still empty" in words(at)
    assert "the page says here which one change would help" in words(at)
    assert "missed the first word" in words(at)
    assert "Press the button above" in words(at)


@pytest.mark.parametrize("reader", READERS)
def test_guess_and_search_bring_the_chapter_in_every_reading(open_page: Open, reader: str) -> None:
    at = guess(open_page(PATH, reader=reader), PATH, 20)
    assert "You guessed **20**" in words(at)
    assert f"The best single change keeps **{TRUTH}**" in words(at)
    assert "This fills in with your guess" in words(at)
    at.button(of("try_all")).click().run()
    assert not at.exception
    assert addressed(at) == {reader}


def test_start_one_change_and_search_are_three_clicks(open_page: Open) -> None:
    at = open_page(PATH)
    at.button_group(of("scheduler")).set_value("in pieces").run()
    assert f"| **{kept(START)} of 24** | **{kept(DEFAULTS)} of 24** | **7 of 24** |" in words(at)
    at.button(of("try_all")).click().run()
    assert "the best keeps **23 of 24**" in words(at)
    assert "Your own try keeps 7" in words(at)
    assert at.session_state["link.next"]["search"] == "yes"


def test_goodput_is_a_rate_and_the_headings_differ(open_page: Open) -> None:
    at = open_page(PATH)
    assert "on target each second is what engineers call *goodput*" in words(at)
    assert "on target a second (*goodput*)" in words(at)
    assert f"Served like this, **{kept(START)} of 24** customers are on target" in words(at)
    heads = [one.value for one in at.subheader]
    assert heads.count("Take away") == 1
    assert not any("way with it" in head for head in heads)


def test_every_knob_has_its_name_and_the_way_to_its_chapter(open_page: Open) -> None:
    at = open_page(PATH)
    labels = {control.label.lower() for control in (*at.button_group, *at.select_slider)}
    assert {knob.name.lower() for knob in KNOBS} <= labels


def test_the_last_try_is_kept_for_its_tails(open_page: Open) -> None:
    at = open_page(PATH)
    assert at.session_state[of("tries")] == [START]
    at.select_slider(of("max_num_seqs")).set_value("24").run()
    at.select_slider(of("num_speculative_tokens")).set_value("2").run()
    before, now = at.session_state[of("tries")]
    assert before == replace(START, max_num_seqs=24)
    assert now == replace(before, num_speculative_tokens=2)


def test_a_link_brings_try_comparison_and_trust_back(open_page: Open) -> None:
    at = open_page(PATH, **MONDAY.link)
    assert "Your own try keeps" in words(at)
    assert "From *the start* to *the best*" in words(at)
    assert "holds on most other Mondays" in words(at)
    assert "the page has already served 200 other Mondays under them" in words(at)


FOLDS = ("hint", "cards", "limits", "two")
ENDS = [
    ("fixed batches", "the longest", "4", "0", "16", "128"),
    ("prompts first", "exact", "256", "8", "4", "8192"),
    ("decided anew", "next power of two", "256", "8", "16", "128"),
    ("in pieces", "paged", "4", "8", "16", "128"),
]


@pytest.mark.slow
@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("ends", ENDS)
def test_controls_at_their_ends(open_page: Open, reader: str, ends: tuple[str, ...]) -> None:
    fields = ("scheduler", "kv_layout", "max_num_seqs", "num_speculative_tokens", "weight_bits")
    link = dict(zip((*fields, "max_num_batched_tokens"), ends, strict=True))
    at = open_page(PATH, reader=reader, shown="yes", search="yes", **link, **dict.fromkeys(FOLDS, "open"))
    assert "Your own try keeps" in words(at)
    for cap in (1, CUSTOMERS):
        at.slider(of("cap")).set_value(cap).run()
        assert not at.exception


@pytest.mark.parametrize("first_word", ["0.5 s", "2 s"])
@pytest.mark.parametrize("token", ["20 ms", "50 ms"])
@pytest.mark.parametrize("freeze", ["0.3 s", "1 s"])
def test_targets_at_their_ends(open_page: Open, first_word: str, token: str, freeze: str) -> None:
    at = open_page(PATH, shown="yes", first_word=first_word, token=token, freeze=freeze)
    assert f"First word within {first_word}" in words(at)
    assert f"No freeze beyond {freeze}" in words(at)


def test_other_targets_ask_for_another_search(open_page: Open) -> None:
    at = open_page(PATH, shown="yes", search="yes")
    at.button_group(of("first_word")).set_value("0.5 s").run()
    assert at.button(of("try_all")).label.endswith("with these targets")
    assert "Press the button above" in words(at)
    assert "search" not in at.session_state["link.next"]
    at.button_group(of("first_word")).set_value("1 s").run()
    assert "the best keeps **23 of 24**" in words(at)


@pytest.mark.parametrize(
    ("wish", "bits"), [({"fewest": "16"}, "16 bits"), ({"fewest": "8"}, "8 bits"), ({}, "4 bits")]
)
def test_the_quality_of_the_winner_stands_beside_it(open_page: Open, wish: dict[str, str], bits: str) -> None:
    at = open_page(PATH, shown="yes", search="yes", **wish)
    said = next(element.value for element in at.markdown if element.value.startswith(("**What", "**Quality")))
    assert (f"What {bits} cost in quality" in said) == (bits != "16 bits")
    assert "perplexity" in said


def test_taking_over_the_defaults_and_the_best_sets_every_knob(open_page: Open) -> None:
    at = open_page(PATH, shown="yes", search="yes")
    at.button(of("preset.vLLM's defaults")).click().run()
    assert at.select_slider(of("max_num_seqs")).value == "256"
    assert f"Your own try keeps {kept(DEFAULTS)}" in words(at)
    at.button(of("preset.the best")).click().run()
    assert "Your own try keeps 23; 0 settings keep more" in words(at)
    at.button(of("reset")).click().run()
    assert f"Your own try keeps {kept(START)}" in words(at)


def test_folds_draw_only_what_is_opened(open_page: Open) -> None:
    at = open_page(PATH, shown="yes", search="yes")
    assert "The most that one change brings" not in words(at)
    assert "lifted at a time" not in words(at)
    assert not {*FOLDS} & set(at.session_state["link.next"])
    for name in FOLDS:
        at.session_state[of(name)] = True
    at.run()
    assert "keeps 7 instead of 1" in words(at)
    assert "**vLLM's defaults** (3 of 24): what binds is **" in words(at)
    assert "vLLM's defaults need 2 cards, the start more than 4 cards" in words(at)
    assert dict.fromkeys(FOLDS, "open").items() <= at.session_state["link.next"].items()


def test_two_settings_need_the_search_for_the_best(open_page: Open) -> None:
    at = open_page(PATH, shown="yes", to="the best", two="open")
    assert "The best is not found yet" in words(at)
    at.button_group(of("to")).set_value("mine").run()
    assert "From *vLLM's defaults* to *mine*" in words(at)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "fold"), [("preemption", "more_knobs"), ("from", "two"), ("to", "two")])
def test_a_fold_opens_where_the_link_asks_for_nonsense_in_it(open_page: Open, name: str, fold: str) -> None:
    assert not open_page(PATH, shown="yes").session_state[of(fold)]
    at = open_page(PATH, shown="yes", **{name: "nonsense"})
    assert at.session_state[of(fold)]
    assert any("nonsense" in warning.value for warning in at.warning)


def test_what_was_tried_stays_after_another_try_is_stopped(open_page: Open) -> None:
    at = open_page(PATH, shown="yes", search="yes")
    at.button_group(of("first_word")).set_value("0.5 s").run()
    at.session_state[of("asked")] = monday_wish.STOPPED
    at.run()
    assert "Stopped: nothing of it is kept" in words(at)
    at.button_group(of("first_word")).set_value("1 s").run()
    assert "the best keeps **23 of 24**" in words(at)


def test_the_headline_has_what_engines_offer_and_the_default_line_can_be_run(open_page: Open) -> None:
    at = open_page(PATH, shown="yes", search="yes")
    frame = monday_search.already(MONDAY_TARGETS).frame  # type: ignore[union-attr]
    today = int(frame[frame["exists_today"]]["on_target"].max())
    assert f"Of what engines offer, the best keeps **{today} of 24**" in words(at)
    assert at.button_group(of("export")).value == "what runs today"
    assert f"That puts **{today} of 24** customers on target" in words(at)
    plain = int((frame[frame["on_target"] == 23]["num_speculative_tokens"] == 0).sum())
    assert f"{plain} of the settings tied with it keep as many without guessing" in words(at)


def test_the_mission_is_acknowledged_only_where_it_is_done(open_page: Open) -> None:
    at = open_page(PATH, shown="yes")
    for cap, is_done in ((8, False), (12, False), (13, True), (24, True), (4, False)):
        at.slider(of("cap")).set_value(cap).run()
        assert bool(at.success) == is_done
