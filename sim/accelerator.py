"""One accelerator (GPU) as its data sheet states it, and what of that a server is assumed to reach."""

from dataclasses import dataclass

from sim import expect


@dataclass(frozen=True)
class Accelerator:
    """Memory, bandwidth, dense 16-bit arithmetic, link to the host, and price of one accelerator."""

    memory_bytes: int
    bandwidth_bytes_per_s: float
    flops_per_s: float
    link_bytes_per_s: float
    price_per_hour: float

    def __post_init__(self) -> None:
        expect.whole("memory_bytes", self.memory_bytes, most=10**15)
        for name in ("bandwidth_bytes_per_s", "flops_per_s", "link_bytes_per_s"):
            expect.positive(name, getattr(self, name))
        expect.not_negative("price_per_hour", self.price_per_hour)


@dataclass(frozen=True)
class Assumptions:
    """Shares of the data sheet that a server reaches, fixed cost of a pass, and memory for activations.

    `overlap` is the share of the shorter clock of a pass that hides under the longer one: 0 adds reading
    and arithmetic up, 1 is a roofline.
    """

    bandwidth_share: float = 0.85
    flops_share: float = 0.55
    overhead_s: float = 0.0003
    overlap: float = 0.5
    activation_bytes: int = 4 * 2**30

    def __post_init__(self) -> None:
        expect.share("bandwidth_share", self.bandwidth_share, zero=False)
        expect.share("flops_share", self.flops_share, zero=False)
        expect.not_negative("overhead_s", self.overhead_s)
        expect.share("overlap", self.overlap)
        expect.whole("activation_bytes", self.activation_bytes, least=0, most=10**15)
