"""Reading a Hugging Face `config.json`: its keys, and the published defaults of keys it leaves out."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sim import expect

DATA = Path(__file__).resolve().parent.parent / "data"
DEFAULTS: Mapping[str, Mapping[str, Any]] = tomllib.loads(
    (DATA / "config_defaults.toml").read_text(encoding="utf-8")
)


class Config:
    """The keys of one model; `from_defaults` lists those that had to come from published defaults."""

    def __init__(self, keys: Mapping[str, Any], defaults: Mapping[str, Any]) -> None:
        self.keys = keys
        self.defaults = defaults
        self.from_defaults: list[str] = []

    def _value(self, key: str) -> Any:
        if key in self.keys:
            return self.keys[key]
        if key not in self.defaults:
            raise ValueError(
                f"{key}: expected this key in the config.json, got none, and no default is published for "
                f"model_type {self.keys.get('model_type')!r}; add the key."
            )
        self.from_defaults.append(key)
        return self.defaults[key]

    def whole(self, key: str) -> int:
        """Return a positive whole number, or raise ValueError naming the key."""
        value = self._value(key)
        expect.whole(key, value)
        return int(value)

    def whole_or(self, key: str, otherwise: int) -> int:
        """Return a positive whole number; `otherwise` where the key is null or missing, as published."""
        if self.keys.get(key) is not None:
            return self.whole(key)
        self.from_defaults.append(key)
        return otherwise

    def flag(self, key: str) -> bool:
        """Return true or false, or raise ValueError naming the key."""
        value = self._value(key)
        if not isinstance(value, bool):
            raise ValueError(f"{key}: expected true or false, got {value!r}.")
        return value
