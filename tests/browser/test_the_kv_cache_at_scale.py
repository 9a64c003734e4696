"""Chapter 2 in a browser: the guess, the car park's slider, and the mission."""

import numpy as np
import pytest
from playwright.sync_api import expect

from pages.ui.kv_lengths import LONGEST, no_gain_from
from pages.ui.monday_memory import held_at, most_seated
from pages.ui.parking import FIRST_S
from tests.browser.conftest import Visit
from tests.browser.hands import lock_in, press, slide

CHAPTER = "the_kv_cache_at_scale"


@pytest.mark.browser
def test_a_guess_fills_the_empty_places(visit: Visit) -> None:
    page = visit(CHAPTER)
    expect(page.get_by_text("The free memory is still drawn empty")).to_be_visible()
    lock_in(page, page.get_by_role("spinbutton", name="Requests at once"), "24")
    expect(page.get_by_text("You guessed 24. It holds 7.")).to_be_visible()
    expect(page.get_by_text("you guessed 24", exact=True)).to_be_visible()
    expect(page.get_by_text("too small for one more", exact=True)).to_be_visible()


@pytest.mark.browser
def test_the_slider_moves_through_monday_in_both_car_parks(visit: Visit) -> None:
    page = visit(f"{CHAPTER}?shown=yes")
    scrubber = page.get_by_label("Move through Monday's rush (s)")
    for at_s in (FIRST_S, 2.5, 9.0, 12.0):
        slide(scrubber, at_s)
        for layout in ("Max", "paged"):
            held = held_at(layout, np.array([at_s]))
            said = f"seated · {held.waiting[0]} waiting ·"
            expect(page.get_by_text(said).first).to_be_visible()
    expect(page.get_by_text("24 · bird feeder out of stock").first).to_be_visible()


@pytest.mark.browser
def test_a_choice_changes_what_is_parked_above(visit: Visit) -> None:
    page = visit(f"{CHAPTER}?shown=yes")
    page.get_by_role("radio", name="Pow2").click()
    expect(page.get_by_text("Reserved: reply rounded up, one piece")).to_be_visible()
    expect(page.get_by_text(f"Pow2: up to {most_seated('Pow2')}")).to_be_visible()


@pytest.mark.browser
def test_the_mission_is_done_near_the_longest(visit: Visit) -> None:
    page = visit(f"{CHAPTER}?shown=yes&length={no_gain_from() - 1}")
    slider = page.get_by_role("slider", name="Tokens of every request, prompt and reply together")
    press(slider, "ArrowRight")
    expect(page.get_by_text("Paging wins because people do not use all")).to_be_visible()
    slider.press("End")
    expect(page.get_by_text(f"Done: at {LONGEST:,} tokens")).to_be_visible()
