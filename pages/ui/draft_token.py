"""One sampled token: both models' chances, the part that is kept, and the rest that a refused guess is drawn from."""

from dataclasses import dataclass
from functools import lru_cache

import altair as alt
import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from larkspur import generate, load
from larkspur.sampling import choose, probabilities
from larkspur.speculation import keeps, residual
from pages.ui import numbers
from pages.ui.charts import KEPT, Chart, Mark, layer, mark, marks_table, text
from pages.ui.chips import visible
from pages.ui.draft_run import QUESTIONS

TEMPERATURE = 1.0
SHOWN, LAST_PLACE, MOST_DRAWS, TALLY = 5, 12, 50, 1000
DRAWS = (1, MOST_DRAWS, 2)  # least, most, and where the reader begins: with a guess that is refused
VISIBLE = 1e-3  # percent that can be seen
TITLE_DY = -21  # pixels from the middle of a lane


Probs = npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Chances:
    """What both models say comes next at a place of mini's reply, [n_vocab] each, and the reply until there."""

    so_far: str
    mini: Probs
    student: Probs

    @property
    def kept(self) -> Probs:
        """Each token's chance to be guessed and kept, [n_vocab]; together the chance that a guess is kept."""
        return np.minimum(self.mini, self.student)

    @property
    def rest(self) -> Probs:
        """Each token's chance to be drawn from the rest after a refused guess, [n_vocab]; kept + rest = mini's."""
        return self.mini - self.kept


@dataclass(frozen=True)
class Drawn:
    """One draw: the token guessed, whether it was kept, and the token that stands in the reply."""

    guess: int
    is_kept: bool
    token_id: int


@lru_cache(maxsize=len(QUESTIONS) * LAST_PLACE)
def chances(question: str, place: int) -> Chances:
    """Return the chances, at temperature 1, of the token at a place (from 1) of mini's reply to a question."""
    mini, student = load("mini"), load("student")
    ids = mini.encode(question)
    reply = [step.token_id for step in generate(mini, ids)][: place - 1]
    both = [probabilities(model.forward([*ids, *reply])[-1], TEMPERATURE) for model in (mini, student)]
    for probs in both:
        probs.flags.writeable = False
    return Chances(mini.decode(reply), *both)


def drawn(at: Chances, rng: np.random.Generator) -> Drawn:
    """Return one draw by the rule: guess, keep with chance min(1, p / q), else draw from the rest."""
    guess = choose(at.student, TEMPERATURE, rng)
    if keeps(guess, at.mini, at.student, TEMPERATURE, rng):
        return Drawn(guess, is_kept=True, token_id=guess)
    rest: npt.NDArray[np.floating] = residual(at.mini, at.student)
    return Drawn(guess, is_kept=False, token_id=choose(rest, TEMPERATURE, rng))


def draw_of(question: str, place: int, number: int) -> Drawn:
    """Return the draw of a number; the same number draws the same again."""
    return drawn(chances(question, place), np.random.default_rng(number))


@lru_cache(maxsize=len(QUESTIONS) * LAST_PLACE)
def tally(question: str, place: int) -> tuple[int, ...]:
    """Return how often each token, [n_vocab], came up in a thousand draws by the rule."""
    at, rng = chances(question, place), np.random.default_rng(0)
    came = [drawn(at, rng).token_id for _ in range(TALLY)]
    return tuple(np.bincount(came, minlength=len(at.mini)).tolist())


def likeliest(at: Chances) -> list[int]:
    """Return the tokens that are shown one by one: those likeliest with either model, ties to the lower id."""
    return [int(token_id) for token_id in np.argsort(-np.maximum(at.mini, at.student), kind="stable")[:SHOWN]]


@dataclass(frozen=True)
class Lane:
    """A token, or all others together: its chances and how often it came in the draws, in percent."""

    token: str
    mini: float
    student: float
    kept: float
    rest: float
    drawn: float


@lru_cache(maxsize=len(QUESTIONS) * LAST_PLACE)
def lanes_of(question: str, place: int) -> tuple[Lane, ...]:
    """Return the lanes of the likeliest tokens, and a last one of all others."""
    at, came = chances(question, place), np.array(tally(question, place)) / TALLY
    ids = likeliest(at)
    others = np.setdiff1d(np.arange(len(at.mini)), ids)
    groups = {visible(load("mini").token_text(token_id)): np.array([token_id]) for token_id in ids}
    groups[f"{len(others)} others"] = others
    parts = (at.mini, at.student, at.kept, at.rest, came)
    return tuple(
        Lane(name, *(100 * float(part[which].sum()) for part in parts)) for name, which in groups.items()
    )


def token_numbers(question: str, place: int) -> pd.DataFrame:
    """Return a row a token: both models' chances, kept and rest, and how often it came in the draws; others last."""
    table = pd.DataFrame(lanes_of(question, place))
    return table.rename(columns={name: f"{name}_percent" for name in table.columns[1:]})


@lru_cache(maxsize=KEPT)
def token_lanes(question: str, place: int) -> pa.Table:
    """Return a lane a token: what is kept, mini's rest, what of the student's is refused, and how often it came."""
    rows: list[Mark] = []
    for number, lane in enumerate(lanes_of(question, place)):
        label = f"{lane.token} · mini {told(lane.mini)}, student {told(lane.student)}"
        rows += [
            mark(number, "title", 0, label=label),
            mark(number, "kept", 0, lane.kept),
            mark(number, "rest", lane.kept, lane.mini),
            mark(number, "refused", lane.mini, lane.mini + lane.student - lane.kept),
            mark(number, "came", lane.drawn),
        ]
    return marks_table([row for row in rows if row[1] in ("title", "came") or row[3] - row[2] > VISIBLE])


def told(percent: float) -> str:
    """Return a chance as its label says it."""
    return numbers.percent(percent / 100, 1 if 0 < percent < 0.95 else 0)


@lru_cache(maxsize=KEPT)
def token_alt(question: str, place: int) -> str:
    """Say what the chart of one token shows now."""
    at = chances(question, place)
    said = (
        f"Chances of the next token, in percent, after “{at.so_far.strip()}”. " if at.so_far.strip() else ""
    )
    said = said or "Chances of the reply's first token, in percent. "
    for lane in lanes_of(question, place)[:3]:
        said += f"{lane.token}: mini {told(lane.mini)}, student {told(lane.student)}. "
    return said + (
        f"A guess is kept with a chance of {numbers.percent(float(at.kept.sum()))}; the rest is "
        f"{numbers.percent(float(at.rest.sum()))}."
    )


def one_token() -> Chart:
    """Return the chart of one token's chances."""
    x = alt.X("x:Q", scale=alt.Scale(domain=[0, 100], clamp=True), title="chance of the next token, percent")
    place, end = (
        (x, alt.Y("lane:O", axis=None, scale=alt.Scale(paddingInner=0.66, paddingOuter=0.5))),
        alt.X2("x_end:Q"),
    )
    rest = layer("rest", "Larkspur mini").mark_bar(filled=False, strokeWidth=2)
    refused = layer("refused", "student").mark_bar(filled=False, strokeDash=[3, 3], strokeWidth=1.5)
    return alt.layer(
        layer("kept", "student").mark_bar().encode(*place, end),
        refused.encode(*place, end),
        rest.encode(*place, end),
        layer("came", "ink").mark_tick(thickness=2, bandSize=26).encode(*place),
        text("title", dy=TITLE_DY).encode(*place),
    ).properties(height={"step": 56})
