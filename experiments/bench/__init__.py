"""Benchmarks: each number is a ratio of two times measured side by side. ``python -m experiments.bench``."""
