"""Kernel functions: names and parameters, and how they are passed to the core."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from . import _core
from .errors import SettingsError


def _finite(name: str, value: float, *, positive: bool = False) -> None:
    if not math.isfinite(value) or (positive and value <= 0):
        raise SettingsError(f"{name} = {value!r}: it must be finite{' and positive' if positive else ''}")


@dataclass(frozen=True)
class Gaussian:
    """K(x, z) = exp(-||x - z||^2 / (2 sigma2)).

    sigma2 is the squared bandwidth, in the units of squared feature distance. Raises SettingsError unless it is finite
    and positive, and 1 / (2 sigma2) is finite.
    """

    name: ClassVar[str] = "gaussian"
    sigma2: float = 1.0

    def __post_init__(self) -> None:
        _finite("kernel.sigma2", self.sigma2, positive=True)
        if not math.isfinite(0.5 / self.sigma2):
            raise SettingsError(f"kernel.sigma2 = {self.sigma2:g}: it is too small, 1 / (2 sigma2) must be finite")

    def __str__(self) -> str:
        return f"gaussian, sigma^2 = {self.sigma2:g}"

    def core(self) -> _core.KernelFunction:
        """Return the core's object for this kernel."""
        return _core.KernelFunction(_core.KernelFunction.Kind.gaussian, gamma=0.5 / self.sigma2)


@dataclass(frozen=True)
class Polynomial:
    """K(x, z) = (gamma <x, z> + coef0)^degree, of degree 1 to 16, gamma > 0.

    With a negative coef0 K is not positive definite. Raises SettingsError for a parameter outside its range.
    """

    name: ClassVar[str] = "polynomial"
    degree: int = 3
    gamma: float = 1.0
    coef0: float = 1.0

    def __post_init__(self) -> None:
        _finite("kernel.gamma", self.gamma, positive=True)
        _finite("kernel.coef0", self.coef0)
        if self.coef0 < 0:
            raise SettingsError(f"kernel.coef0 = {self.coef0!r}: it must not be negative")
        if not 1 <= self.degree <= 16:
            raise SettingsError(f"kernel.degree = {self.degree!r}: it must be between 1 and 16")

    def __str__(self) -> str:
        return f"polynomial, ({self.gamma:g} <x, z> + {self.coef0:g})^{self.degree}"

    def core(self) -> _core.KernelFunction:
        """Return the core's object for this kernel."""
        kind = _core.KernelFunction.Kind.polynomial
        return _core.KernelFunction(kind, gamma=self.gamma, coef0=self.coef0, degree=self.degree)


@dataclass(frozen=True)
class Linear:
    """K(x, z) = <x, z>."""

    name: ClassVar[str] = "linear"

    def __str__(self) -> str:
        return "linear"

    def core(self) -> _core.KernelFunction:
        """Return the core's object for this kernel."""
        return _core.KernelFunction(_core.KernelFunction.Kind.linear)


Kernel = Gaussian | Polynomial | Linear
