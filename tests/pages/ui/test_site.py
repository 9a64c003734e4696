"""What a host may set."""

from pathlib import Path

import pytest

from pages.ui import site


def test_an_address_that_is_none_is_refused_with_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "site.toml"
    file.write_text('transformers_chapter_6_url = "javascript:alert(1)"\n')
    monkeypatch.setattr(site, "FILE", file)
    with pytest.raises(ValueError, match="expected an address that begins with https://"):
        site.transformers_url.__wrapped__()
