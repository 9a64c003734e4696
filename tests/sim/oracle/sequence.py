"""A request on its way: what it asked for, and how far it has come."""

from dataclasses import dataclass, field
from fractions import Fraction


@dataclass(eq=False)
class Sequence:
    """One request; seconds are on the trace's own clock."""

    request: int  # place in the sorted trace
    arrival_s: Fraction
    prompt_tokens: int
    output_tokens: int
    cached_tokens: int
    computed: int  # tokens whose keys and values are kept: in memory, or beside it once swapped out
    reason: str = ""  # why it was rejected
    admitted_s: Fraction | None = None
    token_times_s: list[Fraction] = field(default_factory=list)  # one a written token
    preemptions: int = 0
    swapped: bool = False  # left memory with its computed tokens, and is not back yet
    first_block: int = -1

    @property
    def written(self) -> int:
        """Tokens of the reply so far."""
        return len(self.token_times_s)

    @property
    def to_compute(self) -> int:
        """Tokens of the prompt and of what is written that are not computed yet."""
        return self.prompt_tokens + self.written - self.computed

    @property
    def decodes(self) -> bool:
        """Whether all that is left to compute is the token it wrote last."""
        return self.written > 0 and self.to_compute == 1

    @property
    def finished(self) -> bool:
        """Whether the whole reply is written."""
        return self.written == self.output_tokens

    @property
    def final_tokens(self) -> int:
        """Tokens it has in memory at its end: the last token of a reply is never computed."""
        return self.prompt_tokens + self.output_tokens - 1
