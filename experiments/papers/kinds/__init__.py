"""Kinds of statistics for claims about the curves of any figure: a claim names one in its figure's file.

A figure's module may have kinds of its own: ``class WaterLevel(Statistic, kind="water_level")``.
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
