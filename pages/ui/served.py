"""What pages ask of the simulated server, computed once for everyone."""

from functools import cache

from sim import Server, Settings, UnitCosts, larkspur_server


@cache
def server() -> Server:
    """Return Larkspur's server."""
    return larkspur_server()


@cache
def costs() -> UnitCosts:
    """Return what a unit of work costs, in seconds, on Larkspur's server with the weights as published (16 bits)."""
    return server().unit_costs(Settings())
