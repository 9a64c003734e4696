"""The KV memory in use through Monday, and what customers feel, side by side with the other settings."""

from functools import lru_cache

import altair as alt
import pandas as pd
import pyarrow as pa

from pages.ui.charts import KEPT, Chart, layer, marks_table, point, text
from pages.ui.monday_lanes import EXTENT_PX, SECONDS
from pages.ui.monday_try import CUSTOMERS, attempt
from pages.ui.numbers import percent, spaced
from sim import Settings, Targets


@lru_cache(maxsize=KEPT)
def load_marks(settings: Settings) -> pa.Table:
    """Return steps of the KV memory in use, in percent of its blocks."""
    passes, blocks = attempt(settings).passes, attempt(settings).outcome.num_blocks
    share = passes["kv_blocks"] / blocks * 100
    rows = [point("used", at_s, percent) for at_s, percent in zip(passes["start_s"], share, strict=True)]
    rows.append(point("used", passes["end_s"].iloc[-1], 0))
    full = f"KV memory in use, percent of {blocks:,} blocks of {settings.block_size} tokens"
    rows += [point("full", 0, 100), point("full name", 0, 100, full)]
    return marks_table(rows)


def load_numbers(settings: Settings) -> pd.DataFrame:
    """Return a row an event: passes, who waits, and the KV blocks in use."""
    passes = attempt(settings).passes
    return pd.DataFrame(
        {
            "start_s": passes["start_s"],
            "end_s": passes["end_s"],
            "passes": passes["passes"],
            "waiting_at_first_pass": passes["waiting"],
            "writing": passes["decode_seqs"],
            "kv_blocks": passes["kv_blocks"],
        }
    )


def load_alt(settings: Settings) -> str:
    """Say what the chart of memory shows now."""
    run = attempt(settings)
    return (
        f"KV memory in use through Monday, in percent of {run.outcome.num_blocks:,} blocks: at most "
        f"{percent(run.summary()['peak_kv_share'])}, until {run.passes['end_s'].iloc[-1]:.1f} s."
    )


def load() -> Chart:
    """Return the chart of memory in use."""
    x = alt.X("x:Q", scale=SECONDS, title="seconds since the first customer came")
    axis = alt.Axis(
        title=None,
        values=list(range(0, 101, 20)),
        ticks=False,
        domain=False,
        labelFontSize=11,
        minExtent=EXTENT_PX,
        maxExtent=EXTENT_PX,
    )
    y = alt.Y("y:Q", scale=alt.Scale(domain=[0, 118], nice=False), axis=axis)
    return alt.layer(
        layer("used", "KV").mark_area(interpolate="step-after", opacity=0.85).encode(x=x, y=y),
        layer("full", "ink").mark_rule(strokeWidth=1).encode(y=y),
        text("full name", dx=4, dy=-9).encode(x=x, y=y),
    ).properties(height=230)


@lru_cache(maxsize=KEPT)
def felt(settings: Settings, targets: Targets) -> tuple[str, ...]:
    """Return what customers feel under a setting, in words, in the order of `FELT`."""
    summary = attempt(settings).summary(targets)
    return (
        f"**{summary['on_target']} of {CUSTOMERS}**",
        f"{summary['goodput_per_s']:.2f}",
        f"{summary['ttft_mean_s']:.2f}\N{NO-BREAK SPACE}s",
        f"{summary['ttft_p95_s']:.2f}\N{NO-BREAK SPACE}s",
        f"{summary['tpot_mean_s'] * 1e3:.1f}\N{NO-BREAK SPACE}ms",
        f"{summary['tpot_p95_s'] * 1e3:.1f}\N{NO-BREAK SPACE}ms",
        f"{attempt(settings).requests['longest_gap_s'].max():.2f}\N{NO-BREAK SPACE}s",
        f"{summary['tokens_per_s']:,.0f}",
        spaced(percent(summary["peak_kv_share"])),
        f"{summary['preemptions']}",
    )


FELT = (
    "on target",
    "on target a second (*goodput*)",
    "first word, mean",
    "first word, 95 in 100 within",
    "time per token, mean",
    "time per token, 95 in 100 within",
    "longest freeze",
    "tokens of the server a second",
    "memory in use, at most",
    "set aside and started over (*preempted*)",
)


def felt_table(named: dict[str, Settings], targets: Targets) -> str:
    """Return what customers feel under named settings, a column each, as Markdown."""
    columns = [felt(each, targets) for each in named.values()]
    lines = [f"| | {' | '.join(named)} |", "|:--|" + "--:|" * len(named)]
    return "\n".join(
        [
            *lines,
            *(
                f"| {name} | {' | '.join(row)} |"
                for name, row in zip(FELT, zip(*columns, strict=True), strict=True)
            ),
        ]
    )
