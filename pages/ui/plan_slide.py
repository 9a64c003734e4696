"""The target box as a picture for a slide: drawn here, so that it needs no browser, no network and no theme."""

from dataclasses import dataclass
from io import BytesIO

from PIL import Image, ImageDraw, ImageFont

from pages.ui.numbers import brief
from sim import Run, Targets

SIZE = (1600, 900)
FINER = 2  # drawn so many times as large and shrunk: smooth edges
LEFT, TOP, RIGHT, BOTTOM = 150, 240, 1540, 770
EDGE = 2.5  # how many times the target an axis reaches; what lies beyond stands at the edge
PAPER, INK, GREY, BOX, BLUE = "#ffffff", "#13161b", "#59606b", "#dbe9f8", "#1f6fc4"
DOT, TITLE, WORDS, SMALL = 12, 58, 27, 24
Place = tuple[float, float]


@dataclass(frozen=True)
class Box:
    """The dots of a target box: wait for the first token and time per token of each customer, and who is on target."""

    waits_s: tuple[float, ...]
    paces_s: tuple[float, ...]
    on_target: tuple[bool, ...]
    targets: Targets

    @classmethod
    def of(cls, run: Run, targets: Targets) -> "Box":
        """Return the box of a run; who got no reply at all has no dot, but is counted."""
        rows = run.requests
        paces_s = rows["tpot_s"].where(rows["tpot_s"].notna() | rows["ttft_s"].isna(), 0.0)
        met = targets.met(*(rows[name].to_numpy() for name in ("ttft_s", "tpot_s", "e2e_s", "longest_gap_s")))
        return cls(tuple(rows["ttft_s"].tolist()), tuple(paces_s.tolist()), tuple(met.tolist()), targets)

    def share(self, place: int) -> Place:
        """Return where a dot lies, as shares of the axes from the corner; at most 1."""
        return (
            min(1.0, self.waits_s[place] / (EDGE * self.targets.ttft_s)),
            min(1.0, self.paces_s[place] / (EDGE * self.targets.tpot_s)),
        )

    @property
    def beyond(self) -> int:
        """The dots that would lie beyond an edge."""
        reached = (self.waits_s, EDGE * self.targets.ttft_s), (self.paces_s, EDGE * self.targets.tpot_s)
        return sum(
            any(values[place] > edge for values, edge in reached) for place in range(len(self.waits_s))
        )

    @property
    def title(self) -> str:
        """What the picture says first."""
        return f"{sum(self.on_target)} of {len(self.on_target)} customers on target"


def slide(box: Box, words: str, note: str) -> bytes:
    """Return the picture as a PNG: `words` under its title, `note` at its foot."""
    image = Image.new("RGB", (SIZE[0] * FINER, SIZE[1] * FINER), PAPER)
    pen = Pen(ImageDraw.Draw(image))
    pen.text((LEFT - 90, 60), box.title, TITLE, INK)
    pen.text((LEFT - 90, 145), words, WORDS, GREY)
    draw_axes(pen, box)
    for place in range(len(box.waits_s)):
        if box.waits_s[place] == box.waits_s[place]:  # NaN: no reply at all
            pen.dot(at(*box.share(place)), filled=box.on_target[place])
    beyond = f"{box.beyond} beyond an edge stand at it. " if box.beyond else ""
    pen.text((LEFT - 90, 858), beyond + note, SMALL, GREY)
    file = BytesIO()
    image.resize(SIZE, Image.Resampling.LANCZOS).save(file, "PNG", optimize=True)
    return file.getvalue()


def at(across: float, up: float) -> Place:
    """Return the place in the picture of shares of the axes."""
    return LEFT + across * (RIGHT - LEFT), BOTTOM - up * (BOTTOM - TOP)


def draw_axes(pen: "Pen", box: Box) -> None:
    """Draw the box of the targets, the axes, and what they count."""
    corner, wait, pace = at(0, 0), at(1 / EDGE, 0), at(0, 1 / EDGE)
    pen.rectangle((corner[0], pace[1], wait[0], corner[1]), BOX)
    pen.text((corner[0] + 14, corner[1] - 14), "on target", WORDS, BLUE, "ls")
    pen.line(corner, at(1, 0))
    pen.line(corner, at(0, 1))
    for steps in range(6):
        share = steps / 5
        across, up = at(share, 0), at(0, share)
        wait_s, pace_s = share * EDGE * box.targets.ttft_s, share * EDGE * box.targets.tpot_s
        pen.text((across[0], across[1] + 12), told(wait_s), SMALL, GREY, "ma")
        pen.text((up[0] - 14, up[1]), told(pace_s), SMALL, GREY, "rm")
    pen.text((RIGHT, BOTTOM + 48), "wait for the first word", WORDS, INK, "ra")
    pen.text((LEFT - 90, TOP - 50), "time per token", WORDS, INK)


def told(seconds: float) -> str:
    """Return a time at an axis."""
    return "0" if seconds == 0 else brief(seconds).replace("µ", "u")


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

    def dot(self, place: Place, *, filled: bool) -> None:
        """Draw a dot: filled, or a ring."""
        x, y = place
        corners = [value * FINER for value in (x - DOT, y - DOT, x + DOT, y + DOT)]
        self.sheet.ellipse(corners, fill=BLUE if filled else PAPER, outline=BLUE, width=3 * FINER)
