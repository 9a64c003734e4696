"""What a customer expects: targets in seconds that a request meets when all that are given hold."""

from dataclasses import dataclass

import numpy as np

from sim import expect
from sim.arrays import Chosen, Seconds


@dataclass(frozen=True)
class Targets:
    """Most seconds to the first token, per later token, for the whole reply, and between two tokens."""

    ttft_s: float
    tpot_s: float
    e2e_s: float | None = None
    gap_s: float | None = None

    def __post_init__(self) -> None:
        for name in ("ttft_s", "tpot_s", "e2e_s", "gap_s"):
            if getattr(self, name) is not None or name in ("ttft_s", "tpot_s"):
                expect.settle(self, name, expect.positive)

    def met(self, ttft_s: Seconds, tpot_s: Seconds, e2e_s: Seconds, longest_gap_s: Seconds) -> Chosen:
        """Return for each request whether it is on target (≤); one token counts as a TPOT of 0.

        A request without times (NaN: rejected) has missed.
        """
        one_token = np.isnan(tpot_s) & ~np.isnan(e2e_s)
        met = (ttft_s <= self.ttft_s) & (np.where(one_token, 0.0, tpot_s) <= self.tpot_s)
        if self.e2e_s is not None:
            met &= e2e_s <= self.e2e_s
        if self.gap_s is not None:
            met &= np.where(one_token, 0.0, longest_gap_s) <= self.gap_s
        return met
