"""Reading a Hugging Face `config.json`: its keys, and the published defaults of keys it leaves out."""

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sim import expect

DATA = Path(__file__).resolve().parent.parent / "data"
DEFAULTS: Mapping[str, Mapping[str, Any]] = tomllib.loads(
    (DATA / "config_defaults.toml").read_text(encoding="utf-8")
)


class Config:
    """The keys of one model; `from_defaults` lists those that had to come from published defaults.

    A key may go by several names, of which the first has the default. `place` ("text_config.") is said
    before the names of keys that are nested.
    """

    def __init__(self, keys: Mapping[str, Any], defaults: Mapping[str, Any], place: str = "") -> None:
        self.keys = keys
        self.defaults = defaults
        self.place = place
        self.from_defaults: list[str] = []

    def whole(self, *names: str, least: int = 1, most: int = expect.LARGEST_COUNT) -> int:
        """Return a whole number from `least` to `most`, or raise ValueError naming the key."""
        value = self._value(names)
        return expect.whole(self.place + names[0], value, least, most)

    def whole_or(self, key: str, otherwise: int) -> int:
        """Return a positive whole number; `otherwise` where the key is null, or missing and null by default."""
        if self.keys.get(key, self.defaults.get(key)) is not None:
            return self.whole(key)
        if key not in self.keys:
            self.from_defaults.append(self.place + key)
        return otherwise

    def flag(self, key: str) -> bool:
        """Return true or false, or raise ValueError naming the key."""
        value = self._value((key,))
        if not isinstance(value, bool):
            raise ValueError(f"{self.place}{key}: expected true or false, got {expect.shown(value)}.")
        return value

    def words(self, key: str, known: Sequence[str]) -> list[str] | None:
        """Return a list of `known` words, None where the key is null or missing."""
        value = self.keys.get(key)
        if value is None:
            return None
        return [expect.one_of(self.place + key, word, known) for word in self._list(key, value)]

    def wholes(self, key: str) -> list[int]:
        """Return a list of whole numbers from 0, empty where the key is null."""
        value = self._value((key,))
        numbers = [] if value is None else self._list(key, value)
        return [expect.whole(self.place + key, number, least=0) for number in numbers]

    def refuse(self, key: str, *, unless: object) -> None:
        """Raise ValueError where a key is there and says something that is not counted here."""
        if self.keys.get(key, unless) != unless:
            raise ValueError(
                f"{self.place}{key}: expected {unless!r}, got {expect.shown(self.keys[key])}, which is not "
                f"counted for this model_type."
            )

    def _list(self, key: str, value: object) -> list[Any]:
        if not isinstance(value, list):
            raise ValueError(f"{self.place}{key}: expected a list, got {expect.shown(value)}.")
        return value

    def _value(self, names: Sequence[str]) -> Any:
        given = {self.place + name: self.keys[name] for name in names if name in self.keys}
        if len({repr(value) for value in given.values()}) > 1:
            raise ValueError(
                f"{' and '.join(given)}: expected one value, as they name one thing, got {expect.shown(given)}."
            )
        if given:
            return next(iter(given.values()))
        if names[0] not in self.defaults:
            raise ValueError(
                f"{self.place}{names[0]}: expected this key in the config.json, got none, and no default is "
                f"published for model_type {self.keys.get('model_type')!r}; add the key."
            )
        self.from_defaults.append(self.place + names[0])
        return self.defaults[names[0]]
