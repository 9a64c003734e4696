"""The catalogs of models and cards with the source of each number, and the pages that show them."""

import pandas as pd

from pages.ui.chapters import CHAPTERS, OVERVIEW, TRUST, Page, chapter
from pages.ui.cited import named
from pages.ui.kv_card import CARDS
from pages.ui.kv_factors import shown_models
from sim import ACCELERATOR_ENTRIES, MODEL_ENTRIES, MODELS, larkspur_server
from sim.recorded import RECORDED_RUNS

LARKSPURS = ("opt-13b", "a100-80gb")  # every simulated page runs on these


def pages_of(key: str) -> tuple[Page, ...]:
    """Return the pages that show a model or a card of the catalogs."""
    if key in LARKSPURS:
        return (OVERVIEW, *CHAPTERS, TRUST)
    pages: list[Page] = [chapter(2)] if key in (*shown_models(), *CARDS) else []
    if key in MODELS and MODELS[key] == larkspur_server().draft:
        pages.append(chapter(5))
    if key in MODELS and any(MODEL_ENTRIES[key].name in run.name for run in RECORDED_RUNS.values()):
        pages.append(TRUST)
    return tuple(pages)


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
            f"{getattr(entry.accelerator, name):,.6g}",
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
