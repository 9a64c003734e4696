"""Larkspur mini, a tiny GPT-2 that really runs: NumPy only at run time."""

import larkspur.one_thread  # noqa: F401  before NumPy
from larkspur.cache import Cache
from larkspur.config import Config
from larkspur.evaluation import Acceptance, Evaluation, acceptance, evaluate
from larkspur.generation import Step, generate
from larkspur.held_out import held_out_texts
from larkspur.layer_error import LayerError, layer_errors
from larkspur.model import Model, load
from larkspur.prompts import Prompt, prompt
from larkspur.quantization import QuantizedModel, quantize
from larkspur.speculation import Round, Speculation, speculate

__all__ = [
    "Acceptance",
    "Cache",
    "Config",
    "Evaluation",
    "LayerError",
    "Model",
    "Prompt",
    "QuantizedModel",
    "Round",
    "Speculation",
    "Step",
    "acceptance",
    "evaluate",
    "generate",
    "held_out_texts",
    "layer_errors",
    "load",
    "prompt",
    "quantize",
    "speculate",
]
