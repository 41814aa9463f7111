"""Names of a curve's columns: costs and measures."""

from __future__ import annotations

from typing import Final

COUNTS: Final = (
    "iterations",
    "presentations",
    "kernel_evaluations",
    "inner_products",
    "feature_accesses",
    "feature_accesses_dense",
)
"""Exact counters (nullable 64-bit integers): missing in every row where the solver does not count that cost."""

COSTS: Final = (*COUNTS, "epochs", "cpu_seconds", "wall_seconds")
"""Everything that can be the horizontal axis; each is non-decreasing along a curve."""

MEASURES: Final = (
    "test_error",
    "train_error",
    "primal",
    "dual",
    "gap",
    "relative_gap",
    "hinge",
    "norm",
    "nu",
    "water_level",
    "bias",
    "support_vectors",
)
"""What the evaluation of a snapshot gives (float64, NaN = missing); errors are fractions, not percent."""

COLUMNS: Final = (*COSTS, *MEASURES)
"""All columns of a curve, in the order in which they are stored."""

STEP_COSTS: Final = ("kernel_evaluations", "feature_accesses", "iterations")
"""The costs that the papers draw curves against; a curve is drawn against the first one that its solver counts."""

MEASURE: Final = "test_error"
"""The measure that figures and statistics have by default."""
