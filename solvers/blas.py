"""scipy's BLAS in the core: no link step, one BLAS in the process, and one thread for each of the core's own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING

from solvers import _core

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController


@contextmanager
def connected() -> Iterator[None]:
    """Let the core call its routines inside this context, from several threads of its own, each on one tile.

    BLAS itself is held to one thread meanwhile: its pool inside the core's threads would only make them wait.
    """
    with _connect().limit(limits=1, user_api="blas"):
        yield


@cache
def _connect() -> ThreadpoolController:
    """Return what holds numpy's BLAS and scipy's: to look for them in the process takes milliseconds."""
    # At first use: scipy.linalg takes a quarter of a second that --help need not pay.
    from scipy.linalg import cython_blas
    from threadpoolctl import ThreadpoolController

    _core.set_gemm(*(cython_blas.__pyx_capi__[name] for name in ("sgemm", "dgemm")))
    return ThreadpoolController()
