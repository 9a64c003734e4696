"""The catalogs of models and cards with the source of each number, and the pages that show them."""

import re
from collections.abc import Iterator
from datetime import date
from functools import cache

import pandas as pd

from pages.ui.chapters import CHAPTERS, OVERVIEW, TRUST, Page, chapter
from pages.ui.cited import PAGES, named, table_of
from pages.ui.kv_card import CARDS
from pages.ui.sources import day
from sim import ACCELERATOR_ENTRIES, MODEL_ENTRIES, MODELS, larkspur_server
from sim.recorded import RECORDED_RUNS

ADDRESS = re.compile(r"https?://[^\s),;]+")
WHAT = {"memory_bytes": "memory", "bandwidth_bytes_per_s": "bandwidth", "flops_per_s": "arithmetic"}
LARKSPURS = ("opt-13b", "a100-80gb")  # every simulated page runs on these


def pages_of(key: str) -> tuple[Page, ...]:
    """Return the pages that show a model or a card of the catalogs."""
    if key in LARKSPURS:
        return (OVERVIEW, *CHAPTERS, TRUST)
    pages: list[Page] = [chapter(2)] if key in (*MODELS, *CARDS) else []
    if key in MODELS and MODELS[key] == larkspur_server().draft:
        pages.append(chapter(5))
    if key in MODELS and any(MODEL_ENTRIES[key].name in run.name for run in RECORDED_RUNS.values()):
        pages.append(TRUST)
    return tuple(pages)


@cache
def of_models() -> str:
    """Return the published shapes, each with its address, as a list in Markdown: an item for those used alike."""
    alike: dict[tuple[tuple[Page, ...], date], list[str]] = {}
    for key, entry in MODEL_ENTRIES.items():
        origin = entry.origin
        alike.setdefault((pages_of(key), origin.checked), []).append(f"[{entry.name}]({origin.source})")
    return "\n".join(
        f"- {', '.join(links)}. Checked {day(checked)}. Used in: {named(pages)}."
        for (pages, checked), links in alike.items()
    )


@cache
def of_cards() -> str:
    """Return the works that cards' numbers are taken from, each with its address, as a list in Markdown."""
    taken: dict[tuple[str, date], list[tuple[str, str]]] = {}
    for key, name, address, checked in _published():
        taken.setdefault((address, checked), []).append((key, name))
    return "\n".join(_of_card_source(*source, numbers) for source, numbers in taken.items())


def _published() -> Iterator[tuple[str, str, str, date]]:
    """Give each number of a card that is published at an address: the card's key, the number's name, where, when."""
    for key, entry in ACCELERATOR_ENTRIES.items():
        for name, origin in entry.origins.items():
            if at := ADDRESS.search(origin.source):
                yield key, name, at[0], origin.checked


def _of_card_source(address: str, checked: date, numbers: list[tuple[str, str]]) -> str:
    keys = dict.fromkeys(key for key, _ in numbers)
    what = " and ".join(dict.fromkeys(WHAT[name] for _, name in numbers))
    cards = ", ".join(ACCELERATOR_ENTRIES[key].name for key in keys)
    pages = {page for key in keys for page in pages_of(key)}
    used = named(page for page in PAGES.values() if page in pages)
    return f"- [{address.partition('://')[2]}]({address}): {what} of {cards}. Checked {day(checked)}. Used in: {used}."


def models_table() -> pd.DataFrame:
    """Return a row a model: its pages, where its shape is published, and the day it was checked."""
    rows = [
        (entry.name, named(pages_of(key)), entry.origin.source, str(entry.origin.checked))
        for key, entry in MODEL_ENTRIES.items()
    ]
    return pd.DataFrame(rows, columns=["model", "pages", "address", "checked"])


def cards_table() -> pd.DataFrame:
    """Return a row a number of a card: its value, its source or that it is an assumption, and the day."""
    rows = [
        (
            entry.name,
            name,
            float(getattr(entry.accelerator, name)),
            "assumed" if origin.assumption else "published",
            origin.source,
            named(pages_of(key)),
            str(origin.checked),
        )
        for key, entry in ACCELERATOR_ENTRIES.items()
        for name, origin in entry.origins.items()
    ]
    columns = ["card", "what", "assumed_value", "kind", "source", "pages", "checked"]
    return pd.DataFrame(rows, columns=columns)


def defaults_table() -> pd.DataFrame:
    """Return a row a kind of model: where the keys are explained that its config.json leaves out, and the day."""
    rows = [
        (kind, row["source"], str(row["checked"])) for kind, row in table_of("config_defaults.toml").items()
    ]
    return pd.DataFrame(rows, columns=["model", "address", "checked"])
