"""Monday with guessing and without: each customer's time per token, and who is on target."""

from functools import cache, lru_cache

import altair as alt
import pandas as pd
import pyarrow as pa

from pages.ui.charts import KEPT, Chart, Mark, layer, mark, marks_table, text
from pages.ui.served import server
from sim import MONDAY_TARGETS, Run, Settings, Trace, monday, simulate

EDGE_MS, ROW_PX = 55.0, 18
TARGET_MS = MONDAY_TARGETS.tpot_s * 1e3
KEPT_RUNS = 16


@cache
def requests() -> Trace:
    """Return Monday's requests, read once for everyone."""
    return monday()


@lru_cache(maxsize=KEPT_RUNS)
def rush(n_guesses: int, acceptance_percent: int) -> Run:
    """Return Monday on vLLM's defaults with so many guesses a pass; none is plain writing."""
    settings = Settings(num_speculative_tokens=n_guesses, acceptance_rate=acceptance_percent / 100)
    return simulate(requests(), server(), settings, targets=MONDAY_TARGETS)


@cache
def plain() -> Run:
    """Return Monday without guesses."""
    return rush(0, 0)


def per_token_ms(run: Run) -> pd.Series:
    """Return each customer's time per token, in milliseconds."""
    return run.requests["tpot_s"] * 1e3


def on_target(run: Run) -> int:
    """Return how many customers had first word and pace on target."""
    return int(run.requests["on_target"].to_numpy().sum())


@lru_cache(maxsize=KEPT)
def lanes(n_guesses: int, acceptance_percent: int) -> pa.Table:
    """Return a lane a customer: the time per token without guesses, and with them."""
    guessing = rush(n_guesses, acceptance_percent)
    pairs = zip(per_token_ms(plain()), per_token_ms(guessing), guessing.requests["on_target"], strict=True)
    rows: list[Mark] = [
        mark(0, "target", TARGET_MS),
        mark(0, "target label", TARGET_MS, label="target"),
        mark(0, "number", 0, label="customer"),
    ]
    for lane, (plain_ms, guessing_ms, is_kept) in enumerate(pairs, 1):
        rows += [
            mark(lane, "number", 0, label=str(lane)),
            mark(lane, "between", min(plain_ms, guessing_ms), max(plain_ms, guessing_ms)),
            mark(lane, "plain", plain_ms),
            mark(lane, "kept" if is_kept else "missed", guessing_ms),
        ]
    return marks_table(rows)


def monday_numbers(n_guesses: int, acceptance_percent: int) -> pd.DataFrame:
    """Return a row a customer: first word and time per token, without guesses and with."""
    runs = {"plain": plain(), "guessing": rush(n_guesses, acceptance_percent)}
    columns: dict[str, object] = {"customer": range(1, len(plain().requests) + 1)}
    for name, run in runs.items():
        columns |= {
            f"{name}_first_word_s": run.requests["ttft_s"],
            f"{name}_per_token_ms": per_token_ms(run),
            f"{name}_on_target": run.requests["on_target"],
        }
    return pd.DataFrame(columns)


@lru_cache(maxsize=KEPT)
def lanes_alt(n_guesses: int, acceptance_percent: int) -> str:
    """Say what the chart of Monday shows now."""
    without, guessing = plain(), rush(n_guesses, acceptance_percent)
    return (
        f"Time per token of Monday's {len(without.requests)} customers, in milliseconds, target "
        f"{TARGET_MS:.0f}. Without guesses the middle one has {per_token_ms(without).median():.1f}, the slowest "
        f"{per_token_ms(without).max():.1f}; with {n_guesses} a pass {per_token_ms(guessing).median():.1f} and "
        f"{per_token_ms(guessing).max():.1f}. First word and pace are on target for {on_target(without)} "
        f"customers without and {on_target(guessing)} with."
    )


def per_token() -> Chart:
    """Return the chart of Monday's customers: grey without guesses, blue with them."""
    x = alt.X("x:Q", scale=alt.Scale(domain=[0, EDGE_MS], clamp=True), title="milliseconds per token")
    y = alt.Y("lane:O", axis=None, scale=alt.Scale(domain=list(range(len(requests()) + 1))))
    whole = alt.value(1)
    drawn = [
        layer("target", "ink").mark_rule(strokeWidth=1.5).encode(x=x),
        text("target label", dx=5).encode(x=x, y=y),
        layer("between", "waiting").mark_rule(strokeWidth=1).encode(x=x, x2="x_end:Q", y=y),
        layer("plain", "waiting").mark_tick(thickness=3, bandSize=13).encode(x=x, y=y),
        layer("kept", "decode")
        .mark_point(size=75, filled=True, tooltip=None)
        .encode(x=x, y=y, opacity=whole),
        layer("missed", "decode")
        .mark_point(size=65, filled=False, strokeWidth=2, tooltip=None)
        .encode(x=x, y=y, opacity=whole),
        text("number").encode(x=x, y=y),
    ]
    return alt.layer(*drawn).properties(height={"step": ROW_PX})
