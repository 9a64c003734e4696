"""Rows of token ids to train on: mostly one document a row, some rows packed to the whole context."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.int64]
PAD = -100  # stands behind short rows; no loss is counted there
PACKED_SHARE = 0.06
SORTED_TOGETHER = 64  # few: documents of one length are often of one topic, and a batch needs many


def batches(documents: Sequence[Ids], tokens_per_step: int, n_ctx: int, seed: int) -> Iterator[Ids]:
    """Yield [n_rows, n_tokens + 1] ids without end, at most `tokens_per_step` predictions in each.

    A document is its ids from the start marker to the end marker.
    """
    rng = np.random.default_rng(seed)
    while True:
        order = rng.permutation(len(documents))
        n_packed = int(PACKED_SHARE * len(documents))
        epoch = packed_batches([documents[i] for i in order[:n_packed]], tokens_per_step, n_ctx)
        for start in range(n_packed, len(order), SORTED_TOGETHER):
            group = [documents[i] for i in order[start : start + SORTED_TOGETHER]]
            epoch += padded_batches(sorted(group, key=len), tokens_per_step)
        yield from (epoch[i] for i in rng.permutation(len(epoch)))


def packed_batches(documents: Sequence[Ids], tokens_per_step: int, n_ctx: int) -> list[Ids]:
    """Return batches of rows that fill the context, documents one behind the other."""
    stream = np.concatenate(
        [document[:-1] for document in documents]
    )  # one marker ends one and starts the next
    n_rows = tokens_per_step // n_ctx
    size = n_rows * (n_ctx + 1)
    return [stream[i : i + size].reshape(n_rows, n_ctx + 1) for i in range(0, len(stream) - size + 1, size)]


def padded_batches(documents: Sequence[Ids], tokens_per_step: int) -> list[Ids]:
    """Return batches of one document a row; the documents come sorted by length."""
    result, rows = [], list(documents[:1])
    for document in documents[1:]:
        if (len(rows) + 1) * (len(document) - 1) > tokens_per_step:
            result.append(padded(rows))
            rows = []
        rows.append(document)
    return [*result, padded(rows)]


def padded(rows: Sequence[Ids]) -> Ids:
    """Return the rows as one array, [n_rows, longest], PAD behind the short ones."""
    result = np.full((len(rows), max(map(len, rows))), PAD)
    for place, row in enumerate(rows):
        result[place, : len(row)] = row
    return result
