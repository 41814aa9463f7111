"""Benchmarks: the program beside other programs, and the times that docs/benchmarks.md publishes."""
