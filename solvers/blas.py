"""scipy's BLAS in the core: no link step, one BLAS in the process, and one thread for each of the core's own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from solvers import _core


@contextmanager
def connected() -> Iterator[None]:
    """Let the core call its routines inside this context, from several threads of its own, each on one tile.

    BLAS itself is held to one thread meanwhile: its pool inside the core's threads would only make them wait.
    """
    from threadpoolctl import threadpool_limits

    _connect()
    with threadpool_limits(limits=1, user_api="blas"):
        yield


@cache
def _connect() -> None:
    # At first use: scipy.linalg takes a quarter of a second that --help need not pay.
    from scipy.linalg import cython_blas

    _core.set_gemm(*(cython_blas.__pyx_capi__[name] for name in ("sgemm", "dgemm")))
