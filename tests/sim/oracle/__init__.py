"""The stepped oracle: the rules of serving in plain Python, one pass at a time, to test the engine against.

Written from the rules alone and sharing nothing with the engine but its inputs and its counting of costs.
Counts are integers and seconds are fractions, so that nothing is rounded before a run is handed back:
whoever differs from it by more than rounding has another reading of the rules.
"""

from tests.sim.oracle.loop import oracle
from tests.sim.oracle.record import OracleRun, PassRow, Piece, Segment

__all__ = ["OracleRun", "PassRow", "Piece", "Segment", "oracle"]
