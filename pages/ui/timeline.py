"""The timeline of requests that have the server to themselves: the guess, the truth, and the reader's own."""

from functools import lru_cache

import altair as alt
import pandas as pd
import pyarrow as pa

from pages.ui import mini, numbers, palette
from pages.ui.charts import KEPT, TEXT_SIZE, Chart, Mark, layer, mark, marks_table, text
from pages.ui.diamonds import Lanes, diamond_layers, empty_layer, empty_place, guess_marks, guess_told
from pages.ui.guess import Guess
from pages.ui.served import costs
from sim import LoneRequest, lone_passes, lone_request

EDGE_MS, EXAMPLE_EDGE_MS = 400.0, 120.0
LANES = Lanes(122, 0.72, 0.42, title_dy=-30, guess_dy=34, first_guess_dy=56)
COUNT_DY = -48  # pixels from the middle of a lane
LINE_PX, LINE_DY = 80, -16  # from the count above a lane to just over its guesses, so that it strikes none
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
        rows += empty_place(f"a prompt of {numbers.tokens(letter)}", EDGE_MS)
    return marks_table(rows + guess_marks(made, EDGE_MS, unit=" ms"))


def guess_numbers(made: Guess, letter: int) -> pd.DataFrame:
    """Return the example's and the long letter's times to the first token; the letter's only when revealed."""
    prompts = [mini.example().prompt_tokens] + [letter] * made.is_revealed
    firsts_ms = [lone_request(costs(), prompt_tokens, 1).ttft_s * 1e3 for prompt_tokens in prompts]
    return pd.DataFrame({"prompt_tokens": prompts, "first_token_ms": firsts_ms})


def guess_alt(made: Guess, letter: int) -> str:
    """Say what the chart of the guess shows now."""
    told = f"Timeline in milliseconds. {read_in(mini.example().prompt_tokens)}"
    told += f" {read_in(letter)}" if made.is_revealed else f" The place of the {letter:,} tokens is empty."
    return told + guess_told(made, " ms")


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
    layers = [*request_layers(edge_ms), *diamond_layers(LANES, axes(edge_ms)), *line_layers(edge_ms)]
    return alt.layer(*layers).add_params(at).properties(height={"step": LANES.row_px})


def axes(edge_ms: float) -> tuple[alt.X, alt.Y]:
    """Return the axes of a timeline: milliseconds, and a lane a request."""
    x = alt.X(
        "x:Q",
        scale=alt.Scale(domain=[0, edge_ms], clamp=True),
        title="milliseconds since the request arrived",
    )
    return LANES.place(x)


def request_layers(edge_ms: float) -> list[alt.Chart]:
    """Return what is drawn of the requests themselves."""
    place, x_end = axes(edge_ms), alt.X2("x_end:Q")
    return [
        empty_layer(place),
        layer("read", "prefill").mark_bar(cornerRadius=1).encode(*place, x_end),
        layer("write", "decode").mark_tick(thickness=2.5, bandSize=34).encode(*place),
        text("title", dy=LANES.title_dy, fontWeight=600).encode(*place),
        text("note", dx=8).encode(*place),
        text("edge", align="right", dy=LANES.title_dy).encode(*place),
    ]


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
