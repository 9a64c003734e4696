"""Exact parameter counts of model families, from the keys of their `config.json`."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from sim.config import Config
from sim.families.counted import Counted
from sim.families.early import bloom, falcon, gpt2, gpt_neox, opt
from sim.families.experts import gpt_oss, mixtral, qwen3_moe, qwen3_vl_moe_text
from sim.families.latent import deepseek_v2
from sim.families.llama_like import gemma2, gemma3_text, llama, mistral, phi3, qwen2, qwen3, qwen3_vl_text
from sim.families.vision import gemma3_vision, qwen3_vision

__all__ = ["FAMILIES", "IMAGE_FAMILIES", "Counted", "ImageFamily"]


class ImageFamily(NamedTuple):
    """A language model with an image tower: the model_types of its parts, and the count of the tower."""

    text_type: str
    vision_type: str
    vision_params: Callable[[Config, int], int]


FAMILIES: Mapping[str, Callable[[Config], Counted]] = {
    "RefinedWebModel": falcon,
    "bloom": bloom,
    "deepseek_v2": deepseek_v2,
    "falcon": falcon,
    "gemma2": gemma2,
    "gemma3_text": gemma3_text,
    "gpt2": gpt2,
    "gpt_neox": gpt_neox,
    "gpt_oss": gpt_oss,
    "llama": llama,
    "mistral": mistral,
    "mixtral": mixtral,
    "opt": opt,
    "phi3": phi3,
    "qwen2": qwen2,
    "qwen3": qwen3,
    "qwen3_moe": qwen3_moe,
    "qwen3_vl_moe_text": qwen3_vl_moe_text,
    "qwen3_vl_text": qwen3_vl_text,
}
IMAGE_FAMILIES: Mapping[str, ImageFamily] = {
    "gemma3": ImageFamily("gemma3_text", "siglip_vision_model", gemma3_vision),
    "qwen3_vl": ImageFamily("qwen3_vl_text", "qwen3_vl_vision", qwen3_vision),
    "qwen3_vl_moe": ImageFamily("qwen3_vl_moe_text", "qwen3_vl_moe_vision", qwen3_vision),
}
