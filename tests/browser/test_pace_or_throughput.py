"""Chapter 6 in a browser: the dot dragged by hand and by its slider, the guess, and the mission."""

import pytest
from playwright.sync_api import expect

from pages.ui.batch_curve import largest
from pages.ui.batch_figures import PROMISE
from pages.ui.cap_waits import BEGIN as MIDDLE
from pages.ui.cap_waits import FASTEST, SLOWEST, idle_from
from pages.ui.trade_chart import BEGIN
from tests.browser.conftest import Visit
from tests.browser.hands import lock_in, press, slide, until_charts_stand
from tests.browser.test_walk import follow, until_asked, until_there

CHAPTER = "pace_or_throughput"


@pytest.mark.browser
def test_the_dot_is_dragged_by_the_slider_and_by_hand_and_the_price_follows(visit: Visit) -> None:
    page = visit(f"{CHAPTER}?shown=yes")
    chart = page.get_by_test_id("stVegaLiteChart").nth(1)
    slider = page.get_by_label("Drag the dot: customers at once").first
    slide(slider, 24)
    expect(chart.get_by_text("24 at once · each")).to_be_visible()
    price = chart.get_by_text("1,000 replies: $0.28")
    expect(price).to_be_visible()

    until_charts_stand(page)
    box = chart.bounding_box()
    assert box is not None
    across, down = box["x"] + 0.75 * box["width"], box["y"] + 0.6 * box["height"]
    page.mouse.move(across, down)
    page.mouse.down()
    page.mouse.move(across + 20, down, steps=4)
    page.mouse.move(box["x"] + 0.95 * box["width"], box["y"] + 0.75 * box["height"], steps=4)
    page.mouse.up()
    expect(slider).not_to_have_value("24")
    held = slider.input_value()
    assert 1 <= int(held) < 8
    expect(chart.get_by_text(f"{held} at once · each")).to_be_visible()

    dearer = visit(f"{CHAPTER}?shown=yes&price=4")
    slide(dearer.get_by_label("Drag the dot: customers at once").first, 24)
    expect(dearer.get_by_text("1,000 replies: $0.57")).to_be_visible()


@pytest.mark.browser
def test_the_guess_and_the_mission(visit: Visit) -> None:
    page = visit(CHAPTER)
    lock_in(page, page.get_by_label("Each of the 24 gets (tokens a second)"), "3")
    expect(page.get_by_text("You guessed 3. Each gets")).to_be_visible()

    cap = page.get_by_role("slider", name="Your cap on the batch, customers at once")
    press(cap, "ArrowRight", largest(1, PROMISE) - 8)
    expect(page.get_by_text("so it is the pace that stops you")).to_be_visible()
    page.get_by_role("radio", name="doubled").click()
    expect(page.get_by_text("so it is the pace that stops you")).to_be_hidden()
    press(cap, "ArrowLeft", largest(1, PROMISE) - largest(2, PROMISE))
    expect(page.get_by_text("so here it is the memory that stops you")).to_be_visible()


@pytest.mark.browser
def test_on_monday_the_dot_has_a_slider_of_its_own(visit: Visit) -> None:
    page = visit(f"{CHAPTER}?shown=yes", width=390)
    slider = page.get_by_label("Drag the dot: customers at once").last
    slide(slider, 11)
    chart = page.get_by_test_id("stVegaLiteChart").last
    expect(chart.get_by_text("11 at once · each")).to_be_visible()


@pytest.mark.browser
def test_parts_run_alone_the_address_keeps_all_and_reset_reaches_every_part(visit: Visit) -> None:
    page = visit(f"{CHAPTER}?shown=yes&reader=Analyst&price=4")
    page.get_by_role("slider", name="Customers a minute").press("End")
    expect(page.get_by_text(f"from {idle_from(FASTEST).cap} on: no change")).to_be_visible()
    page.get_by_role("slider", name="You promise each customer, tokens a second").press("ArrowRight")
    expect(page.get_by_text(f"promised: {PROMISE + 1}").first).to_be_visible()
    page.get_by_role("slider", name="Your cap on the batch, customers at once").press("ArrowRight")
    expect(page.get_by_role("button", name=f"price at {BEGIN + 1} at once")).to_be_visible()
    begun = {"reader": "Analyst", "shown": "yes", "texts": "as they are", "price": "2"}
    begun |= {"promise": str(PROMISE), "rate": str(MIDDLE), "cap": str(BEGIN)}
    moved = {"price": "4", "promise": str(PROMISE + 1), "rate": str(FASTEST), "cap": str(BEGIN + 1)}
    until_asked(page, **begun | moved)

    follow(page, "Overview")
    until_asked(page, reader="Analyst")
    page.go_back()
    until_there(page, "Pace or throughput")
    until_asked(page, **begun | moved)
    page.get_by_role("slider", name="Customers a minute").press("Home")
    until_asked(page, **begun | moved | {"rate": str(SLOWEST)})
    expect(page.get_by_text(f"from {idle_from(SLOWEST).cap} on: no change")).to_be_visible()
    page.go_forward()
    until_asked(page, reader="Analyst")
    page.go_back()
    until_there(page, "Pace or throughput")
    page.get_by_role("button", name="Reset").click()
    until_asked(page, **begun)
    expect(page.get_by_text(f"from {idle_from(MIDDLE).cap} on: no change")).to_be_visible()
    expect(page.get_by_role("slider", name="Customers a minute")).to_have_value(str(MIDDLE))
    expect(page.get_by_role("button", name=f"price at {BEGIN} at once")).to_be_visible()
