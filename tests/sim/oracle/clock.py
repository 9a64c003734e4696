"""How long a pass takes: two clocks for the model, two for its draft, and the link for what is swapped."""

from collections.abc import Sequence
from fractions import Fraction

from sim import Server, Settings, UnitCosts
from sim.costs import counted_costs, rescaled_costs
from tests.sim.oracle.record import Piece


class Clock:
    """The unit costs of one server under `settings`, as fractions."""

    def __init__(self, server: Server, settings: Settings) -> None:
        self.costs = server.unit_costs(settings)
        token_bytes = server.model.kv_bytes_per_token(settings.kv_bits)
        self.draft = None
        if settings.num_speculative_tokens > 0:
            self.draft = draft_costs(server, settings)
            token_bytes += server.draft_model(settings).kv_bytes_per_token(settings.kv_bits)
        link_bytes_per_s = Fraction(server.accelerator.link_bytes_per_s)
        self.block_move_s = settings.block_size * token_bytes / link_bytes_per_s

    def pass_s(self, pieces: Sequence[Piece], riders: int, moved_blocks: int) -> Fraction:
        """Return the seconds of a pass; a rider is one token of arithmetic and no reading."""
        seconds = clocks_s(
            self.costs,
            tokens=sum(piece.tokens for piece in pieces) + riders,
            kv_tokens=sum(piece.kv_tokens for piece in pieces),
            twice_pairs=sum(piece.twice_pairs for piece in pieces),
        )
        if self.draft is not None:
            seconds += draft_s(self.draft, pieces)
        return seconds + moved_blocks * self.block_move_s


def draft_costs(server: Server, settings: Settings) -> UnitCosts:
    """Return the draft's unit costs: its weights stay 16-bit, its KV has the bits of the settings."""
    parts = (server.draft_model(settings), server.accelerator, server.assumptions)
    counted = counted_costs(*parts, 16, settings.kv_bits)
    if server.draft_costs is None:
        return counted
    if settings.kv_bits == 16:
        return server.draft_costs
    return rescaled_costs(server.draft_costs, counted_costs(*parts, 16, 16), counted)


def clocks_s(costs: UnitCosts, tokens: int, kv_tokens: int, twice_pairs: int) -> Fraction:
    """Return pass_s + max(R, A) + (1 − overlap) · min(R, A); only a power of experts is rounded."""
    asked = Fraction(1 - (1 - costs.expert_share) ** tokens)
    reading_s = Fraction(costs.weight_s) + Fraction(costs.kv_token_s) * kv_tokens
    reading_s += Fraction(costs.expert_s) * asked
    arithmetic_s = Fraction(costs.token_s) * tokens + Fraction(costs.pair_s) * twice_pairs / 2
    shorter_s, longer_s = sorted((reading_s, arithmetic_s))
    return Fraction(costs.pass_s) + longer_s + (1 - Fraction(costs.overlap)) * shorter_s


def draft_s(costs: UnitCosts, pieces: Sequence[Piece]) -> Fraction:
    """Return the seconds of the draft's passes: as many as the most guesses, the first reads the prompts.

    In the j-th each request with j guesses or more computes one token and reads j beyond the computed ones.
    """
    prompts = [piece for piece in pieces if not piece.decodes]
    rounds = max((piece.guesses for piece in pieces), default=0)
    seconds = Fraction(0)
    for j in range(1, max(rounds, 1 if prompts else 0) + 1):
        guessing = [piece for piece in pieces if piece.guesses >= j]
        reading = prompts if j == 1 else []
        seconds += clocks_s(
            costs,
            tokens=len(guessing) + sum(piece.tokens for piece in reading),
            kv_tokens=sum(g.computed + j for g in guessing) + sum(piece.kv_tokens for piece in reading),
            twice_pairs=sum(piece.twice_pairs for piece in reading),
        )
    return seconds
