"""Benchmark 15: deformed digits per second, and the memory of a command-line run on a stream of them."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from datasets import DataError, Stream
from experiments.bench import data
from experiments.bench.measure import Row, median_ratio

ROOT = Path(__file__).resolve().parents[2]
IMAGES = 50_000
FEATURES = 4096
EXAMPLES = 200_000
"""Of a run's million examples; memory no longer grows then."""
_MEASURED = """
import resource, subprocess, sys
code = subprocess.run([sys.executable, "run.py", *sys.argv[1:]], stdout=subprocess.DEVNULL).returncode
print("peak", resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(code)
"""


def rows(repetitions: int) -> Iterator[Row]:
    """Yield a row for the speed and one for the memory; none without MNIST's files."""
    try:
        points = data.load("mnist_elastic").points
    except DataError:
        return
    assert isinstance(points, Stream)
    numbers = np.arange(IMAGES, dtype=np.intp)

    def speed() -> float:
        start = time.process_time()
        points[numbers]
        return IMAGES / (time.process_time() - start)

    mine, bar, ratio, spread = median_ratio([(speed(), 5000.0) for _ in range(repetitions)])
    what = "images of mnist_elastic a second on one thread, made and divided, / 5,000"
    yield Row(what, f"{mine:,.0f}/s", f"{bar:,.0f}/s", ratio, 1.0, at_most=False, spread=spread)

    peak = _peak_bytes() / 2**30
    what = f"peak memory of run.py on mnist_elastic, {FEATURES:,} features, {EXAMPLES:,} examples, / 3 GiB"
    yield Row(what, f"{peak:.2f} GiB", "3 GiB", peak / 3.0, 1.0)


def _peak_bytes() -> float:
    with tempfile.TemporaryDirectory() as folder:
        words = [
            "algo=asset_online",
            "dataset=mnist_elastic",
            f"algo.features={FEATURES}",
            f"budget.iterations={EXAMPLES}",
            f"store.root={folder}",
            "progress=false",
        ]
        done = subprocess.run(
            [sys.executable, "-c", _MEASURED, *words], cwd=ROOT, capture_output=True, text=True, check=True
        )
    found = re.search(r"peak (\d+)", done.stdout)
    assert found is not None
    return 1024.0 * float(found.group(1))  # Linux counts in KiB
