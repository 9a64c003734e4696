"""The timeline of requests that have the server to themselves: the guess, the truth, and the reader's own."""

from functools import lru_cache

import altair as alt
import pandas as pd
import pyarrow as pa

from pages.ui import mini, numbers, palette
from pages.ui.charts import KEPT, TEXT_SIZE, Chart, Mark, layer, mark, marks_table, text
from pages.ui.guess import Guess
from pages.ui.served import costs
from sim import LoneRequest, lone_passes, lone_request

EDGE_MS, EXAMPLE_EDGE_MS = 400.0, 120.0
TITLE_DY, COUNT_DY, GUESS_DY, FIRST_GUESS_DY = -30, -48, 34, 56  # pixels from the middle of a lane
LINE_PX, LINE_DY = (
    80,
    -16,
)  # from the count above a lane to just over the guesses below it, so that it strikes none
ROW_PX = 122
FIRST_AT = 0.375  # of the axis: where the line stands at first


def request_lane(lane: int, prompt_tokens: int, output_tokens: int, edge_ms: float = EDGE_MS) -> list[Mark]:
    """Return the marks of one request: a block for reading the prompt, a tick for every token written."""
    ends_ms = lone_passes(costs(), prompt_tokens, output_tokens)["end_s"].to_numpy() * 1e3
    seen_ms = ends_ms[ends_ms <= edge_ms]
    rows = [
        mark(lane, "title", 0, label=f"a prompt of {numbers.tokens(prompt_tokens)}"),
        mark(lane, "read", 0, min(ends_ms[0], edge_ms)),
        *(mark(lane, "write", at_ms) for at_ms in seen_ms),
    ]
    if beyond := len(ends_ms) - len(seen_ms):
        label = f"{beyond:,} more token{'s' * (beyond > 1)} beyond {edge_ms:.0f} ms →"
        rows.append(mark(lane, "edge", edge_ms, label=label))
    return rows


@lru_cache(maxsize=KEPT)
def guess_lanes(made: Guess, letter: int) -> pa.Table:
    """Return the lanes of the example and of the long letter, which is empty until it is revealed."""
    example = mini.example()
    rows = request_lane(0, example.prompt_tokens, example.reply_tokens)
    if made.is_revealed:
        rows += request_lane(1, letter, example.reply_tokens)
    else:
        rows += [
            mark(1, "title", 0, label=f"a prompt of {numbers.tokens(letter)}"),
            mark(1, "empty", 0, EDGE_MS),
            mark(1, "note", 0, label="?"),
        ]
    return marks_table(rows + guess_marks(1, made))


def guess_marks(lane: int, made: Guess) -> list[Mark]:
    """Return the reader's diamond with its value, and the first guess where another followed."""
    drawn = made.drawn
    if drawn is None:
        return []
    rows = diamond(lane, "guess", drawn, "you guess" if made.latest is None else "you guessed")
    if made.first is not None and made.first != drawn:
        rows += diamond(lane, "first guess", made.first, "first guess")
    return rows


def diamond(lane: int, kind: str, at_ms: float, words: str) -> list[Mark]:
    """Return a diamond and its label; beyond the edge it stands at the edge, with its value."""
    place = min(at_ms, EDGE_MS)
    side = "left" if place > EDGE_MS / 2 else "right"
    label = f"{words} {at_ms:,.0f} ms{' →' if at_ms > EDGE_MS else ''}"
    return [mark(lane, kind, place), mark(lane, f"{kind} label {side}", place, label=label)]


def guess_numbers(made: Guess, letter: int) -> pd.DataFrame:
    """Return the example's and the long letter's times to the first token; the letter's only when revealed."""
    prompts = [mini.example().prompt_tokens] + [letter] * made.is_revealed
    firsts_ms = [lone_request(costs(), prompt_tokens, 1).ttft_s * 1e3 for prompt_tokens in prompts]
    return pd.DataFrame({"prompt_tokens": prompts, "first_token_ms": firsts_ms})


def guess_alt(made: Guess, letter: int) -> str:
    """Say what the chart of the guess shows now."""
    told = f"Timeline in milliseconds. {read_in(mini.example().prompt_tokens)}"
    told += f" {read_in(letter)}" if made.is_revealed else f" The place of the {letter:,} tokens is empty."
    if made.drawn is not None:
        told += f" Your guess, a diamond, stands at {made.drawn:,} ms."
    if made.first is not None and made.first != made.drawn:
        told += f" Your first guess, a small diamond, at {made.first:,} ms."
    return told


def read_in(prompt_tokens: int) -> str:
    """Say how long a prompt takes to read."""
    ttft_s = lone_request(costs(), prompt_tokens, 1).ttft_s
    return f"A prompt of {numbers.tokens(prompt_tokens)} is read in {numbers.ms(ttft_s)}."


