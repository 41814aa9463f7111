"""Hands scipy's SGEMM to the core: no link step, and one BLAS in the process."""

from functools import cache

from solvers import _core


@cache
def connect() -> None:
    """Give the core its SGEMM, at first use: scipy.linalg takes a quarter of a second that --help need not pay."""
    from scipy.linalg import cython_blas

    _core.set_sgemm(cython_blas.__pyx_capi__["sgemm"])
