"""Benchmarks: each figure is a ratio of two things timed side by side in one run. ``python -m experiments.bench``."""
