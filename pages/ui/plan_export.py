"""To a real server: the answer as commands for vLLM, files to download, and a memo to forward."""

import re
from collections.abc import Callable
from functools import partial
from urllib.parse import quote, urlencode

import pandas as pd
import streamlit as st

from pages.ui import link
from pages.ui.flags import flag_told
from pages.ui.frame import Frame
from pages.ui.numbers import percent
from pages.ui.plan_choice import Plan, pick
from pages.ui.plan_held import DEFAULTS, Trust
from pages.ui.plan_memo import expected, headline, memo, notes, stands_for
from pages.ui.plan_slide import Box, slide
from pages.ui.plan_words import in_words, taken
from pages.ui.prose import say
from pages.ui.sources import day
from pages.ui.tables import DECIMALS
from sim import Settings, monday, simulate
from sim.vllm_flags import BENCH_FLAGS, RELEASE, REPOSITORIES, SERVE_FLAGS, Flag
from sim.vllm_lines import Line, bench_line, flags_in, serve_line, timed_trace

__all__ = ["Plan", "export_section"]
PAGE = "plan_export"
MODEL, DRAFT = REPOSITORIES["opt-13b"], REPOSITORIES["opt-125m"]
TRACE_FILE = "monday.jsonl"
ANSWERS = ("guess", "first", "shown", "check", "more", "done", "route")  # of one reader, not of the plan
COMMAND = re.compile("```bash\n.*?\n```", re.DOTALL)
NOTE = "Simulated: OPT-13B's published shape on {share} of an A100 80 GB. Not measured on a real server."


def export_section(
    plan: Plan, search: Callable[[], pd.DataFrame], num_settings: int, trust: Trust | None, around: Frame
) -> None:
    """Draw the answer as commands, notes, downloads and a memo; `search` builds its CSV, of `num_settings` rows."""
    st.markdown(say(PAGE, "lines"))
    choice = pick(plan, trust)
    settings, lines = choice.settings, commands(plan, choice.settings)
    st.markdown(f"{headline(plan, choice)} {choice.why}".strip())
    st.markdown(stands_for(plan, settings))
    listed(notes(lines[0], settings))
    code(lines[0], "serve")
    st.markdown(say(PAGE, "bench", customers=str(len(monday()))))
    listed(notes(lines[1], settings))
    code(lines[1], "bench")
    st.markdown(expected(plan, settings))
    flags_list(lines)
    text = partial(memo, plan, choice, trust, lines, reopening_link(around))
    st.markdown(say(PAGE, "downloads"))
    with st.container(horizontal=True):
        downloads(plan, settings, text)
        download(f"All {num_settings:,} settings (CSV)", lambda: csv_of(search()), "search.csv", "text/csv")
    fold = st.expander(
        "Read the memo", icon=":material/description:", key=link.key("memo"), on_change="rerun"
    )
    if fold.open:  # it is written only for who reads it, or takes it along
        with fold:
            st.markdown(shown(text()))
            link.copy_button(text(), "memo")


def shown(text: str) -> str:
    """Return the memo as the page shows it: below the page's titles, with the commands left to where they stand."""
    first, *others = COMMAND.split(text)
    return f"###{first}*(the two commands above)*{others[-1]}".replace("$", "\\$")


def commands(plan: Plan, settings: Settings) -> tuple[Line, Line]:
    """Return the command that starts the server, and the one that checks it."""
    serve = serve_line(settings, plan.server, MODEL, DRAFT, num_requests=len(monday()))
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
        st.markdown(say(PAGE, "flags", version=RELEASE.version, checked=day(RELEASE.checked)))
        listed([flag_told(flag) for flag in used(lines)])


def used(lines: tuple[Line, Line]) -> list[Flag]:
    """Return the flags that the commands use, in their order."""
    known = [{flag.flag: flag for flag in flags.values()} for flags in (SERVE_FLAGS, BENCH_FLAGS)]
    return [flags[name] for line, flags in zip(lines, known, strict=True) for name in flags_in(line.words)]


def reopening_link(around: Frame) -> str:
    """Return the address that opens this page with these settings; no answers and marks, which are one reader's own."""
    page = (st.context.url or f"/{around.page.address}").partition("?")[0]
    settings = {name: value for name, value in link.parameters().items() if name not in ANSWERS}
    return f"{quote(page, safe=':/%')}?{urlencode(settings | {'reader': around.reader})}"


def downloads(plan: Plan, settings: Settings, text: Callable[[], str]) -> None:
    """Draw the files to take along; each is made when it is asked for."""
    download("Memo (Markdown)", lambda: text().encode(), "larkspurs_monday.md", "text/markdown")
    picture = partial(picture_of, plan, settings)
    download("Target box (PNG)", picture, "target_box.png", "image/png")
    download("Monday for the benchmark", partial(trace_file), TRACE_FILE, "application/jsonl")


def download(label: str, data: object, file_name: str, mime: str) -> None:
    """Draw one download."""
    key = link.key(f"export.{file_name}")
    icon = ":material/download:"
    st.download_button(label, data, file_name, mime, on_click="ignore", icon=icon, key=key)  # type: ignore[arg-type]


def picture_of(plan: Plan, settings: Settings) -> bytes:
    """Return the target box of settings as a PNG, the start and vLLM's defaults beside it."""
    shown = {"what is written down": settings, "the start": plan.now, "vLLM's defaults": DEFAULTS}
    boxes = [
        Box.of(name, simulate(monday(), plan.server, each, plan.targets), plan.targets)
        for name, each in shown.items()
    ]
    note = NOTE.format(share=percent(plan.server.gpu_memory_utilization))
    return slide(boxes, in_words(taken(settings)), note)


def csv_of(frame: pd.DataFrame) -> bytes:
    """Return the search as a CSV."""
    return frame.round(DECIMALS).to_csv(index=False).encode()


def trace_file() -> bytes:
    """Return Monday as vLLM's benchmark replays it."""
    return timed_trace(monday()).encode()
