"""Measured speeds of solvers, for estimates of time. A solver that is not listed has the defaults."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Speed:
    """Speed of a solver, on the machine of `cost.REFERENCE_SECONDS`.

    Attributes
    ----------
    row_share : float
        Time of an example presentation over that of a full kernel row: most methods use part of a row.
    rows_with_bias : int
        Kernel rows of a presentation in problems with bias.
    access_seconds : float
        Seconds of a feature access, with explicit weights or with features of the kernel.
    accesses : float
        Feature accesses of a presentation over the values of a row that are not zero.
    own_end : callable or None
        Epochs until the solver stops by itself, from C and eps: fitted to six data sets, each off by up to a factor of
        six. None: its budget ends it.
    """

    row_share: float = 1.0
    rows_with_bias: int = 1
    access_seconds: float = 2.0e-9
    accesses: float = 1.0
    own_end: Callable[[float, float], float] | None = None


DEFAULT: Final = Speed()
SPEEDS: Final[Mapping[str, Speed]] = {
    "sbp": Speed(rows_with_bias=2),
    "smo": Speed(row_share=0.8, rows_with_bias=2, own_end=lambda C, eps: 9.0),
    "perceptron": Speed(row_share=0.05),
    "averaged_perceptron": Speed(row_share=0.1),
    "pegasos": Speed(row_share=0.15, access_seconds=1.5e-9),
    "sdca": Speed(row_share=0.12),
    "lasvm": Speed(own_end=lambda C, eps: 0.7 * C**0.4),
    "svmlight": Speed(own_end=lambda C, eps: 1.8 * C**0.3),
    # the importance of all examples takes most of the time; a presentation reads a row and a column
    "simba": Speed(access_seconds=28e-9, accesses=2.0),
    "sgd_s": Speed(own_end=lambda C, eps: 2.5 * C / eps),
    "sgd_m": Speed(access_seconds=0.8e-9, own_end=lambda C, eps: 8.5 * C / eps),  # one access serves several steps
    "dcd": Speed(own_end=lambda C, eps: 5.0 * C**0.8 * math.log(1 / eps)),
    "liblinear": Speed(own_end=lambda C, eps: 45.0 * C**0.8),  # to its tolerance, 1e-4
    "mpu": Speed(own_end=lambda C, eps: 0.3 * C / eps),
    "ocas": Speed(own_end=lambda C, eps: 3.0 * math.sqrt(C / eps)),
    "svmperf": Speed(own_end=lambda C, eps: 5.0 * math.sqrt(C / eps)),
    "cpny": Speed(access_seconds=0.6e-9, own_end=lambda C, eps: 1200.0),
    "cpsp": Speed(access_seconds=0.6e-9, own_end=lambda C, eps: 1500.0 * C**0.15),
    "asset": Speed(access_seconds=1.2e-9),  # rows of features in random order
    "asset_star": Speed(access_seconds=1.2e-9),
    "asset_online": Speed(access_seconds=1.2e-9),
    "asset_star_online": Speed(access_seconds=1.2e-9),
}
