"""The figures that chapter 5's texts are filled with."""

from functools import cache, lru_cache

from larkspur import load
from pages.ui import draft_monday, draft_quoted, draft_rate, draft_server, draft_token, numbers
from pages.ui.charts import KEPT
from pages.ui.chips import visible
from pages.ui.draft_formula import IN_WORDS, tokens_a_pass
from pages.ui.draft_guess import FEW, MANY, PASSES, SHARE, is_held_back, yielded
from pages.ui.draft_run import QUESTIONS, REPEATS, Draft
from pages.ui.draft_server import in_words
from pages.ui.guess import Guess, verdict
from pages.ui.prose import escape
from pages.ui.served import server
from sim import MONDAY_TARGETS, Settings

CLOSE_TOKENS = 3  # a guess this near is close
ALIKE = 0.05  # times that differ by less are called the same
MISSION_PERCENT = 60
UNKNOWN = "?"
FLAG = """--speculative-config '{"model": "facebook/opt-125m", "num_speculative_tokens": 4}'"""


@cache
def figures() -> dict[str, str]:
    """Return the figures of the chapter's texts that no setting changes."""
    return of_the_guess() | of_the_models() | of_the_assumption()


def of_the_guess() -> dict[str, str]:
    """Return the figures of few guesses and of many."""
    return {
        "few": numbers.count(FEW),
        "many": numbers.count(MANY),
        "share": f"{SHARE * 10:.0f} in 10",
        "passes": numbers.count(PASSES),
        "few_a_pass": f"{tokens_a_pass(SHARE, FEW):.1f}",
        "few_tokens": f"{yielded(FEW):.0f}",
        "truth_a_pass": f"{tokens_a_pass(SHARE, MANY):.1f}",
        "truth": f"{yielded(MANY):.0f}",
        "few_exactly": f"{yielded(FEW):.1f}",
        "truth_exactly": f"{yielded(MANY):.1f}",
        "more_guesses": numbers.count(PASSES * (MANY - FEW)),
        "few_right": numbers.percent(SHARE**FEW),
        "all_right": numbers.percent(SHARE**MANY),
        "formula": IN_WORDS.replace("*", "\\*"),
        "flag": FLAG,
    }


def of_the_models() -> dict[str, str]:
    """Return the sizes of the four models."""
    big, small = server().model.params, server().draft_model(draft_server.GUESSING).params
    return {
        "mini_params": numbers.count(load("mini").num_params),
        "student_params": numbers.count(load("student").num_params),
        "student_share": numbers.percent(load("student").num_params / load("mini").num_params),
        "draft_smaller": numbers.count(round(big / small)),
        "questions": numbers.count(len(QUESTIONS)),
        "repeats": numbers.count(REPEATS),
        "tally": numbers.count(draft_token.TALLY),
        "draws": numbers.count(draft_rate.DRAWS),
        "so_far": numbers.tokens(draft_server.SO_FAR),
        "most_batch": numbers.count(draft_server.MOST_BATCH),
        "mission_percent": f"{MISSION_PERCENT} %",
    }


def of_the_assumption() -> dict[str, str]:
    """Return how many guesses are assumed to be right, here and in chapter 7, and how many were where measured."""
    low, high = draft_quoted.acceptances()
    return {
        "begin_percent": f"{draft_server.PERCENTS[2]} %",
        "search_percent": numbers.percent(Settings().acceptance_rate),
        "least_measured": numbers.percent(low),
        "most_measured": numbers.percent(high),
    }


def answer(made: Guess) -> tuple[str, ...]:
    """Return which passages answer a guess, or say that it is still to be made."""
    if made.latest is not None:
        return "guess.told", "guess.because", verdict(made.latest, yielded(MANY), CLOSE_TOKENS)
    return ("guess.shown", "guess.because") if made.is_revealed else ("guess.empty",)


def of_the_draft(made: Draft) -> dict[str, str]:
    """Return the figures of a question answered both ways."""
    kept = sum(done.n_kept for done in made.guessing.rounds)
    times = made.times
    return {
        "tokens": numbers.tokens(made.n_tokens),
        "draft_passes": numbers.count(made.n_passes),
        "guesses": in_words(made.n_guesses),
        "tries": in_words(made.n_guesses),
        "asked": escape(made.question),
        "kept": numbers.count(kept),
        "judged": numbers.count(kept + sum(done.rejected for done in made.guessing.rounds)),
        "plain": numbers.brief(times.plain_s),
        "guessing": numbers.brief(times.guessing_s),
        "student_pass": numbers.brief(times.student_pass_s),
        "single_pass": numbers.brief(times.single_pass_s),
        "checking_pass": numbers.brief(times.checking_pass_s),
    }


def seconds(made: Draft) -> str:
    """Return which passage says whether guessing saved time here: slower, same or faster."""
    ratio = made.times.guessing_s / made.times.plain_s
    if abs(ratio - 1) < ALIKE:
        return "seconds.same"
    return "seconds.slower" if ratio > 1 else "seconds.faster"


