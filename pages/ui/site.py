"""What a host may set without touching code: `data/site.toml`."""

import logging
import tomllib
from functools import cache
from pathlib import Path

FILE = Path(__file__).parents[2] / "data" / "site.toml"


@cache
def transformers_url() -> str | None:
    """Return the address of the module *Transformers*, chapter 6, or None if the host has given none that works.

    What is wrong with the file is said in the server's log: a host's slip takes no page away from readers.
    """
    try:
        url = tomllib.loads(FILE.read_text("utf-8")).get("transformers_chapter_6_url", "")
    except (OSError, ValueError) as problem:
        logging.getLogger(__name__).warning(
            "data/site.toml cannot be read, so nothing of it is used: %s", problem
        )
        return None
    if isinstance(url, str) and url.startswith(("https://", "http://")):
        return url
    if url:
        logging.getLogger(__name__).warning("data/site.toml: expected an address with https://, got %r", url)
    return None