@lru_cache(maxsize=KEPT)
def request_lanes(prompt_tokens: int, output_tokens: int) -> pa.Table:
    """Return the one lane of the reader's own request."""
    return marks_table(request_lane(0, prompt_tokens, output_tokens))


def request_alt(alone: LoneRequest, prompt_tokens: int) -> str:
    """Say what the timeline of the reader's own request shows now."""
    told = f"Timeline in milliseconds. {read_in(prompt_tokens)}"
    if alone.decode_passes:
        one_each = "pass writes one token" if alone.decode_passes == 1 else "passes write one token each"
        told += f" Then {alone.decode_passes:,} {one_each}, until {numbers.ms(alone.e2e_s)}."
    if alone.e2e_s * 1e3 > EDGE_MS:
        told += f" What lies beyond {EDGE_MS:.0f} ms is counted at the edge."
    return told


def timeline() -> Chart:
    """Return the timeline of requests from 0 to 400 ms."""
    return lanes(EDGE_MS)


def short_timeline() -> Chart:
    """Return the timeline of the example alone, from 0 to 120 ms."""
    return lanes(EXAMPLE_EDGE_MS)


def lanes(edge_ms: float) -> Chart:
    """Return a timeline of requests, a lane each; the slider inside it moves a line that counts tokens."""
    slider = alt.binding_range(min=0, max=edge_ms, step=1, name="Move the line (ms) to count tokens ")
    at = alt.param(name="at_ms", value=round(edge_ms * FIRST_AT), bind=slider)
    layers = [*request_layers(edge_ms), *guess_layers(edge_ms), *line_layers(edge_ms)]
    return alt.layer(*layers).add_params(at).properties(height={"step": ROW_PX})


def axes(edge_ms: float) -> tuple[alt.X, alt.Y]:
    """Return the axes of a timeline: milliseconds, and a lane a request."""
    x = alt.X(
        "x:Q",
        scale=alt.Scale(domain=[0, edge_ms], clamp=True),
        title="milliseconds since the request arrived",
    )
    return x, alt.Y("lane:O", axis=None, scale=alt.Scale(paddingInner=0.72, paddingOuter=0.42))


def request_layers(edge_ms: float) -> list[alt.Chart]:
    """Return what is drawn of the requests themselves."""
    place, x_end = axes(edge_ms), alt.X2("x_end:Q")
    empty = layer("empty", "waiting").mark_bar(filled=False, strokeDash=[4, 4], strokeWidth=1.5)
    return [
        empty.encode(*place, x_end),
        layer("read", "prefill").mark_bar(cornerRadius=1).encode(*place, x_end),
        layer("write", "decode").mark_tick(thickness=2.5, bandSize=34).encode(*place),
        text("title", dy=TITLE_DY, fontWeight=600).encode(*place),
        text("note", dx=8).encode(*place),
        text("edge", align="right", dy=TITLE_DY).encode(*place),
    ]


def guess_layers(edge_ms: float) -> list[alt.Chart]:
    """Return what is drawn of the guesses: diamonds below their lane, with their values beside them."""
    place, drawn = axes(edge_ms), []
    for kind, size, dy in (("guess", 190, GUESS_DY), ("first guess", 110, FIRST_GUESS_DY)):
        shape = layer(kind, "ink").mark_point(shape="diamond", size=size, filled=False, yOffset=dy)
        drawn += [
            shape.encode(*place, opacity=alt.value(1)),
            text(f"{kind} label right", dx=14, dy=dy).encode(*place),
            text(f"{kind} label left", dx=-14, dy=dy, align="right").encode(*place),
        ]
    return drawn


def line_layers(edge_ms: float) -> list[alt.Chart]:
    """Return the line that the slider moves, and beside it how many tokens are written there in each lane."""
    counted = (
        alt.Chart()
        .transform_filter("datum.kind == 'write'")
        .transform_calculate(is_written="datum.x <= at_ms ? 1 : 0", at="at_ms")
        .transform_aggregate(written="sum(is_written)", at="max(at)", groupby=["lane"])
        .transform_calculate(label="datum.written + (datum.written == 1 ? ' token' : ' tokens')")
    )
    written = palette.painted(counted, "ink")
    at_x = alt.X("at:Q", scale=alt.Scale(domain=[0, edge_ms]))
    label = written.mark_text(dy=COUNT_DY, dx=5, align="left", fontSize=TEXT_SIZE)
    return [
        written.mark_tick(thickness=1.5, height=LINE_PX, yOffset=LINE_DY).encode(x=at_x, y=axes(edge_ms)[1]),
        label.encode(x=at_x, y=axes(edge_ms)[1], text="label:N"),
    ]
