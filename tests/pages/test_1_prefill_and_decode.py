"""Chapter 1 as its visitors meet it: what is shown, what is held back, what a link says, what is said of bad input."""

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.frame import READERS
from pages.ui.mini import EXAMPLE
from pages.ui.served import costs
from sim import lone_request
from tests.pages.conftest import Open, addressed, guess, key, words

PATH = "pages/1_prefill_and_decode.py"
LETTER, LONGEST, MOST_REPLY = 700, 2048, 512
TRUTH = f"{lone_request(costs(), LETTER, 1).ttft_s * 1e3:.0f} ms"


def metrics(at: AppTest) -> list[str]:
    return [metric.value for metric in at.metric]


def test_the_example_has_the_times_of_the_brief(open_page: Open) -> None:
    assert metrics(open_page(PATH)) == ["16 ms", "15.2 ms", "107 ms"]


def test_only_the_guessed_time_is_missing_before_the_guess(open_page: Open) -> None:
    at = open_page(PATH)
    assert TRUTH not in words(at)
    assert "This fills in with your guess" in words(at)
    assert at.slider(key(PATH, "locked.prompt")).disabled
    assert at.button(key(PATH, "use_server"))  # mini's box is there, waiting for a browser


@pytest.mark.parametrize("reader", READERS)
def test_a_guess_brings_the_truth_in_every_reading(open_page: Open, reader: str) -> None:
    at = guess(open_page(PATH, reader=reader), PATH, 1600)
    assert "**1,600 ms**" in words(at)
    assert f"**{TRUTH}**" in words(at)
    assert addressed(at) == {reader}


def test_the_first_guess_of_a_link_stays_too(open_page: Open) -> None:
    at = guess(open_page(PATH, guess="300"), PATH, 120)
    assert at.session_state[key(PATH, "first")] == 300


def test_done_is_earned_by_a_link_that_brings_guess_and_check(open_page: Open) -> None:
    assert open_page(PATH, guess="300", check="c").session_state["done"] == {1}


def test_a_prompt_in_the_link_waits_for_the_guess(open_page: Open) -> None:
    at = open_page(PATH, prompt="1200")
    assert metrics(at)[0] == "16 ms"
    assert at.session_state["link.next"]["prompt"] == "1200"
    at.button(key(PATH, "show")).click().run()
    assert at.slider(key(PATH, "prompt")).value == 1200


def test_words_of_a_link_are_shown_as_words(open_page: Open) -> None:
    at = open_page(PATH, prompt="![x](https://example.org/p.png)", reader="[a](http://b) :red[c]")
    for warning in at.warning:
        assert not any(mark in warning.value for mark in ("![", "](", ":red["))


def test_locking_in_nothing_asks_for_a_number(open_page: Open) -> None:
    at = open_page(PATH).button(key(PATH, "lock")).click().run()
    assert any("Type a number from 1 to 10,000" in caption.value for caption in at.caption)
    assert TRUTH not in words(at)


def test_an_answer_alone_does_not_earn_done(open_page: Open) -> None:
    at = open_page(PATH)
    assert at.radio(key(PATH, "check")).set_value("a").run().session_state["done"] == frozenset()


@pytest.mark.slow
@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("prompt", [1, LONGEST - 1])
@pytest.mark.parametrize("reply", [1, MOST_REPLY])
def test_controls_at_their_ends(open_page: Open, reader: str, prompt: int, reply: int) -> None:
    at = open_page(PATH, reader=reader, shown="yes")
    at.slider(key(PATH, "prompt")).set_value(prompt).run()
    at.slider(key(PATH, "reply")).set_value(reply).run()
    assert not at.exception
    alone = lone_request(costs(), prompt, min(reply, LONGEST - prompt))
    assert metrics(at)[0] == f"{alone.ttft_s * 1e3:,.0f} ms"
    is_cut = any("the reply stops after 1." in caption.value for caption in at.caption)
    assert is_cut == (prompt + reply > LONGEST)


def test_the_mission_is_acknowledged_only_when_it_is_done(open_page: Open) -> None:
    at = open_page(PATH, shown="yes", reply="10", prompt="7")
    assert not at.success
    at.slider(key(PATH, "prompt")).set_value(2000).run()
    assert "reading takes" in at.success[0].value
    at.slider(key(PATH, "reply")).set_value(9).run()
    assert not at.success


def test_reset_puts_the_settings_back(open_page: Open) -> None:
    at = open_page(PATH, shown="yes", prompt="900", reply="99")
    at.button(key(PATH, "reset")).click().run()
    assert metrics(at) == ["16 ms", "15.2 ms", "107 ms"]


STRANGE = [
    "🌷" * 50,
    "مرحبا، أين طلبي؟",
    "a" * 10_000,
    "\x00\x07‮end",
    "<|endoftext|>",
    "**bold** $x$ [a](b) :red[c]",
]


def on_server(open_page: Open, **parameters: str) -> AppTest:
    """Return the page with the server standing in for the browser."""
    return open_page(PATH, **parameters).button(key(PATH, "use_server")).click().run()


def test_the_server_stands_in_on_request_and_says_what_becomes_of_the_text(open_page: Open) -> None:
    at = on_server(open_page)
    assert "the server that hosts this page" in at.warning[0].value
    assert "is sent to that server" in words(at)
    assert at.text_input(key(PATH, "server_ask")).value == EXAMPLE
    assert "days" in words(at)
    assert "NumPy on the server" in words(at)


@pytest.mark.parametrize("prompt", STRANGE)
def test_strange_prompts_get_a_reply(open_page: Open, prompt: str) -> None:
    at = on_server(open_page)
    at.text_input(key(PATH, "server_ask")).set_value(prompt).run()
    assert not at.exception
    assert "Written one pass a token" in words(at)


@pytest.mark.parametrize("prompt", ["", "   "])
def test_an_empty_prompt_gets_a_sentence(open_page: Open, prompt: str) -> None:
    at = on_server(open_page)
    at.text_input(key(PATH, "server_ask")).set_value(prompt).run()
    assert any("empty prompt" in warning.value for warning in at.warning)


def test_what_is_typed_for_mini_is_never_in_the_address(open_page: Open) -> None:
    at = on_server(open_page)
    at.text_input(key(PATH, "server_ask")).set_value("a secret of mine").run()
    assert "secret" not in str(at.session_state["link.next"])
    assert at.text_input(key(PATH, "server_ask")).value != EXAMPLE


def test_a_shared_prompt_stays_in_the_address_and_is_the_first_in_the_box(open_page: Open) -> None:
    at = on_server(open_page, ask="**Where** is my order?")
    assert at.session_state["link.next"]["ask"] == "**Where** is my order?"
    assert at.text_input(key(PATH, "server_ask")).value == "**Where** is my order?"


def test_what_a_link_asks_for_is_shown_as_text(open_page: Open) -> None:
    at = open_page(PATH, shown="yes", prompt="![x](https://example.org/x.png)", reader="[a](//b)")
    said = [warning.value for warning in at.warning] + [caption.value for caption in at.caption]
    assert not any("![x](" in sentence or "[a](" in sentence for sentence in said)
    assert sum(sentence.count("The link asks") for sentence in said) == 2


def test_a_reply_of_one_token_has_no_pass_that_writes_and_the_page_says_so(open_page: Open) -> None:
    said = "so no pass writes after the one that reads"
    assert said in words(open_page(PATH, reply="1"))
    assert said not in words(open_page(PATH, reply="2"))
