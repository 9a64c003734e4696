"""The draft, round by round, as chips: what was kept, what was thrown away, and the big model's own token."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from larkspur import Round, load
from pages.ui import link, numbers
from pages.ui.chips import visible
from pages.ui.draft_run import Draft, texts
from pages.ui.palette import MEANINGS

HERE = Path(__file__).parent


def draw_picture(made: Draft) -> None:
    """Draw the rounds of a reply, and under them both replies."""
    _COMPONENT(key=link.key("picture"), data=picture(made))


def picture(made: Draft) -> dict[str, Any]:
    """Return what the picture shows: its counts, a row a round, both replies, and whether they are equal."""
    reply, plain = (load("mini").decode(ids).strip() for ids in (made.guessing.token_ids, made.plain_ids))
    return {
        "mini": MEANINGS.index("Larkspur mini"),
        "student": MEANINGS.index("student"),
        "counts": counts(made),
        "rounds": [row(number, done) for number, done in enumerate(made.guessing.rounds, 1)],
        "replies": [["mini, with the student guessing", reply], ["mini alone, one token a pass", plain]],
        "equal": "Both replies are equal, token for token." if made.is_equal else "The replies differ.",
    }


def counts(made: Draft) -> str:
    """Return what stands at the side: tokens and passes, and the passes of plain writing."""
    return f"{made.n_tokens} tokens, {made.n_passes} passes; plain: {made.n_tokens} passes"


def row(number: int, done: Round) -> Mapping[str, Any]:
    """Return one round as the picture shows it, and in words for who does not see it."""
    kept, thrown, own = (list(map(visible, part)) for part in parts(done))
    said = f"kept: {', '.join(kept) or 'none'}; thrown away: {', '.join(thrown) or 'none'}; "
    said += f"mini's own: {', '.join(own) or 'none, the text has ended'}"
    return {
        "label": f"pass {number}",
        "kept": kept,
        "thrown": thrown,
        "own": own,
        "sum": f"= {numbers.tokens(len(done.written))}",
        "said": said,
    }


def parts(done: Round) -> tuple[list[str], list[str], list[str]]:
    """Return the tokens of a round: guesses kept, guesses thrown away, and the big model's own, if any."""
    own = [] if done.token_id is None else [done.token_id]
    return texts(done.drafted[: done.n_kept]), texts(done.drafted[done.n_kept :]), texts(own)


def picture_numbers(made: Draft) -> pd.DataFrame:
    """Return a row a round: the tokens kept, thrown away and mini's own, and the median times of all runs."""
    rounds = made.guessing.rounds
    kept, thrown, own = zip(*map(parts, rounds), strict=True)
    return pd.DataFrame(
        {
            "pass": range(1, len(rounds) + 1),
            "kept": [" ".join(map(visible, part)) for part in kept],
            "thrown_away": [" ".join(map(visible, part)) for part in thrown],
            "own": [" ".join(map(visible, part)) for part in own],
            "written_tokens": [len(done.written) for done in rounds],
            "guessing_us": [round(drafting_s * 1e6) for drafting_s, _ in made.times.rounds_s],
            "checking_us": [round(checking_s * 1e6) for _, checking_s in made.times.rounds_s],
        }
    )


_COMPONENT = st.components.v2.component(
    "draft_picture",
    html=(HERE / "draft_picture.html").read_text("utf-8"),
    css=(HERE / "draft_picture.css").read_text("utf-8"),
    js=(HERE / "draft_picture.js").read_text("utf-8"),
)
