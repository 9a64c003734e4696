"""The sums behind chapter 5's figures."""

from pages.ui import draft_monday, draft_rate, draft_server, draft_token, numbers
from pages.ui.draft_formula import IN_WORDS, tokens_a_pass
from pages.ui.draft_guess import FEW, MANY, PASSES, SHARE, is_held_back, yielded
from pages.ui.draft_run import REPEATS, Draft
from pages.ui.lone_sums import counted_from
from pages.ui.sources import cite, cite_model
from pages.ui.sums import Sum
from sim import SOURCES

FORMULA = IN_WORDS.replace("*", r"\*")
RAN = "the server that hosts this page, one thread; the weights are in data/larkspur-mini and data/larkspur-student"

CHEN = (
    "The same rule, found independently: Chen et al. 2023, "
    "[Accelerating Large Language Model Decoding with Speculative Sampling](https://arxiv.org/abs/2302.01318)."
)
VLLM = (
    "n-gram, EAGLE and MTP as methods, and the flag: vLLM's documentation, "
    "[Speculative Decoding](https://docs.vllm.ai/en/latest/features/spec_decode/). Checked November 30, 2026."
)

UNKNOWN = "? (your guess first)"


def ten_passes(*, is_revealed: bool) -> Sum:
    """Return the sum behind what ten passes yield."""
    n = MANY if is_revealed else FEW
    powers = " + ".join(f"{SHARE:g}^{kept}" for kept in range(n + 1))
    return Sum(
        "simulated",
        f"tokens of {PASSES} passes",
        "A guess is kept only if it and all before it are right; the pass then writes one token of its own: "
        f"tokens a pass = 1 + α + α^2 + … + α^g = {FORMULA}, each guess right with the same chance α.",
        (
            ("α, assumed", numbers.percent(SHARE)),
            ("g, guesses a pass", numbers.count(n)),
            ("in full", powers),
        ),
        f"{tokens_a_pass(SHARE, n):.2f} tokens a pass, {yielded(n):.0f} in {PASSES}",
        f"equation 1 of {cite(SOURCES['speculative-decoding'])}",
    )


def really(made: Draft) -> Sum:
    """Return what the reply, its passes and its times are."""
    times = made.times
    return Sum(
        "run for real here",
        "the draft",
        "Larkspur mini and its student, run by NumPy when this was first asked for, and kept since. Tokens and "
        f"passes are counted; of each pass the median time of {REPEATS} runs is taken, and a reply's are added up. "
        "Mini alone is timed once a question, whatever the number of guesses.",
        (
            ("tokens of the reply, the end of text counted", numbers.count(made.n_tokens)),
            ("passes of mini, with guesses", numbers.count(made.n_passes)),
            ("passes of the student", numbers.count(sum(len(done.drafted) for done in made.guessing.rounds))),
            ("the whole reply, mini alone", numbers.brief(times.plain_s)),
            ("the whole reply, with guesses", numbers.brief(times.guessing_s)),
            ("one pass of the student", numbers.brief(times.student_pass_s)),
            ("a pass of mini over one token", numbers.brief(times.single_pass_s)),
            ("a pass of mini over all guesses", numbers.brief(times.checking_pass_s)),
        ),
        f"{made.n_tokens} tokens ÷ {made.n_passes} passes = {made.guessing.tokens_per_pass:.1f} tokens a pass",
        RAN,
    )


def one_token(question: str, place: int) -> Sum:
    """Return the sum behind one sampled token."""
    at = draft_token.chances(question, place)
    return Sum(
        "run for real here",
        "one sampled token",
        "p is mini's chance of a token, q the student's, both at temperature 1. A guess is kept with chance "
        "min(1, p ÷ q); after a refusal mini draws from max(0, p − q), scaled to sum to 1. So a token comes with "
        "chance min(p, q) + max(0, p − q) = p: mini's own.",
        (
            ("Σ min(p, q): a guess is kept", numbers.percent(float(at.kept.sum()), 1)),
            ("Σ max(0, p − q): the rest", numbers.percent(float(at.rest.sum()), 1)),
            ("draws made by this rule", numbers.count(draft_token.TALLY)),
        ),
        "kept + rest = 100 %",
        f"algorithm 1 of {cite(SOURCES['speculative-decoding'])} Run on {RAN}.",
    )


