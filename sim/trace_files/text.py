"""The text of a file, or a sentence about what the file is instead."""

import os
from pathlib import Path
from typing import BinaryIO

from sim import expect

MOST_BYTES = 2**30
BINARY_KINDS = {
    b"PK\x03\x04": "a zip archive or a spreadsheet; unpack it, or save the sheet as CSV",
    b"\x1f\x8b": "a gzip archive; unpack it",
    b"\x28\xb5\x2f\xfd": "a zstd archive; unpack it",
    b"BZh": "a bzip2 archive; unpack it",
    b"\xfd7zXZ": "an xz archive; unpack it",
    b"PAR1": "a Parquet file; save it as CSV",
    b"\x89PNG": "a PNG image; give the table itself",
    b"\xff\xd8\xff": "a JPEG image; give the table itself",
    b"GIF8": "a GIF image; give the table itself",
    b"%PDF": "a PDF; give the table itself",
    b"SQLite format 3": "an SQLite database; save its table as CSV",
}
TEXT_MARKS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}


def read_text(source: str | os.PathLike[str] | BinaryIO) -> str:
    """Return the text of a file, or of an open binary file; a byte order mark says UTF-16, else UTF-8.

    Raises ValueError saying what was there instead: nothing, a folder, something binary, a web page.
    """
    content = _read_path(Path(source)) if isinstance(source, str | os.PathLike) else _read_open(source)
    text = _decode(content)
    _refuse_other_text(text)
    return text


def _read_open(source: BinaryIO) -> bytes:
    content = source.read(MOST_BYTES + 1) if hasattr(source, "read") else None
    if not isinstance(content, bytes):
        raise ValueError(
            f"expected the path of a trace file, or one opened in binary mode, got {expect.shown(source)}."
        )
    _check_size(len(content))
    return content


def _read_path(path: Path) -> bytes:
    shown = expect.shown(str(path))
    try:
        if not path.is_file():
            found = "a folder" if path.is_dir() else "something else" if path.exists() else "nothing"
            raise ValueError(f"expected a file at {shown}, got {found}; give the path of a trace file.")
        _check_size(path.stat().st_size)
        return path.read_bytes()
    except OSError as error:
        raise ValueError(f"expected a file that can be read at {shown}, got: {error.strerror}.") from error


def _check_size(size_bytes: int) -> None:
    if size_bytes > MOST_BYTES:
        raise ValueError(f"expected a file of at most {MOST_BYTES:,} bytes, got more; give a part of it.")


def _decode(content: bytes) -> str:
    for start, kind in BINARY_KINDS.items():
        if content.startswith(start):
            raise ValueError(f"expected a text file with a trace (CSV, JSON or JSON Lines), got {kind}.")
    encoding = next((name for mark, name in TEXT_MARKS.items() if content.startswith(mark)), "utf-8")
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ValueError(
            f"expected UTF-8 text, got the byte {content[error.start]:#04x} in line {line:,}; save the file as "
            f"UTF-8, or give the table itself if it is no text."
        ) from error
    if "\0" in text:
        raise ValueError("expected a text file with a trace (CSV, JSON or JSON Lines), got binary data.")
    return text


def _refuse_other_text(text: str) -> None:
    start = text.lstrip()[:100].lower()
    if not start:
        raise ValueError("expected a trace with one request a row, got an empty file.")
    if start.startswith("<"):
        raise ValueError("expected a trace, got a web page or XML; download the raw file itself.")
    if start.startswith("version https://git-lfs"):
        raise ValueError("expected a trace, got a Git LFS pointer to one; download the file it points to.")
