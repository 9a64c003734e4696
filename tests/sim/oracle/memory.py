"""KV memory: whole blocks, taken one by one (paged) or reserved in one piece at the lowest address."""

from sim import Settings
from tests.sim.oracle.sequence import Sequence


def blocks_for(tokens: int, block_size: int) -> int:
    """Return the whole blocks that hold `tokens` tokens."""
    return (tokens + block_size - 1) // block_size


def promised_tokens(sequence: Sequence, settings: Settings) -> int:
    """Return the tokens that memory must hold for a request: the reservation, or (paged) those of its end."""
    if settings.kv_layout == "reserve-max":
        return settings.max_model_len
    if settings.kv_layout == "reserve-pow2":
        power = 1
        while power < sequence.output_tokens:
            power *= 2
        return min(sequence.prompt_tokens + power, settings.max_model_len)
    return sequence.final_tokens


def rejection(sequence: Sequence, settings: Settings, num_blocks: int) -> str:
    """Return why a request can never be served, with the numbers; empty if it can."""
    total = sequence.prompt_tokens + sequence.output_tokens
    if total > settings.max_model_len:
        return f"too long: {total} tokens > {settings.max_model_len}"
    blocks = blocks_for(promised_tokens(sequence, settings), settings.block_size)
    return f"too big: {blocks} blocks > {num_blocks}" if blocks > num_blocks else ""


class Memory:
    """The blocks of one server and who holds how many of them; `neighbors`: reservations are one piece."""

    def __init__(self, num_blocks: int, settings: Settings, neighbors: bool = True) -> None:
        self.num_blocks = num_blocks
        self.settings = settings
        self.neighbors = neighbors
        self.paged = settings.kv_layout == "paged"
        # promised on entry to the end, so that nobody is ever preempted
        self.promises = settings.scheduler == "request-level" or settings.preemption == "none"
        self.free = num_blocks
        self.held: dict[Sequence, int] = {}

    def needs(self, sequence: Sequence, tokens: int) -> int:
        """Return the blocks that are missing before `sequence` can compute `tokens` more."""
        wanted = blocks_for(sequence.computed + tokens, self.settings.block_size)
        return max(0, wanted - self.held.get(sequence, 0))

    def promised(self, sequence: Sequence) -> int:
        """Return the blocks of the reservation, or those held at the end."""
        return blocks_for(promised_tokens(sequence, self.settings), self.settings.block_size)

    def fits(self, sequence: Sequence) -> bool:
        """Return whether a request may enter now."""
        if not self.paged:
            return self.lowest_hole(self.promised(sequence)) is not None
        if self.promises:
            return sum(map(self.promised, self.held)) + self.promised(sequence) <= self.num_blocks
        present = sequence.prompt_tokens + sequence.written
        return blocks_for(present, self.settings.block_size) <= self.free

    def enter(self, sequence: Sequence, tokens: int) -> None:
        """Give an entering request the blocks of its first `tokens`, or its reservation."""
        if self.paged:
            self.take(sequence, self.needs(sequence, tokens))
            return
        hole = self.lowest_hole(self.promised(sequence))
        assert hole is not None, "entered without room"
        sequence.first_block = hole
        self.take(sequence, self.promised(sequence))

    def lowest_hole(self, blocks: int) -> int | None:
        """Return the lowest address from which `blocks` neighbors are free, or None.

        Where reservations need not be one piece, any free blocks will do, at no address.
        """
        if not self.neighbors:
            return -1 if blocks <= self.free else None
        address = 0
        for holder in sorted(self.held, key=lambda sequence: sequence.first_block):
            if holder.first_block - address >= blocks:
                return address
            address = holder.first_block + self.held[holder]
        return address if self.num_blocks - address >= blocks else None

    def take(self, sequence: Sequence, blocks: int) -> None:
        """Hand `blocks` more blocks to `sequence`."""
        assert blocks <= self.free, "took a block that is not there"
        self.free -= blocks
        self.held[sequence] = self.held.get(sequence, 0) + blocks

    def release(self, sequence: Sequence) -> None:
        """Take all blocks back from `sequence`."""
        self.free += self.held.pop(sequence)
