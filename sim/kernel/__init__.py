"""The rules of the simulated server, as small functions over plain records.

They run as they stand, on objects and lists, or compiled, on NumPy records and arrays: `sim.compiler`
decides.
"""
