"""The two models and what they are tried on."""

import pytest

from larkspur import Model, load
from larkspur.corpus import Document, held_out_documents


@pytest.fixture(scope="session")
def mini() -> Model:
    return load("mini")


@pytest.fixture(scope="session")
def student() -> Model:
    return load("student")


@pytest.fixture(scope="session")
def held_out() -> list[Document]:
    return held_out_documents()
