"""Layers that see only the last tokens: sliding-window attention (arXiv 2004.05150)."""

from typing import NamedTuple

from sim.config import Config

LAYER_TYPES = ("full_attention", "sliding_attention")


class Window(NamedTuple):
    """How many tokens the windowed layers keep, and how many layers those are."""

    window_tokens: int | None = None
    window_layers: int = 0


def window(config: Config, num_layers: int, otherwise: int) -> Window:
    """Return the window; `layer_types`, where given, says which layers have it, else `otherwise` of them."""
    tokens = config.whole_or("sliding_window", 0)
    kinds = config.words("layer_types", LAYER_TYPES)
    if kinds is not None and len(kinds) != num_layers:
        raise ValueError(
            f"{config.place}layer_types: expected one for each of {num_layers:,} layers, got {len(kinds):,}."
        )
    layers = otherwise if kinds is None else kinds.count("sliding_attention")
    return Window(tokens, layers) if tokens and layers else Window()


def window_if_used(config: Config, num_layers: int, otherwise: int) -> Window:
    """Return the window unless `use_sliding_window` is false: a size alone does not turn it on."""
    return window(config, num_layers, otherwise) if config.flag("use_sliding_window") else Window()
