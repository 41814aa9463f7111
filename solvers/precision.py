"""The arithmetic of explicit weights, and how features are stored."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np


class Precision(enum.Enum):
    """float64, or float32 as in the programs of Bottou and of Bordes et al.: half the memory, seven digits."""

    float64 = "float64"
    float32 = "float32"


class FeaturesPrecision(enum.Enum):
    """How features are stored. They are computed in float32, rounded once, and widened again when they are read.

    bfloat16: 8 bits of precision, the range of float32; float16: 11 bits, up to 65,504. Both take half the memory.
    """

    float32 = "float32"
    bfloat16 = "bfloat16"
    float16 = "float16"

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the array; numpy has no bfloat16, and uint16 holds its bits."""
        return np.dtype(np.uint16 if self is FeaturesPrecision.bfloat16 else self.value)
