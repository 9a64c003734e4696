"""The timeline of requests that have the server to themselves: the guess, the truth, and the reader's own."""

import altair as alt
import pandas as pd

from pages.ui import mini, palette
from pages.ui.charts import TEXT_SIZE, Chart, Mark, layer, mark, marks_frame, text
from pages.ui.guess import Guess
from pages.ui.served import costs
from sim import LoneRequest, lone_passes, lone_request

EDGE_MS = 400.0


def request_lane(lane: str, prompt_tokens: int, output_tokens: int) -> list[Mark]:
    """Return the marks of one request: a block for reading the prompt, a tick for every token written."""
    ends_ms = lone_passes(costs(), prompt_tokens, output_tokens)["end_s"].to_numpy() * 1e3
    seen_ms = ends_ms[ends_ms <= EDGE_MS]
    rows = [
        mark(lane, "title", 0, label=lane),
        mark(lane, "read", 0, min(ends_ms[0], EDGE_MS)),
        *(mark(lane, "write", at_ms) for at_ms in seen_ms),
    ]
    if beyond := len(ends_ms) - len(seen_ms):
        label = f"{beyond:,} more token{'s' * (beyond > 1)} beyond {EDGE_MS:.0f} ms →"
        rows.append(mark(lane, "edge", EDGE_MS, label=label))
    return rows


def guess_frame(made: Guess, letter: int) -> pd.DataFrame:
    """Return the lanes of the example and of the long letter, which is empty until it is revealed."""
    example = mini.example()
    rows = request_lane(tokens_read(example.prompt_tokens), example.prompt_tokens, example.reply_tokens)
    lane = tokens_read(letter)
    if made.is_revealed:
        rows += request_lane(lane, letter, example.reply_tokens)
    else:
        rows += [
            mark(lane, "title", 0, label=lane),
            mark(lane, "empty", 0, EDGE_MS),
            mark(lane, "note", 0, label="?"),
        ]
    return marks_frame(rows + guess_marks(lane, made))


def tokens_read(prompt_tokens: int) -> str:
    """Return the words over a lane."""
    return f"a prompt of {prompt_tokens:,} token{'s' * (prompt_tokens > 1)}"


def guess_alt(made: Guess, letter: int) -> str:
    """Say what the chart of the guess shows now."""
    example = mini.example()
    told = f"Timeline in milliseconds. {read_in(example.prompt_tokens)}"
    guessed = "" if made.drawn is None else f" Your guess, a diamond, stands at {made.drawn:,.0f} ms."
    if not made.is_revealed:
        return f"{told} The place of the prompt of {letter} tokens is empty.{guessed}"
    return f"{told} {read_in(letter)}{guessed}"


def read_in(prompt_tokens: int) -> str:
    """Say how long a prompt takes to read."""
    ttft_s = lone_request(costs(), prompt_tokens, 1).ttft_s
    return f"The prompt of {prompt_tokens:,} tokens is read in {ttft_s * 1e3:.0f} ms."


def request_frame(prompt_tokens: int, output_tokens: int) -> pd.DataFrame:
    """Return the one lane of the reader's own request."""
    return marks_frame(request_lane(tokens_read(prompt_tokens), prompt_tokens, output_tokens))


def request_alt(alone: LoneRequest, prompt_tokens: int) -> str:
    """Say what the timeline of the reader's own request shows now."""
    return (
        f"Timeline in milliseconds: {prompt_tokens:,} tokens are read in {alone.ttft_s * 1e3:.0f} ms, then "
        f"{alone.decode_passes:,} passes write one token each until {alone.e2e_s * 1e3:,.0f} ms."
    )


def guess_marks(lane: str, made: Guess) -> list[Mark]:
    """Return the reader's diamond with its value, and the first guess where another followed."""
    drawn = made.drawn
    if drawn is None:
        return []
    rows = diamond(lane, "guess", drawn, "you guess" if made.latest is None else "you guessed")
    if made.first is not None and made.first != drawn:
        rows += diamond(lane, "first guess", made.first, "first guess")
    return rows


def diamond(lane: str, kind: str, at_ms: float, words: str) -> list[Mark]:
    """Return a diamond and its label; beyond the edge it stands at the edge, with its value."""
    place = min(at_ms, EDGE_MS)
    side = "left" if place > EDGE_MS / 2 else "right"
    label = f"{words} {at_ms:,.0f} ms{' →' if at_ms > EDGE_MS else ''}"
    return [mark(lane, kind, place), mark(lane, f"guess label {side}", place, label=label)]


def timeline() -> Chart:
    """Return the timeline of requests, a lane each, from 0 to 400 ms; the slider inside moves a line."""
    at = alt.param(
        name="at_ms", value=0, bind=alt.binding_range(min=0, max=EDGE_MS, step=1, name="Move the line (ms) ")
    )
    x = alt.X(
        "start:Q",
        scale=alt.Scale(domain=[0, EDGE_MS], clamp=True),
        title="milliseconds since the request arrived",
    )
    x2 = alt.X2("end:Q")
    y = alt.Y("lane:N", sort=None, axis=None, scale=alt.Scale(paddingInner=0.62, paddingOuter=0.45))
    written = (
        alt.Chart()
        .transform_filter("datum.kind == 'write'")
        .transform_calculate(is_written="datum.start <= at_ms ? 1 : 0", at="at_ms")
        .transform_aggregate(written="sum(is_written)", at="max(at)", groupby=["lane"])
        .transform_calculate(label="datum.written + (datum.written == 1 ? ' token' : ' tokens')")
        .transform_filter("at_ms > 0")
    )
    ink, at_x = palette.color("ink"), alt.X("at:Q", scale=alt.Scale(domain=[0, EDGE_MS]))
    empty = layer("empty").mark_bar(fillOpacity=0, stroke="gray", strokeDash=[4, 4], strokeWidth=1.5)
    read = layer("read").mark_bar(cornerRadius=1)
    write = layer("write").mark_tick(thickness=2.5, bandSize=34)
    diamonds = layer("guess").mark_point(shape="diamond", size=190, strokeWidth=2.5, filled=False)
    first = layer("first guess").mark_point(
        shape="diamond", size=120, strokeWidth=1.5, filled=False, opacity=0.55
    )
    layers = [
        empty.encode(x=x, x2=x2, y=y),
        read.encode(x=x, x2=x2, y=y, color=palette.color("prefill")),
        write.encode(x=x, y=y, color=palette.color("decode")),
        text("title", dy=-32, fontWeight=600).encode(x=x, y=y),
        text("note", dx=8).encode(x=x, y=y),
        text("edge", align="right", dy=32).encode(x=x, y=y),
        first.encode(x=x, y=y, color=ink),
        diamonds.encode(x=x, y=y, color=ink),
        text("guess label right", dx=14).encode(x=x, y=y),
        text("guess label left", dx=-14, align="right").encode(x=x, y=y),
        written.mark_rule(strokeWidth=1.5).encode(x=at_x, color=ink),
        written.mark_text(dy=32, dx=5, align="left", fontSize=TEXT_SIZE).encode(
            x=at_x, y=y, text="label:N", color=ink
        ),
    ]
    return alt.layer(*layers).add_params(at).properties(height={"step": 96})
