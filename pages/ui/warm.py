"""What the server gets ready while its first visitor reads the overview.

Chapters name here what is slow at their first opening; charts are found by themselves.
"""

import inspect
import pkgutil
import threading
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from typing import Any

import pages.ui
from pages.ui.bits_models import FEWER, SCALES
from pages.ui.charts import Chart, specification
from pages.ui.draft_rate import PICKS
from sim.compiler import compile_in_background, compiled_rules

ROW, *OTHER_SCALES = SCALES
DEFAULT_PICK, *OTHER_PICKS = PICKS
# a module of pages.ui, a function of it that keeps its results, and what the page gives it
SLOW: tuple[tuple[str, str, tuple[Any, ...]], ...] = (
    ("mini", "example", ()),
    ("kv_figures", "figures", ()),
    ("kv_sums", "models", ()),
    ("batching_figures", "figures", ()),
    ("batch_figures", "figures", (2.0,)),
    ("bits_figures", "served_figures", ()),
    ("bits_figures", "mini_figures", (ROW,)),
    ("bits_figures", "layer_figures", (FEWER[2], ROW)),
    ("bits_bytes", "packed_widths", (ROW,)),
    ("draft_figures", "figures", ()),
    ("draft_rate", "rates", (DEFAULT_PICK,)),
    ("monday_search", "find_for_the_start", ()),
    # not the defaults, but so few that nobody need wait for them
    *(("bits_figures", "mini_figures", (scales,)) for scales in OTHER_SCALES),
    *(("draft_rate", "rates", (pick,)) for pick in OTHER_PICKS),
)


def warm() -> None:
    """Build every chart's specification, wait for the compiler, and run what chapters have named.

    Without a compiler the latter is left to those who ask for it.
    """
    compile_in_background()
    for make in charts():
        specification(make)
    if not compiled_rules().compiled:
        return  # where all of it takes long, visitors who ask for it come first
    for module, function, values in SLOW:
        getattr(import_module(f"pages.ui.{module}"), function)(*values)


@cache
def warm_in_background() -> None:
    """Begin to warm, once, without waiting for it."""
    threading.Thread(target=warm, daemon=True).start()


def charts() -> Iterator[Callable[[], Chart]]:
    """Give the functions of `pages.ui` that take nothing and return a chart."""
    for found in pkgutil.iter_modules(pages.ui.__path__):
        module = import_module(f"pages.ui.{found.name}")
        for function in vars(module).values():
            if inspect.isfunction(function) and function.__module__ == module.__name__ and is_chart(function):
                yield function


def is_chart(function: Callable[..., Any]) -> bool:
    """Return whether a function takes nothing and says that it returns a chart."""
    told = inspect.signature(function)
    return told.return_annotation == Chart and not told.parameters
