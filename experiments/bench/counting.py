"""Benchmark 5: the cost of counting: the same loops in a build with counters and in one without."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from experiments.bench.measure import Row, alternate, median_ratio

ROOT = Path(__file__).resolve().parents[2]

# Run in a process of its own, with one core module or the other. Rows of 4,096 floats stay in the cache, where a
# counter would show most; Pegasos looks at responses without touching a row in most iterations.
_TIMED = """
import json, sys
sys.path.insert(0, sys.argv[1])
import _core
import numpy as np
from scipy.linalg import cython_blas
_core.set_gemm(*(cython_blas.__pyx_capi__[name] for name in ("sgemm", "dgemm")))
n = 4096
random = np.random.default_rng(0)
matrix = _core.Matrix(random.normal(size=(n, 20)).astype(np.float32))
kernel = _core.KernelFunction(_core.KernelFunction.Kind.gaussian, gamma=0.05)
gram = np.empty((n, n), dtype=np.float32)
_core.fill_gram(kernel, matrix, gram)
rows = _core.GramRows(kernel, matrix, n // 2, gram)
seconds = {}
for name, solver, iterations in (
    ("SBP", _core.Sbp(rows, nu=0.01, seed=0), 60_000),
    ("Pegasos", _core.Pegasos(rows, lambda_=1.0 / n, seed=0), 400_000),
    ("SMO", _core.Smo(rows, C=1.0, tolerance=0.0), 30_000),
):
    solver.advance(iterations=iterations // 10)
    before = solver.cpu_seconds
    solver.advance(iterations=iterations)
    seconds[name] = (solver.cpu_seconds - before) / iterations
print(json.dumps(seconds))
"""


def rows(repetitions: int) -> list[Row]:
    """Return one row for each solver: the time of an iteration with counters over the time without."""
    with tempfile.TemporaryDirectory() as folder:
        counted = _build(Path(folder) / "counted", counting=True)
        uncounted = _build(Path(folder) / "uncounted", counting=False)
        timed: dict[str, list[tuple[float, float]]] = {}
        last: dict[str, dict[str, float]] = {}

        def run(name: str, module: Path) -> float:
            last[name] = _seconds(module)
            return 0.0

        for _ in range(4 * max(repetitions, 5)):
            alternate(lambda: run("counted", counted), lambda: run("uncounted", uncounted), 1)
            for solver, value in last["counted"].items():
                timed.setdefault(solver, []).append((value, last["uncounted"][solver]))
    made = []
    for solver, pairs in timed.items():
        ours, theirs, ratio, spread = median_ratio(pairs)
        what = f"{solver} iteration that counts / one that does not, n = 4,096"
        made.append(Row(what, f"{1e9 * ours:.0f} ns", f"{1e9 * theirs:.0f} ns", ratio, 1.01, spread=spread))
    return made


def _build(folder: Path, *, counting: bool) -> Path:
    import pybind11

    cmake = shutil.which("cmake", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}") or "cmake"
    options = {
        "CMAKE_BUILD_TYPE": "Release",
        "SVM_COUNTERS": "ON" if counting else "OFF",
        "Python_EXECUTABLE": sys.executable,
        "pybind11_DIR": pybind11.get_cmake_dir(),
    }
    configure = [cmake, "-S", str(ROOT), "-B", str(folder), *(f"-D{name}={value}" for name, value in options.items())]
    subprocess.run(configure, check=True, capture_output=True)
    subprocess.run([cmake, "--build", str(folder), "-j", "--target", "_core"], check=True, capture_output=True)
    return folder


def _seconds(module: Path) -> dict[str, float]:
    command = [sys.executable, "-c", _TIMED, str(module)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    parsed: dict[str, float] = json.loads(done.stdout)
    return parsed
