"""What the two models have to reach, measured on documents that training never saw."""

from collections.abc import Sequence
from dataclasses import dataclass

from larkspur.corpus import Document, held_out_documents, read_intents
from larkspur.evaluation import acceptance, evaluate
from larkspur.generation import generate
from larkspur.model import Model

EXAMPLE_PROMPT = "We reply within five business"


@dataclass(frozen=True)
class Figure:
    """A measured value and what it has to reach: from `low` to `high`."""

    name: str
    value: float
    low: float = float("-inf")
    high: float = float("inf")

    @property
    def reached(self) -> bool:
        """Whether the value lies within its bounds."""
        return self.low <= self.value <= self.high


def measure(mini: Model, student: Model) -> list[Figure]:
    """Return all figures of both models; takes some seconds."""
    documents = held_out_documents()
    texts = [document.text for document in documents]
    questions = [document for document in documents if document.prompt]
    accepted = acceptance(mini, student, [mini.encode(question.prompt) for question in questions])
    ids = mini.encode(EXAMPLE_PROMPT)
    return [
        Figure("example: prompt tokens", len(ids), 7, 7),
        Figure("example: reply tokens", len(list(generate(mini, ids))), 7, 7),
        Figure("mini: held-out perplexity a token", evaluate(mini, texts).perplexity, high=1.50),
        Figure("mini: share of greedy replies on topic", on_topic(mini, questions), low=0.97),
        Figure("student: held-out perplexity a token", evaluate(student, texts).perplexity, high=2.6),
        Figure("student: acceptance, greedy", accepted.greedy, low=0.92),
        Figure("student: acceptance, temperature 1", accepted.sampled, low=0.77),
    ]


def on_topic(model: Model, questions: Sequence[Document]) -> float:
    """Return the share of questions whose greedy reply contains, word for word, an answer to their topic."""
    answers = {intent.topic: intent.answers for intent in read_intents()}
    return sum(
        any(answer in reply(model, question.prompt) for answer in answers[question.topic])
        for question in questions
    ) / len(questions)


def reply(model: Model, prompt: str) -> str:
    """Return the model's greedy reply to a prompt, as text."""
    return model.decode([step.token_id for step in generate(model, model.encode(prompt))])


def print_table(figures: Sequence[Figure]) -> bool:
    """Print the figures beside what they have to reach; return whether all do."""
    for figure in figures:
        bounds = f"{figure.low:g} to {figure.high:g}".replace("-inf to", "at most").replace(
            " to inf", " or more"
        )
        print(
            f"{figure.name:40} {figure.value:8.3f}   {bounds:12} {'reached' if figure.reached else 'MISSED'}"
        )
    return all(figure.reached for figure in figures)
