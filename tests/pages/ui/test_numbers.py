"""Numbers as readers see them."""

import pytest

from pages.ui import cap_waits, lone_sums, numbers


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0.0157, "16 ms"), (0.00995, "10 ms"), (0.00994, "9.9 ms"), (1.632, "1,632 ms"), (0.0, "0.0 ms")],
)
def test_milliseconds(seconds: float, shown: str) -> None:
    assert numbers.ms(seconds) == shown


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0.00024, "240 µs"), (0.9994e-3, "999 µs"), (0.0016, "1.6 ms"), (0.0157, "16 ms"), (2.43, "2.4 s")],
)
def test_a_time_gets_the_unit_that_suits_it(seconds: float, shown: str) -> None:
    assert numbers.brief(seconds) == shown


SIZES = {
    0: "0 bytes",
    1023: "1,023 bytes",
    1024: "1.0 KB",
    131_072: "128 KB",
    819_200: "800 KB",
    1024**2: "1.0 MB",
    819_200 * 2048: "1.6 GB",
    25_706_946_560: "24 GB",
    80 * 2**30: "80 GB",
    5 * 2**40: "5,120 GB",
}


@pytest.mark.parametrize("size_bytes", SIZES)
def test_memory_counts_in_1024s_as_the_papers_do(size_bytes: int) -> None:
    assert numbers.memory(size_bytes) == SIZES[size_bytes]


def test_milliseconds_take_the_digits_they_are_told() -> None:
    assert numbers.ms(0.0152345, 1) == "15.2 ms"
    assert numbers.ms(1.2345, 2) == "1,234.50 ms"


@pytest.mark.parametrize(("number", "shown"), [(1, "1 token"), (2, "2 tokens"), (2048, "2,048 tokens")])
def test_one_token_is_no_tokens(number: int, shown: str) -> None:
    assert numbers.tokens(number) == shown


def test_waits_are_said_in_the_unit_that_suits_them() -> None:
    told = [cap_waits.waited(value) for value in (0.148, 2.44, 35.2, 719.0)]
    assert told == ["148 ms", "2.4 s", "35 s", "12 minutes"]


@pytest.mark.parametrize(
    ("share", "decimals", "shown"),
    [
        (0.41, 0, "41 %"),
        (1, 0, "100 %"),
        (0, 0, "0 %"),
        (0.9981, 0, "99.8 %"),
        (0.994, 0, "99 %"),
        (0.99997, 0, "above 99.9 %"),
        (0.004, 0, "0.4 %"),
        (0.0002, 0, "below 0.1 %"),
        (0.0002, 1, "below 0.1 %"),
        (0.0133, 1, "1.3 %"),
    ],
)
def test_a_share_that_is_neither_nothing_nor_all_never_reads_so(
    share: float, decimals: int, shown: str
) -> None:
    assert numbers.percent(share, decimals) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [(1.4972, "1.497"), (1.504, "1.50"), (1.5, "1.50"), (1.48, "1.48"), (1.49996, "1.49996")],
)
def test_a_number_shows_on_which_side_of_a_limit_it_is(value: float, shown: str) -> None:
    assert numbers.beside(value, 1.5) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("41% of **60 %**", "41~% of **60~%**"),
        ("16 ms, **24** tokens, 4 bits", "16~ms, **24**~tokens, 4~bits"),
        ("4 bitter pills, 3 smiles, 2 sums", "4 bitter pills, 3 smiles, 2 sums"),
        ("a%20b", "a%20b"),
    ],
)
def test_a_number_and_its_unit_stay_on_one_line(text: str, shown: str) -> None:
    assert numbers.spaced(text) == shown.replace("~", numbers.APART)


@pytest.mark.parametrize(
    ("parts", "shown"),
    [
        ([3.0009, 1.4734], [3.0, 1.47]),
        ([0.4438, 0.4350, 0.4198, 3.1757], [0.44, 0.43, 0.42, 3.18]),
        ([0.005, 0.005], [0.01, 0.0]),
        ([], []),
    ],
)
def test_parts_add_up_as_printed(parts: list[float], shown: list[float]) -> None:
    assert numbers.adding_up(parts, 2) == shown
    assert sum(shown) == pytest.approx(round(sum(parts), 2))


@pytest.mark.parametrize("prompt_tokens", [1, 7, 100, 700, 1200])
def test_the_parts_of_a_pass_and_of_a_request_add_up_as_printed(prompt_tokens: int) -> None:
    parts = [in_hundredths(value) for _, value in lone_sums.first_token(prompt_tokens).values]
    assert sum(parts) == in_hundredths(lone_sums.first_token(prompt_tokens).result.rpartition("after ")[2])
    request = lone_sums.request(prompt_tokens, 50)
    *_, reading, writing = (value for _, value in request.values)
    assert in_hundredths(reading) + in_hundredths(writing) == in_hundredths(
        request.result.rpartition("after ")[2]
    )


def in_hundredths(told: str) -> int:
    """Return hundredths of a millisecond from "1,234.56 ms" or "−7.58 ms"."""
    return round(100 * float(told.removesuffix(" ms").replace(",", "").replace("\N{MINUS SIGN}", "-")))
