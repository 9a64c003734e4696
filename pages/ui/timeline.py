"""The timeline of requests that have the server to themselves: the guess, the truth, and the reader's own."""

from functools import lru_cache

import altair as alt
import pandas as pd
import pyarrow as pa

from pages.ui import mini, palette
from pages.ui.charts import KEPT, TEXT_SIZE, Chart, Mark, layer, mark, marks_table, text
from pages.ui.guess import Guess
from pages.ui.served import costs
from sim import LoneRequest, lone_passes, lone_request

EDGE_MS, EXAMPLE_EDGE_MS = 400.0, 120.0


def request_lane(lane: int, prompt_tokens: int, output_tokens: int, edge_ms: float = EDGE_MS) -> list[Mark]:
    """Return the marks of one request: a block for reading the prompt, a tick for every token written."""
    ends_ms = lone_passes(costs(), prompt_tokens, output_tokens)["end_s"].to_numpy() * 1e3
    seen_ms = ends_ms[ends_ms <= edge_ms]
    rows = [
        mark(lane, "title", 0, label=tokens_read(prompt_tokens)),
        mark(lane, "read", 0, min(ends_ms[0], edge_ms)),
        *(mark(lane, "write", at_ms) for at_ms in seen_ms),
    ]
    if beyond := len(ends_ms) - len(seen_ms):
        label = f"{beyond:,} more token{'s' * (beyond > 1)} beyond {edge_ms:.0f} ms →"
        rows.append(mark(lane, "edge", edge_ms, label=label))
    return rows


@lru_cache(maxsize=KEPT)
def guess_frame(made: Guess, letter: int) -> pa.Table:
    """Return the lanes of the example and of the long letter, which is empty until it is revealed."""
    example = mini.example()
    rows = request_lane(0, example.prompt_tokens, example.reply_tokens)
    if made.is_revealed:
        rows += request_lane(1, letter, example.reply_tokens)
    else:
        rows += [
            mark(1, "title", 0, label=tokens_read(letter)),
            mark(1, "empty", 0, EDGE_MS),
            mark(1, "note", 0, label="?"),
        ]
    return marks_table(rows + guess_marks(1, made))


def guess_table(made: Guess, letter: int) -> pd.DataFrame:
    """Return the example's and the long letter's times to the first token; the letter's only when revealed."""
    prompts = [mini.example().prompt_tokens] + [letter] * made.is_revealed
    firsts_ms = [lone_request(costs(), prompt_tokens, 1).ttft_s * 1e3 for prompt_tokens in prompts]
    return pd.DataFrame({"prompt_tokens": prompts, "first_token_ms": firsts_ms})


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


@lru_cache(maxsize=KEPT)
def request_frame(prompt_tokens: int, output_tokens: int) -> pa.Table:
    """Return the one lane of the reader's own request."""
    return marks_table(request_lane(0, prompt_tokens, output_tokens))


def request_alt(alone: LoneRequest, prompt_tokens: int) -> str:
    """Say what the timeline of the reader's own request shows now."""
    return (
        f"Timeline in milliseconds: {prompt_tokens:,} tokens are read in {alone.ttft_s * 1e3:.0f} ms, then "
        f"{alone.decode_passes:,} passes write one token each until {alone.e2e_s * 1e3:,.0f} ms."
    )


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


def timeline() -> Chart:
    """Return the timeline of requests from 0 to 400 ms."""
    return lanes(EDGE_MS)


def short_timeline() -> Chart:
    """Return the timeline of the example alone, from 0 to 120 ms."""
    return lanes(EXAMPLE_EDGE_MS)


def lanes(edge_ms: float) -> Chart:
    """Return a timeline of requests, a lane each; the slider inside it moves a line that counts tokens."""
    at = alt.param(
        name="at_ms", value=0, bind=alt.binding_range(min=0, max=edge_ms, step=1, name="Move the line (ms) ")
    )
    x = alt.X(
        "start:Q",
        scale=alt.Scale(domain=[0, edge_ms], clamp=True),
        title="milliseconds since the request arrived",
    )
    x2 = alt.X2("end:Q")
    y = alt.Y("lane:O", axis=None, scale=alt.Scale(paddingInner=0.72, paddingOuter=0.42))
    at_x = alt.X("at:Q", scale=alt.Scale(domain=[0, edge_ms]))
    written = palette.painted(count_written(), "ink")
    line = written.mark_rule(strokeWidth=1.5)
    counted = written.mark_text(dy=32, dx=5, align="left", fontSize=TEXT_SIZE)
    empty = layer("empty", "waiting").mark_bar(fillOpacity=0, strokeDash=[4, 4], strokeWidth=1.5)
    write = layer("write", "decode").mark_tick(thickness=2.5, bandSize=34)
    latest = layer("guess", "ink").mark_point(shape="diamond", size=190, filled=False, yOffset=34)
    first = layer("first guess", "ink").mark_point(shape="diamond", size=110, filled=False, yOffset=56)
    layers = [
        empty.encode(x=x, x2=x2, y=y),
        layer("read", "prefill").mark_bar(cornerRadius=1).encode(x=x, x2=x2, y=y),
        write.encode(x=x, y=y),
        text("title", dy=-32, fontWeight=600).encode(x=x, y=y),
        text("note", dx=8).encode(x=x, y=y),
        text("edge", align="right", dy=-30).encode(x=x, y=y),
        first.encode(x=x, y=y, opacity=alt.value(0.7)),
        latest.encode(x=x, y=y),
        text("guess label right", dx=14, dy=34).encode(x=x, y=y),
        text("guess label left", dx=-14, dy=34, align="right").encode(x=x, y=y),
        text("first guess label right", dx=14, dy=56, opacity=0.8).encode(x=x, y=y),
        text("first guess label left", dx=-14, dy=56, align="right", opacity=0.8).encode(x=x, y=y),
        line.encode(x=at_x),
        counted.encode(x=at_x, y=y, text="label:N"),
    ]
    return alt.layer(*layers).add_params(at).properties(height={"step": 122})


def count_written() -> alt.Chart:
    """Return a chart with a row a lane: how many tokens are written where the line stands."""
    return (
        alt.Chart()
        .transform_filter("datum.kind == 'write'")
        .transform_calculate(is_written="datum.start <= at_ms ? 1 : 0", at="at_ms")
        .transform_aggregate(written="sum(is_written)", at="max(at)", groupby=["lane"])
        .transform_calculate(label="datum.written + (datum.written == 1 ? ' token' : ' tokens')")
        .transform_filter("at_ms > 0")
    )
