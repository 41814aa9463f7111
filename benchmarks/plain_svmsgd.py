"""SVMSGD as a plain loop in C++, `cpp/bench/plain_svmsgd.cpp`: compiled for this machine, loaded, and run."""

from __future__ import annotations

import ctypes
import os
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from svm_cost_curves.solvers import _core

SOURCE = Path(__file__).resolve().parents[1] / "cpp" / "bench" / "plain_svmsgd.cpp"
OPTIONS = ("-std=c++17", "-O3", "-march=native", "-ffast-math", "-fPIC", "-c")


class PlainSvmSgd:
    """The loop on one training set, (n, d) CSR and labels -1 and +1, as a context; compiled by `$CXX` or c++.

    The order of the examples is that of `solvers.linear.SvmSgd` where both number the rows alike.
    """

    def __init__(self, X: sparse.csr_matrix, y: NDArray[np.int8], seed: int) -> None:
        self._n, self._d = X.shape
        self._rows = X.indptr.astype(np.int64), X.indices.astype(np.int32), X.data.astype(np.float32)
        self._labels = y.astype(np.float32)
        self._seed = seed
        self._folder = tempfile.TemporaryDirectory()
        compiler, object_file = os.environ.get("CXX", "c++"), Path(self._folder.name) / "plain_svmsgd.o"
        library = object_file.with_suffix(".so")
        subprocess.run([compiler, *OPTIONS, str(SOURCE), "-o", str(object_file)], check=True)
        # linked without -ffast-math, which would switch off subnormal numbers in the whole process
        subprocess.run([compiler, "-shared", str(object_file), "-o", str(library)], check=True)
        self._run = ctypes.CDLL(str(library)).plain_svmsgd
        self._run.restype = ctypes.c_double

    def __enter__(self) -> PlainSvmSgd:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Remove the library's file."""
        self._folder.cleanup()

    def run(self, epochs: int, lambda_: float, t0: float) -> tuple[NDArray[np.float64], float]:
        """Make the updates of some epochs from w = 0; return the weights, (d,), and the CPU seconds."""
        random = _core.Random(self._seed, _core.Purpose.order)
        order = np.arange(self._n, dtype=np.uint32)
        order = np.concatenate([order := order[random.permutation(self._n)] for _ in range(epochs)])
        weights = np.zeros(self._d, dtype=np.float32)
        arrays = (array.ctypes.data_as(ctypes.c_void_p) for array in (*self._rows, self._labels, order))
        sizes = ctypes.c_size_t(len(order)), ctypes.c_size_t(self._d)
        end = weights.ctypes.data_as(ctypes.c_void_p)
        seconds: float = self._run(*arrays, *sizes, ctypes.c_double(lambda_), ctypes.c_double(t0), end)
        return weights.astype(np.float64), seconds
