"""The iterations that Theorems 1 and 2 ask for."""

from __future__ import annotations

import math

from experiments.papers.minibatch.spectrum import Spectrum


def pegasos(spectrum: Spectrum, b: int, epsilon: float) -> float:
    """Return the T after which Pegasos is epsilon-accurate in expectation, by the mean of its tail (Theorem 1).

    Parameters
    ----------
    spectrum : Spectrum
    b : int
        Examples in a mini-batch.
    epsilon : float
        Of P(w) - P*.
    """
    return spectrum.share(b) * 30 / (spectrum.lambda_ * epsilon)


def safe(spectrum: Spectrum, b: int, epsilon: float) -> float:
    """Return the T after which safe SDCA is, by the mean of its iterates from the T_0-th on (Theorem 2, eqs. 18 to 20).

    Parameters are those of `pegasos`; the duality gap is epsilon at most as well.
    """
    n, lambda_, beta = spectrum.n, spectrum.lambda_, spectrum.beta(b)
    t0 = max(0, math.ceil(n / b * math.log(2 * lambda_ * n / beta)))
    start = t0 + beta / b * max(0.0, 4 / (lambda_ * epsilon) - 2 * n / beta)
    return start + max(math.ceil(n / b), beta / b / (lambda_ * epsilon))
