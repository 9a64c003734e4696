"""A model server: a model on an accelerator, what it costs per unit of work, and its KV blocks."""

from dataclasses import dataclass, field

from sim import expect
from sim.accelerator import Accelerator, Assumptions
from sim.catalog import ACCELERATORS, MODELS
from sim.costs import UnitCosts, counted_costs, rescaled_costs
from sim.settings import Settings
from sim.shape import ModelShape

MOST_REPLICAS = 1024


@dataclass(frozen=True)
class Server:
    """One server or `replicas` identical ones; `costs` and `num_gpu_blocks`, if given, replace counting.

    `num_gpu_blocks` is vLLM's number, of which one is its null block. `draft` is the model that guesses.
    """

    model: ModelShape
    accelerator: Accelerator
    assumptions: Assumptions = field(default_factory=Assumptions)
    gpu_memory_utilization: float = 0.92
    num_gpu_blocks: int | None = None
    costs: UnitCosts | None = None
    draft: ModelShape | None = None
    draft_costs: UnitCosts | None = None
    replicas: int = 1

    def __post_init__(self) -> None:
        expect.instance("model", self.model, ModelShape)
        expect.instance("accelerator", self.accelerator, Accelerator)
        expect.instance("assumptions", self.assumptions, Assumptions)
        expect.settle(self, "gpu_memory_utilization", expect.share, zero=False)
        expect.settle(self, "replicas", expect.whole, most=MOST_REPLICAS)
        if self.num_gpu_blocks is not None:
            expect.settle(self, "num_gpu_blocks", expect.whole)
        for name, kind in (("costs", UnitCosts), ("draft", ModelShape), ("draft_costs", UnitCosts)):
            if getattr(self, name) is not None:
                expect.instance(name, getattr(self, name), kind)

    def unit_costs(self, settings: Settings) -> UnitCosts:
        """Return the seconds per unit of work under `settings`; see `costs_are` for where they come from."""
        expect.instance("settings", settings, Settings)
        counted = self._counted(settings.weight_bits, settings.kv_bits)
        if self.costs is None:
            return counted
        if self.costs_are(settings) == "given":
            return self.costs
        return rescaled_costs(self.costs, self._counted(16, 16), counted)

    def draft_unit_costs(self, settings: Settings) -> UnitCosts:
        """Return the draft's seconds per unit of work; its weights stay at 16 bits, its KV does not."""
        expect.instance("settings", settings, Settings)
        model = self.draft_model(settings)
        counted = counted_costs(model, self.accelerator, self.assumptions, 16, settings.kv_bits)
        if self.draft_costs is None:
            return counted
        if settings.kv_bits == 16:
            return self.draft_costs
        counted_16 = counted_costs(model, self.accelerator, self.assumptions)
        return rescaled_costs(self.draft_costs, counted_16, counted)

    def costs_are(self, settings: Settings) -> str:
        """Return `counted`, `given`, or `estimated`: given at 16 bits and scaled to those of `settings`."""
        expect.instance("settings", settings, Settings)
        if self.costs is None:
            return "counted"
        return "given" if (settings.weight_bits, settings.kv_bits) == (16, 16) else "estimated"

    def num_blocks(self, settings: Settings) -> int:
        """Return the KV blocks that remain for requests; 0 where the weights leave no room.

        While guessing, the draft's 16-bit weights are in memory too, and a block holds both models' KV.
        Raises ValueError when `settings` guess and the server has no draft.
        """
        block_bytes = self.block_bytes(settings)
        if self.num_gpu_blocks is not None:
            return self.num_gpu_blocks - 1
        free_bytes = self.accelerator.memory_bytes * self.gpu_memory_utilization
        free_bytes -= self.model.weight_bytes(settings.weight_bits) + self.assumptions.activation_bytes
        if settings.num_speculative_tokens > 0:
            free_bytes -= self.draft_model(settings).weight_bytes()
        return max(0, int(free_bytes // block_bytes))

    def block_bytes(self, settings: Settings) -> float:
        """Return the bytes of a KV block, the draft's share included while guessing.

        Raises ValueError when `settings` guess and the server has no draft.
        """
        expect.instance("settings", settings, Settings)
        token_bytes = self.model.kv_bytes_per_token(settings.kv_bits)
        if settings.num_speculative_tokens > 0:
            token_bytes += self.draft_model(settings).kv_bytes_per_token(settings.kv_bits)
        return token_bytes * settings.block_size

    def block_move_s(self, settings: Settings) -> float:
        """Return the seconds to move a KV block between the accelerator and its host, by swapping."""
        return self.block_bytes(settings) / self.accelerator.link_bytes_per_s

    def draft_model(self, settings: Settings) -> ModelShape:
        """Return the model that guesses, or raise ValueError when there is none."""
        if self.draft is None:
            raise ValueError(
                f"num_speculative_tokens: expected 0 on a server without a draft model, got "
                f"{settings.num_speculative_tokens}; give the server a draft or set it to 0."
            )
        return self.draft

    def _counted(self, weight_bits: int, kv_bits: int) -> UnitCosts:
        return counted_costs(self.model, self.accelerator, self.assumptions, weight_bits, kv_bits)


def larkspur_server() -> Server:
    """Return Larkspur's server: OPT-13B on half an A100 80 GB, OPT-125M as its draft.

    The other half of the card holds the company's search index.
    """
    return Server(
        model=MODELS["opt-13b"],
        accelerator=ACCELERATORS["a100-80gb"],
        gpu_memory_utilization=0.5,
        draft=MODELS["opt-125m"],
    )
