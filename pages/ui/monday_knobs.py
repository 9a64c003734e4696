"""The knobs of chapters 2 to 6: their plain names, the words for their values, and the controls that set them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.ui import link
from pages.ui.chapters import chapter
from pages.ui.controls import choice, one_of
from pages.ui.folds import open_for_complaints
from pages.ui.frame import Frame, page_link
from pages.ui.ladder import LADDER
from pages.ui.numbers import percent
from sim import MONDAY_SPACE, MONDAY_START, Settings


@dataclass(frozen=True)
class Knob:
    """A field of the settings: its plain name, its chapter, what it does, and a word for each value.

    `words` are in the order in which they are offered; what a knob of numbers offers are its numbers.
    """

    field: str
    name: str
    chapter: int
    does: str
    words: Mapping[Any, str]

    @property
    def values(self) -> tuple[Any, ...]:
        """The values that the search tries, in its order."""
        return MONDAY_SPACE[self.field]

    def word_of(self, settings: Settings) -> str:
        """Return this knob's value in `settings` as it is told: fixed batches, 2,048."""
        return thousands(self.option_of(settings))

    def option_of(self, settings: Settings) -> str:
        """Return the word under which the control and the link have this knob's value in `settings`."""
        return self.words[getattr(settings, self.field)]

    def cell_of(self, value: Any) -> str | int:
        """Return what a table holds for one of this knob's values: its word, or its number."""
        word = self.words[value]
        return int(word) if word.isdigit() else word

    def value_of(self, word: str) -> Any:
        """Return the value that a word stands for."""
        return next(value for value, each in self.words.items() if each == word)


def thousands(word: str) -> str:
    """Return a word as readers see it: numbers with thousands marked."""
    return f"{int(word):,}" if word.isdigit() else word


def counted(field: str) -> dict[int, str]:
    """Return the words of a knob of numbers, smallest first."""
    return {value: f"{value}" for value in sorted(MONDAY_SPACE[field])}


SCHEDULER = Knob(
    "scheduler",
    "who is in the next pass",
    3,
    "Whether a batch leaves and arrives together, or who is in it is decided anew after every pass.",
    {step.scheduler: step.word for step in LADDER},
)
LAYOUT = Knob(
    "kv_layout",
    "memory promised to a customer",
    2,
    "How much KV memory a customer takes on entering, from the longest text there may be to what is used.",
    {
        "reserve-max": "the longest",
        "reserve-pow2": "next power of two",
        "reserve-exact": "exact",
        "paged": "paged",
    },
)
SEATS = Knob(
    "max_num_seqs",
    "seats: customers at once",
    6,
    "The cap on the batch. More at once means cheaper replies, and slower text for each.",
    counted("max_num_seqs"),
)
BITS = Knob(
    "weight_bits",
    "bits of each weight",
    4,
    "Fewer bits mean less to fetch in every pass, and more room for customers. What it costs in quality stands below.",
    {16: "16", 8: "8", 4: "4"},
)
GUESSES = Knob(
    "num_speculative_tokens",
    "guesses ahead, a pass",
    5,
    "A small model proposes so many tokens and the big one checks them in one pass. Assumed on this page: "
    f"{percent(Settings().acceptance_rate)} of the guesses are right.",
    counted("num_speculative_tokens"),
)
BUDGET = Knob(
    "max_num_batched_tokens",
    "tokens a pass, at most",
    3,
    "How much is read in one pass: a small piece keeps others' text flowing, a large one is read sooner. “Prompts "
    "first” reads no prompt in pieces: one that is longer is read by itself, whole.",
    counted("max_num_batched_tokens"),
)
NO_ROOM = Knob(
    "preemption",
    "when memory runs out",
    6,
    "Somebody is set aside and starts over later, or nobody enters before its whole reply is sure to fit.",
    {"recompute": "start over", "none": "wait outside"},
)
KNOBS = (SCHEDULER, LAYOUT, BITS, GUESSES, SEATS, BUDGET, NO_ROOM)
FIRST = ((SCHEDULER,), (LAYOUT,), (SEATS, GUESSES, BITS))
MORE = ((BUDGET, NO_ROOM),)
NAMES = tuple(knob.field for knob in KNOBS)


def short(settings: Settings, *, like: Settings | None = None) -> str:
    """Say a setting in words: all its knobs, or only those that are unlike `like`."""
    told = [
        f"{knob.name}: {knob.word_of(settings)}"
        for knob in KNOBS
        if like is None or knob.word_of(settings) != knob.word_of(like)
    ]
    return "; ".join(told) or "nothing"


def set_by_hand(around: Frame) -> Settings:
    """Draw the knobs, and return the setting that the reader has made of them."""
    values = draw_rows(FIRST, around)
    open_for_complaints(
        "more_knobs", {knob.field: one_of(tuple(knob.words.values())) for row in MORE for knob in row}
    )
    with st.expander("More knobs", icon=":material/tune:", key=link.key("more_knobs"), on_change="rerun"):
        values |= draw_rows(MORE, around)
    return Settings(**values)


def draw_rows(rows: tuple[tuple[Knob, ...], ...], around: Frame) -> dict[str, Any]:
    """Draw rows of knobs and return their values by field."""
    values = {}
    for row in rows:
        columns = (
            st.columns(len(row)) if len(row) > 1 else [st.container()]
        )  # a lone column does not let words wrap
        for column, knob in zip(columns, row, strict=True):
            with column:
                values[knob.field] = knob.value_of(draw(knob))
                page_link(chapter(knob.chapter), around, label=f"Why: chapter {knob.chapter}")
    return values


def draw(knob: Knob) -> str:
    """Draw one knob and return the word chosen: a choice among words, a slider over numbers."""
    label = knob.name[0].upper() + knob.name[1:]
    options = tuple(knob.words.values())
    begin = knob.option_of(MONDAY_START)
    if not options[0].isdigit() or len(options) <= 3:
        return choice(label, options, begin, name=knob.field, about=knob.does, wraps=len(options) > 3)
    link.restore(knob.field, begin, one_of(options))
    word: str = st.select_slider(
        label,
        options,
        key=link.key(knob.field),
        persist_state="session",
        help=knob.does,
        format_func=thousands,
    )
    link.publish(knob.field, word)
    return word


def presets(named: Mapping[str, Settings]) -> None:
    """Draw a button for each named setting that sets all knobs to it."""
    for name, settings in named.items():
        st.button(f"Set to {name}", link.key(f"preset.{name}"), on_click=take_over, args=(settings,))


def take_over(settings: Settings) -> None:
    """Set all knobs to a setting."""
    for knob in KNOBS:
        st.session_state[link.key(knob.field)] = knob.option_of(settings)
