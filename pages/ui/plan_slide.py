"""The target box as a picture for a slide: drawn here, so that it needs no browser, no network and no theme.

The answer stands large, and beside it what it is compared with, smaller and on the same axes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from math import ceil, log

from PIL import Image, ImageDraw, ImageFont

from sim import Run, Targets

SIZE = (1600, 900)
FINER = 2  # drawn so many times as large and shrunk: smooth edges
LEFT, TOP = 60, 60
LEAST_S = 0.05  # where the axis of waits begins
TICKS_S = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
STEP_MS = 10
PAPER, INK, GREY, BOX, BLUE = "#ffffff", "#13161b", "#59606b", "#dbe9f8", "#1f6fc4"
TITLE, WORDS, SMALL = 58, 25, 21
Place = tuple[float, float]


@dataclass(frozen=True)
class Box:
    """The dots of a target box: wait for the first token and time per token of each customer, and who is on target."""

    name: str
    waits_s: tuple[float, ...]
    paces_s: tuple[float, ...]
    on_target: tuple[bool, ...]
    targets: Targets

    @classmethod
    def of(cls, name: str, run: Run, targets: Targets) -> "Box":
        """Return the box of a run; who got no reply at all has no dot, but is counted."""
        rows = run.requests
        paces_s = rows["tpot_s"].where(rows["tpot_s"].notna() | rows["ttft_s"].isna(), 0.0)
        met = targets.met(*(rows[name].to_numpy() for name in ("ttft_s", "tpot_s", "e2e_s", "longest_gap_s")))
        return cls(
            name, tuple(rows["ttft_s"].tolist()), tuple(paces_s.tolist()), tuple(met.tolist()), targets
        )

    @property
    def title(self) -> str:
        """What the picture says first."""
        return f"{sum(self.on_target)} of {len(self.on_target)} customers on target"

    @property
    def dots(self) -> list[tuple[float, float, bool]]:
        """Wait in seconds, time per token in milliseconds, and whether it is on target, for each with a reply."""
        each = zip(self.waits_s, self.paces_s, self.on_target, strict=True)
        return [(wait_s, pace_s * 1e3, is_met) for wait_s, pace_s, is_met in each if wait_s == wait_s]


@dataclass(frozen=True)
class Panel:
    """A rectangle of the picture with the axes that all panels share: seconds (log scale) and milliseconds."""

    left: float
    top: float
    right: float
    bottom: float
    most_s: float
    most_ms: float
    dot: float

    def at(self, wait_s: float, pace_ms: float) -> Place:
        """Return the place in the picture of a wait and a time per token; what is shorter than the axis at its edge."""
        across = log(max(LEAST_S, wait_s) / LEAST_S) / log(self.most_s / LEAST_S)
        up = pace_ms / self.most_ms
        return self.left + across * (self.right - self.left), self.bottom - up * (self.bottom - self.top)


def panels(boxes: Sequence[Box]) -> list[Panel]:
    """Return where each box is drawn, the first one large; the axes reach as far as the data and the targets."""
    dots = [dot for box in boxes for dot in box.dots]
    targets = boxes[0].targets
    longest_s = max([1.3 * targets.ttft_s, *(dot[0] for dot in dots)])
    slowest_ms = max([1.2e3 * targets.tpot_s, *(dot[1] for dot in dots)])
    most_s = next((tick for tick in TICKS_S if tick >= longest_s), longest_s)
    axes = (most_s, STEP_MS * ceil(slowest_ms / STEP_MS))
    large = Panel(150, 240, 980, 770, *axes, dot=12)
    small = [Panel(1150, top, 1540, top + 205, *axes, dot=7) for top in (240, 565)]
    return [large, *small][: len(boxes)]


def slide(boxes: Sequence[Box], words: str, note: str) -> bytes:
    """Return the picture of up to three boxes as a PNG: `words` under its title, `note` at its foot."""
    image = Image.new("RGB", (SIZE[0] * FINER, SIZE[1] * FINER), PAPER)
    pen = Pen(ImageDraw.Draw(image))
    pen.text((LEFT, TOP), boxes[0].title, TITLE, INK)
    pen.text((LEFT, 140), words, WORDS, GREY)
    for number, (box, panel) in enumerate(zip(boxes, panels(boxes), strict=True)):
        draw_axes(pen, panel, box.targets, is_large=number == 0)
        if number > 0:
            pen.text((panel.left - 50, panel.top - 34), f"{box.name}: {sum(box.on_target)}", WORDS, INK)
        for wait_s, pace_ms, is_met in box.dots:
            pen.dot(panel.at(wait_s, pace_ms), panel.dot, filled=is_met)
    pen.text((LEFT, 862), note, SMALL, GREY)
    file = BytesIO()
    image.resize(SIZE, Image.Resampling.LANCZOS).save(file, "PNG", optimize=True)
    return file.getvalue()


def draw_axes(pen: "Pen", panel: Panel, targets: Targets, *, is_large: bool) -> None:
    """Draw the box of the targets, the axes with their ticks, and, where there is room, what they count."""
    corner, limit = panel.at(LEAST_S, 0), panel.at(targets.ttft_s, targets.tpot_s * 1e3)
    pen.rectangle((corner[0], limit[1], limit[0], corner[1]), BOX)
    pen.line(corner, panel.at(panel.most_s, 0))
    pen.line(corner, panel.at(LEAST_S, panel.most_ms))
    ticks_s = [tick for tick in TICKS_S if tick <= panel.most_s]
    for tick in ticks_s if is_large else ticks_s[::3]:
        x, y = panel.at(tick, 0)
        pen.line((x, y), (x, y + 7))
        pen.text((x, y + 11), f"{tick:g}", SMALL, GREY, "ma")
    for tick_ms in range(0, int(panel.most_ms) + 1, STEP_MS if is_large else 3 * STEP_MS):
        x, y = panel.at(LEAST_S, tick_ms)
        pen.text((x - 12, y), f"{tick_ms}", SMALL, GREY, "rm")
    if is_large:
        pen.text((corner[0] + 12, corner[1] - 12), "on target", WORDS, BLUE, "ls")
        pen.text(
            (panel.right, panel.bottom + 44), "wait for the first word, seconds (log scale)", SMALL, INK, "ra"
        )
        pen.text((LEFT, panel.top - 42), "time per token, milliseconds", SMALL, INK)


class Pen:
    """Draws at the size of the picture on a finer sheet."""

    def __init__(self, sheet: ImageDraw.ImageDraw) -> None:
        self.sheet = sheet

    def text(self, place: Place, words: str, size: int, color: str, anchor: str = "la") -> None:
        """Write one line."""
        font = ImageFont.load_default(size * FINER)
        self.sheet.text((place[0] * FINER, place[1] * FINER), words, fill=color, font=font, anchor=anchor)

    def line(self, start: Place, end: Place) -> None:
        """Draw a thin line."""
        self.sheet.line([(x * FINER, y * FINER) for x, y in (start, end)], GREY, 2 * FINER)

    def rectangle(self, corners: tuple[float, float, float, float], color: str) -> None:
        """Fill a rectangle: left, top, right, bottom."""
        self.sheet.rectangle([value * FINER for value in corners], fill=color)

    def dot(self, place: Place, size: float, *, filled: bool) -> None:
        """Draw a dot: filled, or a ring."""
        x, y = place
        corners = [value * FINER for value in (x - size, y - size, x + size, y + size)]
        self.sheet.ellipse(corners, fill=BLUE if filled else PAPER, outline=BLUE, width=3 * FINER)
