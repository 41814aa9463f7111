"""Gives the core the routines of scipy's BLAS, so that it links to none and the process loads one BLAS."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING

from . import _core

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController


@contextmanager
def connected() -> Iterator[None]:
    """Let the core call BLAS inside this context, from its own threads.

    BLAS itself uses one thread meanwhile: the core already divides the work among its threads.
    """
    with _connect().limit(limits=1, user_api="blas"):
        yield


@cache
def _connect() -> ThreadpoolController:
    """Connect the core once, and return a controller of numpy's and scipy's BLAS; finding them takes milliseconds."""
    # Imported here: scipy.linalg takes a quarter of a second, which --help does not need.
    from scipy.linalg import cython_blas
    from threadpoolctl import ThreadpoolController

    _core.set_gemm(*(cython_blas.__pyx_capi__[name] for name in ("sgemm", "dgemm")))
    return ThreadpoolController()
