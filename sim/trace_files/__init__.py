"""Traces of real servers, from the files they are published in."""

from sim.trace_files.read import read_trace

__all__ = ["read_trace"]
