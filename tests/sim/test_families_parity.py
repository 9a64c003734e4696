"""Where Hugging Face's transformers is installed, its models have as many parameters as are counted here."""

import inspect

import pytest

from sim import ModelShape
from sim.config import DEFAULTS
from tests.sim.tiny_configs import TINY, tiny

torch = pytest.importorskip("torch", reason="torch and transformers are not installed")
transformers = pytest.importorskip("transformers", reason="torch and transformers are not installed")

OURS_ALONE = {"RefinedWebModel"}  # transformers calls it falcon
IMAGES = {"gemma3", "qwen3_vl", "qwen3_vl_moe"}
NOT_PUBLISHED_THERE = {"moe_layer_freq", "sliding_window_pattern"}  # read from where the models are published
ENDS = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}


def built(model_type):
    """Return the model that transformers builds, with no memory for its weights."""
    keys = {key: value for key, value in tiny(model_type).items() if key != "model_type"}
    if model_type in IMAGES:
        keys["text_config"] = keys["text_config"] | ENDS
    config = transformers.CONFIG_MAPPING[model_type](**(keys | ({} if model_type in IMAGES else ENDS)))
    kind = (
        transformers.AutoModelForImageTextToText
        if model_type in IMAGES
        else transformers.AutoModelForCausalLM
    )
    with torch.device("meta"):
        model = kind.from_config(config)
    model.tie_weights()
    return model


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("model_type", sorted(set(TINY) - OURS_ALONE))
def test_transformers_builds_as_many_parameters(model_type):
    shape = ModelShape.from_config(tiny(model_type))
    theirs = sum(
        numbers.numel() for numbers in {id(one): one for one in built(model_type).parameters()}.values()
    )
    assert shape.params + shape.vision_params == theirs


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("model_type", sorted(set(DEFAULTS) & set(transformers.CONFIG_MAPPING)))
def test_our_table_of_defaults_is_that_of_transformers(model_type):
    kind = transformers.CONFIG_MAPPING[model_type]
    built_without_keys, signature = kind(), inspect.signature(kind).parameters
    for key in set(DEFAULTS[model_type]["keys"]) - NOT_PUBLISHED_THERE:
        asked = signature[key].default if key in signature else None
        kept = getattr(built_without_keys, key)  # differs where a flag switches the key off
        stated = [list(value) if isinstance(value, tuple) else value for value in (asked, kept)]
        assert DEFAULTS[model_type]["keys"][key] in stated, key
