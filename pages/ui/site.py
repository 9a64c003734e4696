"""What a host may set without touching code: `data/site.toml`."""

import tomllib
from functools import cache
from pathlib import Path

FILE = Path(__file__).parents[2] / "data" / "site.toml"


@cache
def transformers_url() -> str | None:
    """Return the address of the module *Transformers*, chapter 6, or None if the host has not given one."""
    url: str = tomllib.loads(FILE.read_text())["transformers_chapter_6_url"]
    if url and not url.startswith(("https://", "http://")):
        raise ValueError(f"data/site.toml: expected an address that begins with https://, got {url!r}")
    return url or None
