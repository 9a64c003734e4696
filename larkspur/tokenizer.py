"""Larkspur's tokenizer: byte-level BPE (Sennrich et al. 2016, arXiv 1508.07909)."""

import json
import re
from collections.abc import Sequence
from pathlib import Path

import tokenizers

END_OF_TEXT = "<|endoftext|>"
END_OF_TEXT_ID = 0
LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class Tokenizer:
    """Text to token ids and back; a marker written in a text is text, never the marker."""

    def __init__(self, path: Path) -> None:
        self._tokenizer = tokenizers.Tokenizer.from_file(str(path))
        self._tokenizer.encode_special_tokens = True  # as plain text

    def encode(self, text: str) -> list[int]:
        """Return the start marker and the text's token ids; lone surrogates are read as U+FFFD."""
        ids: list[int] = self._tokenizer.encode(LONE_SURROGATE.sub("\ufffd", text)).ids
        return ids

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of the ids without markers; bytes that are no UTF-8 become U+FFFD."""
        return b"".join(self.token_bytes(token_id) for token_id in ids).decode("utf-8", "replace")

    def token_bytes(self, token_id: int) -> bytes:
        """Return the bytes that a token stands for: none for the marker, maybe a part of a character."""
        if token_id == END_OF_TEXT_ID:
            return b""
        return bytes(BYTE_OF_LETTER[letter] for letter in self._token(token_id))

    def token_text(self, token_id: int) -> str:
        r"""Return a token as a chip shows it; bytes that are no whole character look like `\xf0\x9f`."""
        if token_id == END_OF_TEXT_ID:
            return END_OF_TEXT
        return self.token_bytes(token_id).decode("utf-8", "backslashreplace")

    def merges(self) -> list[tuple[int, int, int]]:
        """Return the merges in the order they apply: the ids of left part, right part and whole."""
        model = json.loads(self._tokenizer.to_str())["model"]
        ids: dict[str, int] = model["vocab"]
        return [(ids[left], ids[right], ids[left + right]) for left, right in model["merges"]]

    def _token(self, token_id: int) -> str:
        token: str | None = self._tokenizer.id_to_token(token_id) if token_id >= 0 else None
        if token is None:
            n_vocab = self._tokenizer.get_vocab_size()
            raise ValueError(
                f"expected a token id from 0 to {n_vocab - 1}, got {token_id}; take it from encode"
            )
        return token


def letters_of_bytes() -> dict[str, int]:
    """Return the byte behind each letter of a byte-level vocabulary: printable bytes are themselves."""
    printable = [byte for first, last in ("!~", "¡¬", "®ÿ") for byte in range(ord(first), ord(last) + 1)]
    others = [byte for byte in range(256) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(256 + i): byte for i, byte in enumerate(others)}


BYTE_OF_LETTER = letters_of_bytes()
