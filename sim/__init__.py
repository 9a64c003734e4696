"""A deterministic simulator of one model server, exact to the pass."""

from sim.accelerator import Accelerator, Assumptions
from sim.catalog import ACCELERATOR_ENTRIES, ACCELERATORS, MODEL_ENTRIES, MODELS
from sim.clocks import PassTime, pass_time, prompt_pairs
from sim.costs import UnitCosts
from sim.fit import fit_costs
from sim.lone import LoneRequest, lone_passes, lone_request, reading_breaks_even
from sim.measured import MEASURED_PASSES, MeasuredPasses
from sim.monday import monday, monday_table, mondays
from sim.monday.lessons import MONDAY_KNOBS, MONDAY_SPACE, MONDAY_START, MONDAY_TARGETS
from sim.quoted import QUOTED, QUOTED_TABLES, SOURCES, Quoted, QuotedTable, Source
from sim.run import Run
from sim.search import search
from sim.serve import CancelledError
from sim.server import Server, larkspur_server
from sim.settings import Settings
from sim.shape import ModelShape
from sim.simulate import simulate
from sim.targets import Targets
from sim.trace import Trace
from sim.trace_files import read_trace

__all__ = [
    "ACCELERATORS",
    "ACCELERATOR_ENTRIES",
    "MEASURED_PASSES",
    "MODELS",
    "MODEL_ENTRIES",
    "MONDAY_KNOBS",
    "MONDAY_SPACE",
    "MONDAY_START",
    "MONDAY_TARGETS",
    "QUOTED",
    "QUOTED_TABLES",
    "SOURCES",
    "Accelerator",
    "Assumptions",
    "CancelledError",
    "LoneRequest",
    "MeasuredPasses",
    "ModelShape",
    "PassTime",
    "Quoted",
    "QuotedTable",
    "Run",
    "Server",
    "Settings",
    "Source",
    "Targets",
    "Trace",
    "UnitCosts",
    "fit_costs",
    "larkspur_server",
    "lone_passes",
    "lone_request",
    "monday",
    "monday_table",
    "mondays",
    "pass_time",
    "prompt_pairs",
    "read_trace",
    "reading_breaks_even",
    "search",
    "simulate",
]
