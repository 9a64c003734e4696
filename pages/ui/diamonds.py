"""A guess on a chart: lanes of what is known and, below them, of what is asked, with the reader's diamonds."""

from dataclasses import dataclass

import altair as alt

from pages.ui.charts import Chart, Mark, layer, mark, text
from pages.ui.guess import Guess

ASKED = 1  # the lane of what is asked


@dataclass(frozen=True)
class Lanes:
    """The height of a lane, its empty shares, and what stands off its middle; heights and distances in pixels."""

    row_px: int
    padding_inner: float
    padding_outer: float
    title_dy: int
    guess_dy: int
    first_guess_dy: int

    def __post_init__(self) -> None:
        """Check that the title stands above the middle, and the diamonds below it, the first one lowest."""
        if not self.title_dy < 0 < self.guess_dy < self.first_guess_dy:
            off = (self.title_dy, self.guess_dy, self.first_guess_dy)
            raise ValueError(
                f"expected title, guess and first guess from top to bottom, got {off}; negative is up"
            )

    def place(self, x: alt.X) -> tuple[alt.X, alt.Y]:
        """Return the two axes of what stands in the lanes."""
        parts = alt.Scale(paddingInner=self.padding_inner, paddingOuter=self.padding_outer)
        return x, alt.Y("lane:O", axis=None, scale=parts)


BARS = Lanes(104, 0.75, 0.45, title_dy=-26, guess_dy=28, first_guess_dy=50)


def empty_place(title: str, end: float, start: float = 0) -> list[Mark]:
    """Return the lane of what is asked before it is revealed: its title, a place left empty, a question mark."""
    return [
        mark(ASKED, "title", start, label=title),
        mark(ASKED, "empty", start, end),
        mark(ASKED, "note", start, label="?"),
    ]


def guess_marks(made: Guess, edge: float, *, middle: float | None = None, unit: str = "") -> list[Mark]:
    """Return the reader's diamond with its value, and the first guess where another followed.

    Labels stand where there is room: right of a diamond up to the `middle` of the axis (half of `edge` unless given).
    """
    if made.drawn is None:
        return []
    turn = edge / 2 if middle is None else middle
    rows = diamond(
        "guess", made.drawn, "you guess" if made.latest is None else "you guessed", edge, turn, unit
    )
    if made.first is not None and made.first != made.drawn:
        rows += diamond("first guess", made.first, "first guess", edge, turn, unit)
    return rows


def diamond(kind: str, value: float, words: str, edge: float, middle: float, unit: str) -> list[Mark]:
    """Return a diamond and its label; beyond the edge it stands at the edge, with its value."""
    at = min(float(value), edge)
    side = "left" if at > middle else "right"
    label = f"{words} {value:,}{unit}{' →' if value > edge else ''}"
    return [mark(ASKED, kind, at), mark(ASKED, f"{kind} label {side}", at, label=label)]


def guess_told(made: Guess, unit: str = "") -> str:
    """Say where the reader's diamonds stand, each sentence after a space; nothing where there is none."""
    told = ""
    if made.drawn is not None:
        told += f" Your guess, a diamond, stands at {made.drawn:,}{unit}."
    if made.first is not None and made.first != made.drawn:
        told += f" Your first guess, a small diamond, at {made.first:,}{unit}."
    return told


def bars(x: alt.X, kind: str) -> Chart:
    """Return a chart of a guess whose lanes hold a bar each, of marks of one kind."""
    place = BARS.place(x)
    filled = layer(kind, "decode").mark_bar(cornerRadius=1)
    return guess_chart(BARS, place, [filled.encode(*place, alt.X2("x_end:Q"))])


def guess_chart(lanes: Lanes, place: tuple[alt.X, alt.Y], own: list[alt.Chart]) -> Chart:
    """Return a chart of a guess: what is its `own` over the empty place, then words, then the reader's diamonds."""
    words = [
        text("title", dy=lanes.title_dy, fontWeight=600).encode(*place),
        text("note", dx=8).encode(*place),
    ]
    drawn = [empty_layer(place), *own, *words, *diamond_layers(lanes, place)]
    return alt.layer(*drawn).properties(height={"step": lanes.row_px})


def empty_layer(place: tuple[alt.X, alt.Y]) -> alt.Chart:
    """Return the place that is empty until it is revealed: a dashed edge."""
    empty = layer("empty", "waiting").mark_bar(filled=False, strokeDash=[4, 4], strokeWidth=1.5)
    dashed: alt.Chart = empty.encode(*place, alt.X2("x_end:Q"))
    return dashed


def diamond_layers(lanes: Lanes, place: tuple[alt.X, alt.Y]) -> list[alt.Chart]:
    """Return what is drawn of the guesses: diamonds below their lane, with their values beside them."""
    drawn = []
    for kind, size, dy in (("guess", 190, lanes.guess_dy), ("first guess", 110, lanes.first_guess_dy)):
        shape = layer(kind, "ink").mark_point(shape="diamond", size=size, filled=False, yOffset=dy)
        drawn += [
            shape.encode(*place, opacity=alt.value(1)),
            text(f"{kind} label right", dx=14, dy=dy).encode(*place),
            text(f"{kind} label left", dx=-14, dy=dy, align="right").encode(*place),
        ]
    return drawn
