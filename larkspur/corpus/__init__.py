"""The texts that Larkspur mini is trained on; never imported by the app."""

from larkspur.corpus.documents import (
    Document,
    generate_documents,
    held_out_documents,
    held_out_sample,
    training_texts,
)
from larkspur.corpus.intents import Intent, read_intents

__all__ = [
    "Document",
    "Intent",
    "generate_documents",
    "held_out_documents",
    "held_out_sample",
    "read_intents",
    "training_texts",
]
