"""From a whole `config.json` to counts: whose family it is, and where its keys stand."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from sim import expect
from sim.config import DEFAULTS, Config
from sim.families import FAMILIES, IMAGE_FAMILIES, ImageFamily
from sim.families.counted import Counted


class Result(NamedTuple):
    """The counts of a model, and the keys that the published defaults of its family filled."""

    counted: Counted
    from_defaults: tuple[str, ...]


def count(config: Mapping[str, Any]) -> Result:
    """Return the counts of the language model that a `config.json` describes, and of its image tower.

    Raises ValueError naming an unknown model_type, or the key that is missing or makes no sense.
    """
    if not isinstance(config, Mapping):
        raise ValueError(f"expected the keys of a config.json as a dictionary, got {expect.shown(config)}.")
    model_type = config.get("model_type")
    family = IMAGE_FAMILIES.get(model_type) if isinstance(model_type, str) else None
    result = _language_model(config) if family is None else _with_images(config, family)
    return result._replace(counted=result.counted._replace(quant_method=_quant_method(config)))


def _language_model(config: Mapping[str, Any], place: str = "") -> Result:
    model_type = config.get("model_type")
    if not isinstance(model_type, str) or model_type not in FAMILIES:
        raise ValueError(_unknown(model_type, nested="text_config" in config))
    reader = Config(config, DEFAULTS[model_type]["keys"], place)
    return Result(FAMILIES[model_type](reader), tuple(dict.fromkeys(reader.from_defaults)))


def _with_images(config: Mapping[str, Any], family: ImageFamily) -> Result:
    """Return the counts of a model whose language model stands under `text_config`.

    The outer `tie_word_embeddings` decides, then the inner one, then the outer default.
    """
    outer = Config(config, DEFAULTS[config["model_type"]]["keys"])
    text = {"model_type": family.text_type} | dict(_part(config, "text_config"))
    _check_part("text_config", text, (family.text_type,))
    if "tie_word_embeddings" in config or "tie_word_embeddings" not in text:
        text["tie_word_embeddings"] = outer.flag("tie_word_embeddings")
    counted, from_defaults = _language_model(text, "text_config.")
    vision = _part(config, "vision_config")
    _check_part("vision_config", vision, (family.vision_type, config["model_type"]))
    images = Config(vision, DEFAULTS[family.vision_type]["keys"], "vision_config.")
    vision_params = family.vision_params(images, counted.hidden_size)
    filled = (*outer.from_defaults, *from_defaults, *dict.fromkeys(images.from_defaults))
    return Result(counted._replace(vision_params=vision_params), filled)


def _part(config: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    part = config.get(key)
    if not isinstance(part, Mapping):
        raise ValueError(
            f"{key}: expected the keys of this part of the model as a dictionary, got {expect.shown(part)}."
        )
    return part


def _check_part(key: str, part: Mapping[str, Any], known: tuple[str, ...]) -> None:
    """Raise ValueError where a part names a model_type that is not its family's."""
    model_type = part.get("model_type", known[0])
    if model_type not in known:
        raise ValueError(
            f"{key}.model_type: expected {' or '.join(map(repr, known))} inside this model_type, got "
            f"{expect.shown(model_type)}."
        )


def _quant_method(config: Mapping[str, Any]) -> str | None:
    quantization = config.get("quantization_config")
    method = quantization.get("quant_method") if isinstance(quantization, Mapping) else None
    return None if method is None else str(method)


def _unknown(model_type: object, nested: bool) -> str:
    known = ", ".join(sorted({*FAMILIES, *IMAGE_FAMILIES}))
    hint = " The keys of its text_config alone may do." if nested else ""
    return f"model_type: expected one of those known ({known}), got {expect.shown(model_type)}.{hint}"
