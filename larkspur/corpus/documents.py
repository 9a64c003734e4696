"""Larkspur's corpus: seeded documents, most of them a customer's question and our answer."""

import hashlib
from dataclasses import dataclass

import numpy as np

from larkspur.corpus.intents import Intent, read_intents
from larkspur.corpus.phrasing import chance, hurried, pick, skewed

N_DOCUMENTS = 60_000
SEED = 13
STATEMENT_SHARE = 0.20
EMAIL_SHARE = 0.08
NOISY_SHARE = 0.4
CLOSING_SHARE = 0.2
# Bare keywords, greetings and thanks are left out: with them between question and answer, a model of this size
# missed the topic of one held-out question in five (0.80 against 0.99 on topic).
KEYWORDS_SHARE = 0.0
ANSWER_RATIO = 0.15  # skewed: equal odds would make greedy decoding a coin toss
HELD_OUT_BYTES = 8  # of the 256 values of a digest's first byte: one text in 32
HELD_OUT_SALT = b"55"  # gives statements and e-mails the share of held-out documents that they have of all
# Between question and answer.
SEPARATORS, SEPARATOR_RATIO = (" ",), 1.0
GREETINGS = ("Hello! ", "Hi! ", "Hi there! ", "Hello team! ", "Good morning! ", "A quick question. ")
THANKS = (" Thanks!", " Thank you!", " Thanks in advance.", " Please help.", " Please let me know.")
GREETING_SHARE = THANKS_SHARE = 0.0
GREETED = ("Hello", "Hi", "Hey", "Good ")  # questions that begin like this need neither
CLOSINGS = ("Please write to us if you need more help.", "Reply to us if you need more help.")
CLOSING_RATIO = 0.25
SAMPLED = 3  # of the different held-out texts, one in so many: enough to measure on while a reader waits


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
        return hashlib.blake2b(self.text.encode(), salt=HELD_OUT_SALT).digest()[0] < HELD_OUT_BYTES


def generate_documents(n_documents: int = N_DOCUMENTS, seed: int = SEED) -> list[Document]:
    """Return documents, those held out among them; the same seed gives the same bytes."""
    rng = np.random.default_rng(seed)
    intents = read_intents()
    return [document(rng, pick(rng, intents)) for _ in range(n_documents)]


def training_texts(n_documents: int = N_DOCUMENTS, seed: int = SEED) -> list[str]:
    """Return the texts that models and tokenizer are trained on, repeats kept."""
    return [document.text for document in generate_documents(n_documents, seed) if not document.held_out]


def held_out_documents(n_documents: int = N_DOCUMENTS, seed: int = SEED) -> list[Document]:
    """Return the documents that training never sees, as often and in the order they were drawn."""
    return [document for document in generate_documents(n_documents, seed) if document.held_out]


def held_out_sample() -> list[str]:
    """Return some of the different held-out texts, in the order they were first drawn."""
    return list(dict.fromkeys(document.text for document in held_out_documents()))[::SAMPLED]


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
    """Return a question of this intent or just its topic, often typed in a hurry."""
    asked = keywords(intent) if chance(rng, KEYWORDS_SHARE) else pick(rng, intent.questions)
    polite = asked if asked.startswith(GREETED) else with_manners(rng, asked)
    return hurried(rng, polite) if chance(rng, NOISY_SHARE) else polite


def keywords(intent: Intent) -> str:
    """Return the topic as somebody types it into a search box."""
    return intent.topic.removeprefix("your ").removeprefix("our ").removeprefix("the ").capitalize()


def with_manners(rng: np.random.Generator, asked: str) -> str:
    """Return the question with a greeting before it and thanks behind it, or one of them, or neither."""
    greeting = pick(rng, GREETINGS) if chance(rng, GREETING_SHARE) else ""
    thanks = pick(rng, THANKS) if chance(rng, THANKS_SHARE) else ""
    return greeting + asked + thanks


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
