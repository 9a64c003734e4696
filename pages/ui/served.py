"""What pages ask of the simulated server, computed once for everyone."""

from functools import cache

from sim import Server, Settings, UnitCosts, larkspur_server
from sim.compiler import compile_in_background


@cache
def server() -> Server:
    """Return Larkspur's server; its rules are compiled meanwhile, and run as they stand until that is done."""
    compile_in_background()
    return larkspur_server()


@cache
def costs() -> UnitCosts:
    """Return what a unit of work costs, in seconds, on Larkspur's server with the weights as published (16 bits)."""
    return server().unit_costs(Settings())
