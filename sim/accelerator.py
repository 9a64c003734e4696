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
        expect.settle(self, "memory_bytes", expect.whole, most=10**15)
        for name in ("bandwidth_bytes_per_s", "flops_per_s", "link_bytes_per_s"):
            expect.settle(self, name, expect.positive, least=1.0)
        expect.settle(self, "price_per_hour", expect.not_negative)


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
        expect.settle(self, "bandwidth_share", expect.share, zero=False)
        expect.settle(self, "flops_share", expect.share, zero=False)
        expect.settle(self, "overhead_s", expect.not_negative, most=expect.LONGEST_S)
        expect.settle(self, "overlap", expect.share)
        expect.settle(self, "activation_bytes", expect.whole, least=0, most=10**15)
