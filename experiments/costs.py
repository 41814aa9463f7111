"""Which count a curve is told against where nobody has chosen one."""

from __future__ import annotations

from typing import Final

STEP_COSTS: Final = ("kernel_evaluations", "feature_accesses", "iterations")
"""What the papers draw curves against, the most telling first; every solver counts its iterations."""