def rate(pick: str, n_guesses: int, *, is_revealed: bool) -> Sum:
    """Return the sum behind tokens a pass, measured and by the formula."""
    made, share = draft_rate.rates(pick)[n_guesses - 1], draft_rate.acceptance(pick)
    is_hidden = is_held_back(n_guesses, is_revealed=is_revealed)
    by_formula = UNKNOWN if is_hidden else f"{tokens_a_pass(share, n_guesses):.2f} tokens a pass"
    return Sum(
        "run for real here",
        "tokens a pass, measured",
        f"Measured = tokens ÷ passes of mini. Formula = {FORMULA}, with α the share of judged guesses that were "
        "kept, over all numbers of guesses (those behind a wrong one are not judged).",
        (
            ("replies", numbers.count(len(made.replies_tokens))),
            ("tokens", numbers.count(sum(made.replies_tokens))),
            ("passes", numbers.count(made.passes)),
            ("α, along these very replies", numbers.percent(share, 1)),
            ("by the formula", by_formula),
        ),
        f"measured {made.tokens_a_pass:.2f} tokens a pass with {n_guesses} guesses",
        RAN,
    )


def on_the_server(n_guesses: int, acceptance_percent: int, batch: int, *, is_revealed: bool) -> Sum:
    """Return the sum behind how many times as fast guessing is."""
    here = draft_server.pace(batch, n_guesses, acceptance_percent)
    is_hidden = is_held_back(n_guesses, is_revealed=is_revealed)
    return Sum(
        "simulated",
        "guessing on the server",
        "Times as fast = tokens a pass × a plain pass ÷ (the draft's passes + the pass that checks), in the mean. "
        f"Each customer adds g + 1 tokens to the pass that checks. Tokens a pass = {FORMULA}.",
        (
            ("customers at once", numbers.count(batch)),
            ("text of each so far", numbers.tokens(draft_server.SO_FAR)),
            ("g, guesses a pass", numbers.count(n_guesses)),
            ("α, an assumption, yours", f"{acceptance_percent} %"),
            ("a plain pass", numbers.ms(here.plain_s, 2)),
            ("the draft's passes", numbers.ms(here.drafting_s, 2)),
            ("the pass that checks", numbers.ms(here.checking_s, 2)),
            ("tokens a pass", UNKNOWN if is_hidden else f"{here.tokens:.2f}"),
        ),
        f"{draft_server.told_times(here.times)} times as fast",
        f"{cite_model('opt-125m')} {counted_from()}",
    )


def rush(n_guesses: int, acceptance_percent: int) -> Sum:
    """Return the sum behind Monday's times."""
    without, guessing = draft_monday.plain(), draft_monday.rush(n_guesses, acceptance_percent)
    blocks = [run.server.num_blocks(run.settings) for run in (without, guessing)]
    return Sum(
        "simulated",
        "Monday with guesses and without",
        "Two runs of Monday, pass by pass, by the engine: chunked, paged, 16 bits. Whether a guess is right is "
        "drawn for each customer and place of the reply once for all settings. Time per token = (last − first "
        "token) ÷ (tokens − 1).",
        (
            ("α, an assumption, yours", f"{acceptance_percent} %"),
            ("KV blocks without guesses", numbers.count(blocks[0])),
            ("with the draft model in memory", numbers.count(blocks[1])),
            ("on target without", numbers.count(draft_monday.on_target(without))),
        ),
        f"on target with guesses: {draft_monday.on_target(guessing)} of {len(guessing.requests)}",
        f"data/monday.csv, made for this module. {cite_model('opt-125m')} {counted_from()}",
    )
