"""Larkspur mini, a tiny GPT-2 that really runs: NumPy only at run time."""

import larkspur.one_thread  # noqa: F401  before NumPy
from larkspur.cache import Cache
from larkspur.config import Config
from larkspur.evaluation import Acceptance, Evaluation, acceptance, evaluate
from larkspur.generation import Step, generate
from larkspur.model import Model, load
from larkspur.prompts import Prompt, prompt

__all__ = [
    "Acceptance",
    "Cache",
    "Config",
    "Evaluation",
    "Model",
    "Prompt",
    "Step",
    "acceptance",
    "evaluate",
    "generate",
    "load",
    "prompt",
]
