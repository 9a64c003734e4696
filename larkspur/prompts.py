"""From what a reader types to what the model reads, with notes on whatever had to change."""

from dataclasses import dataclass

from larkspur.model import Model
from larkspur.tokenizer import LONE_SURROGATE

MAX_PROMPT_TOKENS = 192  # the start marker counted; of 256, 64 stay for the reply


@dataclass(frozen=True)
class Prompt:
    """Token ids that begin with the start marker, and a sentence for each change made to the text."""

    ids: tuple[int, ...]
    notes: tuple[str, ...]

    def __post_init__(self) -> None:
        if not 2 <= len(self.ids) <= MAX_PROMPT_TOKENS:
            raise ValueError(
                f"expected 2 to {MAX_PROMPT_TOKENS} ids, got {len(self.ids)}; make prompts with prompt()"
            )


def prompt(model: Model, text: str) -> Prompt:
    """Return the ids that the model reads for a reader's text; ValueError if there is no text.

    A longer text keeps its last tokens behind the start marker; lone surrogates become U+FFFD.
    """
    if not text.strip():
        raise ValueError(
            "expected some text, got an empty prompt; type a question such as: Where is my order?"
        )
    ids, notes = model.encode(text), []
    if strange := len(LONE_SURROGATE.findall(text)):
        notes.append(f"Half a character ({strange} in all) cannot be read; each became the sign \ufffd.")
    if len(ids) > MAX_PROMPT_TOKENS:
        notes.append(
            f"The text has {len(ids):,} tokens; only its end is read: the start marker and the last "
            f"{MAX_PROMPT_TOKENS - 1} tokens, so that there is room for the reply."
        )
        ids = [ids[0], *ids[1 - MAX_PROMPT_TOKENS :]]
    return Prompt(tuple(ids), tuple(notes))
