"""Away with it: the answer as commands for vLLM, files to download, and a memo to forward."""

import re
from functools import partial
from urllib.parse import quote, urlencode

import pandas as pd
import streamlit as st

from pages.ui import link
from pages.ui.controls import choice
from pages.ui.frame import Frame
from pages.ui.plan_held import Trust
from pages.ui.plan_memo import Plan, memo, notes, stands_for
from pages.ui.plan_slide import Box, slide
from pages.ui.plan_trust import percent
from pages.ui.plan_words import in_words
from pages.ui.prose import say
from pages.ui.sources import day
from pages.ui.tables import DECIMALS
from sim import Settings, monday, simulate
from sim.vllm_flags import BENCH_FLAGS, REPOSITORIES, SERVE_FLAGS, Flag
from sim.vllm_lines import Line, bench_line, flags_in, serve_line, timed_trace

__all__ = ["Plan", "export_section"]
PAGE = "plan_export"
MODEL, DRAFT = REPOSITORIES["opt-13b"], REPOSITORIES["opt-125m"]
TRACE_FILE = "monday.jsonl"
COMMAND = re.compile("```bash\n.*?\n```", re.DOTALL)
MINE, BEST, STEADIEST = "mine", "best here", "steadiest"
NOTE = "Simulated: OPT-13B's published shape on {share} of an A100 80 GB. Not measured on a real server."


def export_section(plan: Plan, frame: pd.DataFrame, trust: Trust | None, around: Frame) -> None:
    """Draw the answer as commands, notes, downloads and a memo; `frame` is the search, for its CSV."""
    st.markdown(say(PAGE, "lines"))
    name, settings = chosen(plan, trust)
    lines = commands(plan, settings)
    code(lines[0], "serve")
    st.markdown(stands_for(plan, settings))
    listed(notes(lines[0], settings))
    st.markdown(say(PAGE, "bench", customers=str(len(monday()))))
    code(lines[1], "bench")
    listed(notes(lines[1], settings))
    flags_list(lines)
    text = memo(plan, name, settings, trust, lines, reopening_link(around))
    downloads(plan, settings, frame, text)
    with st.expander("Read the memo", icon=":material/description:"):
        st.markdown(shown(text))
        link.copy_button(text, "memo")


def shown(text: str) -> str:
    """Return the memo as the page shows it: below the page's titles, with the commands left to where they stand."""
    first, *others = COMMAND.split(text)
    return f"###{first}*(the two commands above)*{others[-1]}".replace("$", "\\$")


def chosen(plan: Plan, trust: Trust | None) -> tuple[str, Settings]:
    """Draw the choice of what to write down, and return its name and settings."""
    name = choice("Write down", (MINE, BEST, STEADIEST), BEST, name="export")
    if name == MINE:
        return "the reader's own settings", plan.mine
    if name == STEADIEST and trust is None:
        st.caption(say(PAGE, "steadiest.unknown"))
    if name == STEADIEST and trust is not None:
        today = trust.answer.offered_today
        if today is None or today == trust.answer.offered:
            return "the steadiest settings", trust.answer.offered
        return "the steadiest settings that engines offer today", today
    return "the best settings here", plan.best


def commands(plan: Plan, settings: Settings) -> tuple[Line, Line]:
    """Return the command that starts the server, and the one that checks it."""
    serve = serve_line(settings, plan.server, MODEL, DRAFT)
    return serve, bench_line(settings, plan.targets, monday(), MODEL, TRACE_FILE)


def code(line: Line, name: str) -> None:
    """Draw a command and the button that copies it."""
    st.code(line.text, language=None, wrap_lines=True)
    link.copy_button(line.text, name)


def listed(words: list[str]) -> None:
    """Draw notes as a list, if there are any."""
    if words:
        st.markdown("\n".join(f"- {each}" for each in words))


def flags_list(lines: tuple[Line, Line]) -> None:
    """Draw where each flag of the commands is said, and what it may take, folded."""
    with st.expander("Where each flag is said, and what it may take", icon=":material/menu_book:"):
        listed([flag_told(flag) for flag in used(lines)])


def used(lines: tuple[Line, Line]) -> list[Flag]:
    """Return the flags that the commands use, in their order."""
    known = [{flag.flag: flag for flag in flags.values()} for flags in (SERVE_FLAGS, BENCH_FLAGS)]
    return [flags[name] for line, flags in zip(lines, known, strict=True) for name in flags_in(line.words)]


def flag_told(flag: Flag) -> str:
    """Return a flag, what it takes, and where that is said, as Markdown."""
    return f"`{flag.flag}` takes {flag.takes}. [vLLM]({flag.source}), checked {day(flag.checked)}"


def reopening_link(around: Frame) -> str:
    """Return the address that opens this page with these settings; no marks, for it may be somebody else's."""
    page = (st.context.url or f"/{around.page.address}").partition("?")[0]
    return f"{quote(page, safe=':/%')}?{urlencode(link.parameters() | {'reader': around.reader})}"


def downloads(plan: Plan, settings: Settings, frame: pd.DataFrame, text: str) -> None:
    """Draw the files to take along; each is made when it is asked for."""
    st.markdown(say(PAGE, "downloads"))
    with st.container(horizontal=True):
        download("Memo (Markdown)", text.encode(), "larkspurs_monday.md", "text/markdown")
        picture = partial(picture_of, plan, settings)
        download("Target box (PNG)", picture, "target_box.png", "image/png")
        download(f"All {len(frame):,} settings (CSV)", partial(csv_of, frame), "search.csv", "text/csv")
        download("Monday for the benchmark", partial(trace_file), TRACE_FILE, "application/jsonl")


def download(label: str, data: object, file_name: str, mime: str) -> None:
    """Draw one download."""
    key = link.key(f"export.{file_name}")
    icon = ":material/download:"
    st.download_button(label, data, file_name, mime, on_click="ignore", icon=icon, key=key)  # type: ignore[arg-type]


def picture_of(plan: Plan, settings: Settings) -> bytes:
    """Return the target box of settings as a PNG."""
    run = simulate(monday(), plan.server, settings, plan.targets)
    note = NOTE.format(share=percent(plan.server.gpu_memory_utilization))
    return slide(Box.of(run, plan.targets), in_words(settings), note)


def csv_of(frame: pd.DataFrame) -> bytes:
    """Return the search as a CSV."""
    return frame.round(DECIMALS).to_csv(index=False).encode()


def trace_file() -> bytes:
    """Return Monday as vLLM's benchmark replays it."""
    return timed_trace(monday()).encode()
