"""Kinds of statistics for claims about the curves of any figure: a claim names one in its figure's file.

A figure's module may define others, ``class WaterLevel(Statistic, kind="water_level")``, which any figure may name.
"""

from .cost import CostOverErrors, CostRatioToTarget, CountRatio
from .errors import Area, BeforeCriticalPoint, CriticalPointOf, Difference, Rise
from .limits import Limits

__all__ = [
    "Area",
    "BeforeCriticalPoint",
    "CostOverErrors",
    "CostRatioToTarget",
    "CountRatio",
    "CriticalPointOf",
    "Difference",
    "Limits",
    "Rise",
]
