"""Larkspur's corpus: seeded documents, most of them a customer's question and our answer."""

import hashlib
from dataclasses import dataclass

import numpy as np

from larkspur.corpus.intents import Intent, read_intents
from larkspur.corpus.phrasing import below, chance, hurried, skewed, wording

N_DOCUMENTS = 60_000
SEED = 13
STATEMENT_SHARE = 0.16
EMAIL_SHARE = 0.08
NOISY_SHARE = 0.4
CLOSING_SHARE = 0.2
QUESTION_RATIO = 0.85
KEYWORDS_SHARE = 0.03
ANSWER_RATIO = 0.15  # skewed: equal odds would make greedy decoding a coin toss
HELD_OUT_BYTES = 8  # of the 256 values of a digest's first byte: one text in 32
# Between question and answer: the rare ones are a blank or a line break that the customer left behind.
SEPARATORS, SEPARATOR_RATIO = (" ", "  ", "\n"), 0.03
GREETINGS, GREETING_RATIO = ("", "Hello! ", "Hi! "), 0.08
CLOSINGS, CLOSING_RATIO = ("Please write to us if you need more help.", "Have a nice day!"), 0.25


@dataclass(frozen=True)
class Document:
    """A text of the corpus; `prompt` is the part that a customer wrote, empty if none did."""

    text: str
    prompt: str
    topic: str

    def __post_init__(self) -> None:
        if not self.text.startswith(self.prompt):
            raise ValueError(
                f"expected a text that starts with its prompt {self.prompt!r}, got {self.text!r}; fix one"
            )

    @property
    def held_out(self) -> bool:
        """Whether this text is kept from training: decided by its own digest, so all copies go together."""
        return hashlib.blake2b(self.text.encode()).digest()[0] < HELD_OUT_BYTES


def generate_documents(n_documents: int = N_DOCUMENTS, seed: int = SEED) -> list[Document]:
    """Return documents, those held out among them; the same seed gives the same bytes."""
    rng = np.random.default_rng(seed)
    intents = read_intents()
    return [document(rng, intents[below(rng, len(intents))]) for _ in range(n_documents)]


def training_texts(n_documents: int = N_DOCUMENTS, seed: int = SEED) -> list[str]:
    """Return the texts that models and tokenizer are trained on, repeats kept."""
    return [document.text for document in generate_documents(n_documents, seed) if not document.held_out]


def held_out_documents(n_documents: int = N_DOCUMENTS, seed: int = SEED) -> list[Document]:
    """Return the documents that training never sees, each once, in the order they were drawn."""
    drawn = generate_documents(n_documents, seed)
    return list({document.text: document for document in drawn if document.held_out}.values())


def document(rng: np.random.Generator, intent: Intent) -> Document:
    """Return a statement, a short e-mail or (mostly) a question with its answer."""
    kind = rng.random()
    if kind < STATEMENT_SHARE:
        return Document(skewed(rng, intent.answers, ANSWER_RATIO), "", intent.topic)
    if kind < STATEMENT_SHARE + EMAIL_SHARE:
        return Document(email(rng, intent), "", intent.topic)
    prompt = question(rng, intent)
    return Document(
        prompt + skewed(rng, SEPARATORS, SEPARATOR_RATIO) + answer(rng, intent), prompt, intent.topic
    )


def question(rng: np.random.Generator, intent: Intent) -> str:
    """Return a question of this intent, often typed in a hurry."""
    if chance(rng, KEYWORDS_SHARE):
        return intent.topic.removeprefix("your ").removeprefix("our ").removeprefix("the ").capitalize()
    asked = wording(rng, skewed(rng, intent.questions, QUESTION_RATIO))
    greeted = skewed(rng, GREETINGS, GREETING_RATIO) + asked
    return hurried(rng, greeted) if chance(rng, NOISY_SHARE) else greeted


def answer(rng: np.random.Generator, intent: Intent) -> str:
    """Return an answer to this intent, sometimes with a closing sentence."""
    sentence = skewed(rng, intent.answers, ANSWER_RATIO)
    return f"{sentence} {skewed(rng, CLOSINGS, CLOSING_RATIO)}" if chance(rng, CLOSING_SHARE) else sentence


def email(rng: np.random.Generator, intent: Intent) -> str:
    """Return a short e-mail of ours about this intent."""
    return (
        f"Dear customer,\nthank you for your email about {intent.topic}. {answer(rng, intent)}\n"
        "Kind regards,\nLarkspur Supply Co."
    )
