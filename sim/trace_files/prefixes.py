"""Prompts that begin as earlier ones did: what a prefix cache could have spared (Mooncake, arXiv 2407.00079)."""

from typing import Any

BLOCK_TOKENS = 512


class PrefixHits:
    """Counts the blocks of prompts, and those that lead a prompt and stood in an earlier one."""

    def __init__(self) -> None:
        self.seen: set[Any] = set()
        self.blocks = self.hits = 0

    def add(self, hash_ids: object) -> None:
        """Count the blocks of the next prompt, in the order of the file; None where it names none."""
        if not isinstance(hash_ids, list) or not all(isinstance(block, int) for block in hash_ids):
            return
        self.blocks += len(hash_ids)
        for block in hash_ids:
            if block not in self.seen:
                break
            self.hits += 1
        self.seen.update(hash_ids)

    def remarks(self) -> list[str]:
        """Return what a prefix cache would have held already, which a trace computes anew."""
        if not self.blocks:
            return []
        return [
            f"Prefix hits are ignored: {self.hits:,} of {self.blocks:,} blocks of {BLOCK_TOKENS} prompt tokens "
            f"({self.hits / self.blocks:.1%}) repeat how an earlier prompt began; here every prompt is computed in "
            f"full."
        ]
