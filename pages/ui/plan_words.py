"""Settings in words: short enough for a row of a table or a chart, in the words of the page's knobs."""

from dataclasses import replace

from pages.ui.monday_knobs import LAYOUT, NO_ROOM, SCHEDULER
from sim import Settings, monday

NO_BUDGET = ("request-level", "iteration-level")
SCHEDULERS = {
    "chunked": "prompts are read in pieces, at most {budget} tokens a pass together with what others write",
    "prefill-first": "a new prompt is read first and whole while others wait; short prompts share a pass of at most "
    "{budget} tokens, a longer one has a pass to itself",
    "iteration-level": "after every pass it is decided anew who is in the batch, and prompts are read whole",
    "request-level": "a batch is filled, and the next begins when the last reply of this one is done",
}
LAYOUTS = {
    "paged": "memory is handed out in blocks as it is needed",
    "reserve-exact": "each customer's memory is reserved in one piece, exactly as long as the reply turns out",
    "reserve-pow2": "each customer's memory is reserved in one piece, for the reply rounded up to a power of two",
    "reserve-max": "each customer's memory is reserved in one piece, for the longest text there may be",
}
SWAPPED = "move to the host"  # no value of the page's knob, but of the engine's


def taken(settings: Settings) -> Settings:
    """Return settings with no more seats than Monday has customers: more are never taken, and change nothing."""
    return replace(settings, max_num_seqs=min(settings.max_num_seqs, len(monday())))


def as_told(name: str, settings: Settings) -> Settings:
    """Return settings as they are told under a name, or several: the search's with no more seats than are taken."""
    is_searched = any(
        each.startswith(("the best", "the steadiest", "the answer")) for each in name.split(", ")
    )
    return taken(settings) if is_searched else settings


def in_words(settings: Settings) -> str:
    """Return settings as a reader compares them: in pieces · memory: paged · 24 seats · 2,048 tokens a pass · …."""
    memory = f"memory: {LAYOUT.word_of(settings)}"
    parts = [SCHEDULER.word_of(settings), memory, f"{settings.max_num_seqs:,} seats"]
    if settings.scheduler not in NO_BUDGET:
        parts.append(f"{settings.max_num_batched_tokens:,} tokens a pass")
    parts.append(f"{settings.weight_bits} bits")
    parts.append(guesses(settings.num_speculative_tokens))
    if settings.kv_layout == "paged" and settings.preemption != "recompute":
        parts.append(f"when memory runs out: {NO_ROOM.words.get(settings.preemption, SWAPPED)}")
    return " · ".join(parts)


def guesses(count: int) -> str:
    """Return how many tokens are guessed ahead: no guessing, 1 guess, 3 guesses."""
    if count == 0:
        return "no guessing"
    return f"{count} guess{'es' * (count != 1)}"


def plainly(settings: Settings) -> str:
    """Return settings as a sentence for somebody who has never seen one."""
    seats, budget = f"{settings.max_num_seqs:,}", f"{settings.max_num_batched_tokens:,}"
    parts = [f"Up to {seats} customers at once", SCHEDULERS[settings.scheduler].format(budget=budget)]
    parts.append(LAYOUTS[settings.kv_layout])
    if settings.weight_bits == 16:
        parts.append("the model's numbers are stored as published, in 16 bits")
    else:
        parts.append(f"the model's numbers are rounded from 16 to {settings.weight_bits} bits")
    if settings.num_speculative_tokens > 0:
        ahead = guesses(settings.num_speculative_tokens)
        parts.append(f"a small model makes {ahead} ahead, which the big one checks")
    return "; ".join(parts) + "."
