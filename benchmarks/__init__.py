"""Benchmarks that are run by hand and print tables: `python -m benchmarks.NAME`."""
