"""The flags of vLLM that pages name and commands are written with: what each takes, and where vLLM says so."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from types import MappingProxyType

from pages.ui.chapters import CHAPTERS, Page
from pages.ui.cited import PAGES, flags_named, named
from pages.ui.sources import day
from sim.vllm_flags import BENCH_FLAGS, CHECKPOINTS, RELEASE, SERVE_FLAGS, Flag

COMMANDS = CHAPTERS[-1]  # whose commands are written with all of them
COMMAND_OF = {"serve": "vllm serve", "bench": "vllm bench serve"}


@dataclass(frozen=True)
class Said:
    """What vLLM says of one thing, as Markdown, at which address, when it was looked up, and who uses it."""

    words: str
    source: str
    checked: date
    pages: tuple[Page, ...]


def flag_told(flag: Flag) -> str:
    """Return a flag, what it takes, and where that is said, as Markdown."""
    return f"`{flag.flag}` takes {flag.takes}. [vLLM]({flag.source}), checked {day(flag.checked)}"


@cache
def all_flags() -> Mapping[str, Flag]:
    """Return all flags by command and name: `serve.block-size`."""
    both = {"serve": SERVE_FLAGS, "bench": BENCH_FLAGS}
    return MappingProxyType(
        {f"{of}.{key}": flag for of, flags in both.items() for key, flag in flags.items()}
    )


def pages_of(key: str) -> tuple[Page, ...]:
    """Return the pages that use a flag: those that name it, and the one whose commands are written with it."""
    pages = {*flags_named().get(key, ()), COMMANDS}
    return tuple(page for page in PAGES.values() if page in pages)


@cache
def all_said() -> tuple[Said, ...]:
    """Return what the catalog of flags takes from vLLM, flags first, in the order of the data."""
    made = [
        Said(
            f"`{flag.flag}` of `{COMMAND_OF[key.partition('.')[0]]}` takes {flag.takes}",
            flag.source,
            flag.checked,
            pages_of(key),
        )
        for key, flag in all_flags().items()
    ]
    bits = " or ".join(map(str, CHECKPOINTS.bits))
    made.append(
        Said(
            f"checkpoints of {bits} bits a weight, and how they are made",
            CHECKPOINTS.source,
            CHECKPOINTS.checked,
            (COMMANDS,),
        )
    )
    made.append(
        Said(
            f"the newest release on that day, {RELEASE.version}", RELEASE.source, RELEASE.checked, (COMMANDS,)
        )
    )
    return tuple(made)


def of_vllm() -> str:
    """Return where vLLM says what pages take from it, source by source, as lists in Markdown."""
    sources = dict.fromkeys((one.source, one.checked) for one in all_said())
    return "\n\n".join(_of_source(source, checked) for source, checked in sources)


def _of_source(source: str, checked: date) -> str:
    lines = [
        f"- {one.words}. Used in: {named(one.pages)}."
        for one in all_said()
        if (one.source, one.checked) == (source, checked)
    ]
    return "\n".join((f"vLLM: [{place(source)}]({source}). Checked {day(checked)}.", "", *lines))


def place(address: str) -> str:
    """Return the last two steps of an address: bench/serve."""
    return "/".join(address.rstrip("/").split("/")[-2:])
