"""The cliff: how surprised mini is by real text at each width, and where its reply changes."""

from functools import lru_cache

import altair as alt
import pandas as pd
import pyarrow as pa

from pages.ui.bits_models import FEWER, FULL, METHODS, WIDTHS, Replies, measured
from pages.ui.charts import KEPT, Chart, Mark, layer, marks_table, text
from pages.ui.guess import Guess

LOW, HIGH = 0.22, 20_000.0
TICKS = [1, 10, 100, 1000, 10_000]
GUESS_AT, REPLY_AT = 0.62, 0.32  # below 1, which no perplexity reaches: the reader's diamond, the replies
HEIGHT_PX = 400
NAMES_AT = 0  # a place right of the last width, where no line runs: the lines' names


@lru_cache(maxsize=KEPT)
def cliff_marks(scales: str, shown: Replies | None, made: Guess) -> pa.Table:
    """Return both methods' lines, the replies' row, and the reader's diamond."""
    return marks_table([*lines(scales), *reply_marks(shown, made.is_revealed), *guess_marks(made)])


def at(bits: float, kind: str, y: float, label: str = "") -> Mark:
    """Return what stands over a width; its lane is the bits."""
    return (int(bits), kind, 0.0, 0.0, y, label)


def lines(scales: str) -> list[Mark]:
    """Return a point a width and method, and what the lines are called."""
    rows = []
    for method in METHODS:
        rows += [at(bits, method, perplexity(bits, method, scales)) for bits in WIDTHS]
        lowest = perplexity(FEWER[-1], method, scales)
        rows.append(at(FEWER[-1], f"{method} label", lowest, f"{method}\n{told(lowest)}"))
    rows.append(
        at(FULL, "start label", perplexity(FULL, "GPTQ", scales), told(perplexity(FULL, "GPTQ", scales)))
    )
    return rows


def perplexity(bits: int, method: str, scales: str) -> float:
    """Return the perplexity of mini in so many bits."""
    return measured(bits, method, scales).perplexity


def told(value: float) -> str:
    """Return a perplexity with sensible digits: 1.35, 14.2, 8,140."""
    return f"{value:.2f}" if value < 9.995 else f"{value:,.1f}" if value < 99.95 else f"{value:,.0f}"


def reply_marks(shown: Replies | None, is_revealed: bool) -> list[Mark]:
    """Return for each width whether its reply is the same; a question mark before it is revealed."""
    rows = [at(FULL, "row", REPLY_AT, "reply:")]
    for bits in FEWER:
        if shown is None or not is_revealed:
            rows.append(at(bits, "empty", REPLY_AT, "?"))
        else:
            word = "same" if shown.at(bits) == shown.full else "other"
            rows.append(at(bits, word, REPLY_AT, word))
    return rows


def guess_marks(made: Guess) -> list[Mark]:
    """Return the reader's diamond at the width guessed, and the first guess where another followed."""
    if made.drawn is None:
        return []
    words = "you guess" if made.latest is None else "you guessed"
    rows = [
        at(made.drawn, "guess", GUESS_AT),
        at(made.drawn, side("guess label", made.drawn), GUESS_AT, f"{words} {made.drawn}"),
    ]
    if made.first is not None and made.first != made.drawn:
        rows += [at(made.first, "first guess", GUESS_AT), at(made.first, "first label", GUESS_AT, "first")]
    return rows


def side(kind: str, bits: float) -> str:
    """Return the kind of a label that stands where there is room for it."""
    return f"{kind} {'right' if bits > FEWER[2] else 'left'}"


def cliff_table(scales: str) -> pd.DataFrame:
    """Return a row a width: perplexity, agreement and bytes of both methods."""
    rows = []
    for bits in WIDTHS:
        both = {method: measured(bits, method, scales) for method in METHODS}
        row: dict[str, float] = {"bits": bits}
        row |= {f"{method.lower()}_perplexity": found.perplexity for method, found in both.items()}
        row |= {
            f"{method.lower()}_agreement_percent": 100 * found.agreement for method, found in both.items()
        }
        rows.append(row | {"weights_bytes": both["GPTQ"].weight_bytes})
    return pd.DataFrame(rows)


@lru_cache(maxsize=KEPT)
def cliff_alt(scales: str, shown: Replies | None, made: Guess) -> str:
    """Say what the chart of the cliff shows now."""
    said = "Perplexity on a log scale over bits for each weight. "
    for method in METHODS:
        values = ", ".join(f"{told(perplexity(bits, method, scales))} at {bits}" for bits in WIDTHS)
        said += f"{method}: {values}. "
    if shown is None or not made.is_revealed:
        said += "Whether the reply is the same at each width is still empty."
    elif shown.first_change is None:
        said += "The reply is the same at every width."
    else:
        said += f"The reply first changes at {shown.first_change} bits."
    if made.drawn is not None:
        said += f" Your guess, a diamond, stands at {made.drawn}."
    return said


def cliff() -> Chart:
    """Return the chart of the cliff: a place for each width, perplexity on a log axis."""
    x = alt.X(
        "lane:O",
        scale=alt.Scale(domain=[*WIDTHS, NAMES_AT]),
        axis=alt.Axis(labelAngle=0, labelFontSize=13, values=list(WIDTHS)),
        title="bits for each weight",
    )
    y = alt.Y(
        "y:Q",
        scale=alt.Scale(type="log", domain=[LOW, HIGH], clamp=True),
        axis=alt.Axis(values=TICKS, format=",d"),
        title="perplexity (log scale): lower is better",
    )
    return alt.layer(*measured_layers(x, y), *row_layers(x, y), *guess_layers(x, y)).properties(
        height=HEIGHT_PX
    )


def measured_layers(x: alt.X, y: alt.Y) -> list[alt.Chart]:
    """Return both lines and their names."""
    mini = "Larkspur mini"
    filled = alt.OverlayMarkDef(size=70, filled=True, aria=False)
    hollow = alt.OverlayMarkDef(size=70, filled=False, aria=False)
    drawn = [
        layer("rounded", mini).mark_line(strokeWidth=2, strokeDash=[5, 4], point=hollow),
        layer("GPTQ", mini).mark_line(strokeWidth=2.5, point=filled),
        text("rounded label", dx=12, dy=-8, fontWeight=600, lineBreak="\n"),
        text("GPTQ label", dx=12, dy=-8, fontWeight=600, lineBreak="\n"),
        text("start label", align="center", dy=-14),
    ]
    return [one.encode(x=x, y=y) for one in drawn]


def row_layers(x: alt.X, y: alt.Y) -> list[alt.Chart]:
    """Return the row that says of each width whether the reply is the same."""
    drawn = [
        text("row", align="center"),
        layer("empty", "waiting").mark_text(fontSize=16, fontWeight=600).encode(text="label:N"),
        text("same", align="center"),
        text("other", align="center", fontWeight=700),
    ]
    return [one.encode(x=x, y=y) for one in drawn]


def guess_layers(x: alt.X, y: alt.Y) -> list[alt.Chart]:
    """Return the reader's diamonds, with their words beside them."""
    whole = alt.value(1)
    drawn = [
        layer("guess", "ink").mark_point(shape="diamond", size=190, filled=False).encode(opacity=whole),
        layer("first guess", "ink").mark_point(shape="diamond", size=90, filled=False).encode(opacity=whole),
        text("guess label right", dx=13),
        text("guess label left", dx=-13, align="right"),
        text("first label", dx=9, fontSize=11),
    ]
    return [one.encode(x=x, y=y) for one in drawn]
