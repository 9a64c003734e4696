"""What a host may set."""

from pathlib import Path

import pytest

from pages.ui import site


@pytest.mark.parametrize(
    "written",
    [
        'transformers_chapter_6_url = "javascript:alert(1)"',
        "transformers_chapter_6_url = 7",
        "no toml at all",
        "",
    ],
)
def test_a_slip_of_the_host_is_logged_and_takes_nothing_from_readers(
    written: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "site.toml"
    file.write_text(written)
    monkeypatch.setattr(site, "FILE", file)
    assert site.transformers_url.__wrapped__() is None
    assert ("site.toml" in caplog.text) == bool(written)


def test_an_address_is_taken_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "site.toml"
    file.write_text('transformers_chapter_6_url = "https://example.org/a"')
    monkeypatch.setattr(site, "FILE", file)
    assert site.transformers_url.__wrapped__() == "https://example.org/a"