@lru_cache(maxsize=KEPT)
def of_the_token(question: str, place: int, number: int) -> dict[str, str]:
    """Return the figures of one sampled token and of one draw of it."""
    at, made = draft_token.chances(question, place), draft_token.draw_of(question, place, number)
    ratio = min(1.0, float(at.mini[made.guess]) / float(at.student[made.guess]))
    guess, own = (escape(visible(load("mini").token_text(n))) for n in (made.guess, made.token_id))
    return {
        "asked": escape(question),
        "so_far_text": escape(at.so_far.strip()),
        "draw": numbers.count(number),
        "guess_token": guess,
        "own_token": own,
        "keep_chance": draft_token.told(100 * ratio),
        "overlap": numbers.percent(float(at.kept.sum())),
    }


def drawn(question: str, place: int, number: int) -> str:
    """Return which passage tells of a draw: kept or refused."""
    return "token.kept" if draft_token.draw_of(question, place, number).is_kept else "token.refused"


def standing(question: str, place: int) -> str:
    """Return which passage says what stands there before the token: nothing yet, or the reply so far."""
    return "token.so_far" if draft_token.chances(question, place).so_far.strip() else "token.first"


@lru_cache(maxsize=KEPT)
def of_the_rate(pick: str, n_guesses: int) -> dict[str, str]:
    """Return the figures of what was measured beside what the formula promises."""
    here = draft_rate.rate_numbers(pick).iloc[n_guesses - 1]
    made = draft_rate.rates(pick)[n_guesses - 1]
    return {
        "pick": pick,
        "replies": numbers.count(len(made.replies_tokens)),
        "acceptance": numbers.percent(draft_rate.acceptance(pick)),
        "guesses": in_words(n_guesses),
        "promised": f"{here['formula_tokens']:.1f}",
        "until_end": f"{here['replies_that_end_tokens']:.1f}",
        "measured": f"{here['measured_tokens']:.1f}",
    }


@lru_cache(maxsize=KEPT)
def of_the_server(
    n_guesses: int, acceptance_percent: int, batch: int, *, is_revealed: bool
) -> dict[str, str]:
    """Return the figures of guessing on the simulated server."""
    here = draft_server.pace(batch, n_guesses, acceptance_percent)
    alone, full = (
        draft_server.pace(n, n_guesses, acceptance_percent).times for n in (1, draft_server.MOST_BATCH)
    )
    hidden = is_held_back(n_guesses, is_revealed=is_revealed)
    return {
        "batch": numbers.count(batch),
        "guesses": in_words(n_guesses),
        "percent": f"{acceptance_percent} %",
        "plain": numbers.ms(here.plain_s, 1),
        "drafting": numbers.ms(here.drafting_s, 1),
        "checking": numbers.ms(here.checking_s, 1),
        "yielded": UNKNOWN if hidden else f"{here.tokens:.1f}",
        "times": draft_server.told_times(here.times),
        "alone_times": f"{alone:.1f}",
        "full_times": f"{full:.1f}",
        "turn": numbers.count(draft_server.turns(n_guesses, acceptance_percent) or 0),
    }


def turning(n_guesses: int, acceptance_percent: int) -> str:
    """Return which passage says from where guessing is a loss, that it always is, or that it never is."""
    turn = draft_server.turns(n_guesses, acceptance_percent)
    if turn is None:
        return "server.never"
    return "server.always" if turn == 1 else "server.turn"


def reading(n_guesses: int, *, is_revealed: bool) -> str:
    """Return which passage tells of the server: with what a pass yields, or without while it is held back."""
    return "server.held" if is_held_back(n_guesses, is_revealed=is_revealed) else "server.read"


def standing_now(n_guesses: int, acceptance_percent: int, batch: int) -> str:
    """Return which passage says where the reader stands in the mission; slower by easier means does not count."""
    is_slower = draft_server.pace(batch, n_guesses, acceptance_percent).times < 1
    return "mission.easy" if is_slower and acceptance_percent < MISSION_PERCENT else "mission.now"


def is_accomplished(n_guesses: int, acceptance_percent: int, batch: int) -> bool:
    """Return whether guessing is slower than plain writing although enough of the guesses are right."""
    is_slower = draft_server.pace(batch, n_guesses, acceptance_percent).times < 1
    return is_slower and acceptance_percent >= MISSION_PERCENT


@lru_cache(maxsize=KEPT)
def of_monday(n_guesses: int, acceptance_percent: int) -> dict[str, str]:
    """Return the figures of Monday without guesses and with."""
    without, guessing = draft_monday.plain(), draft_monday.rush(n_guesses, acceptance_percent)
    told = {"requests": numbers.count(len(without.requests)), "guesses": in_words(n_guesses)}
    told |= {"percent": f"{acceptance_percent} %", "tpot_target": f"{draft_monday.TARGET_MS:.0f} ms"}
    told["ttft_target"] = f"{MONDAY_TARGETS.ttft_s:g} s"
    for name, run in (("plain", without), ("guess", guessing)):
        told |= {
            f"{name}_on": numbers.count(draft_monday.on_target(run)),
            f"{name}_middle": numbers.ms(float(run.requests["tpot_s"].median())),
            f"{name}_last": f"{float(run.requests['finish_s'].max() - run.requests['arrival_s'].min()):.1f} s",
        }
    return told
