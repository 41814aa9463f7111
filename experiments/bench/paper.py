"""Benchmark 7: Figure 2 of the SBP paper at full scale from an empty cache, and the time with rows on the fly."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from experiments.bench import data, memory
from experiments.bench.figure2 import ROOT, SLICE, core_seconds, library_seconds
from experiments.bench.measure import Row, seconds

SIGMA2 = {"reuters_money_fx": 0.5, "adult": 10.0, "mnist": 25.0}
"""Table 2, without bias."""
NU = {"reuters_money_fx": 6.34e-4, "adult": 1.10e-2, "mnist": 2.21e-4}


def rows() -> list[Row]:
    """Return the figure's wall time and memory, a second call's time, and each data set's ratio to rows on the fly."""
    cores = os.cpu_count() or 1
    with data.scratch() as grams, tempfile.TemporaryDirectory() as folder:
        command = [
            *(sys.executable, str(ROOT / "reproduce.py"), "figure=sbp_fig2", "scale=paper", f"jobs={cores}"),
            *(f"store={folder}/store", f"figures={folder}/figures"),
        ]
        environment = {**os.environ, "SVM_GRAM_DIR": str(grams)}

        def make(*more: str) -> float:
            return seconds(
                lambda: subprocess.run([*command, *more], check=True, capture_output=True, env=environment, cwd=ROOT)
            )

        with memory.Watch() as used:
            walls = {name: make(f"dataset={name}") for name in SIGMA2}
        again = make()
        evaluations = dict.fromkeys(SIGMA2, 0)
        for path in Path(folder).rglob("result.json"):
            result = json.loads(path.read_text(encoding="utf-8"))
            evaluations[result["dataset"]] += result["counters"]["kernel_evaluations"]
    total = sum(walls.values())
    peak, more = used.highest / 2**30, (used.highest - used.start) / 2**30
    figure = "Figure 2 of the SBP paper, three data sets, ten seeds, from nothing"
    made = [
        Row(f"{figure} / 15 minutes", f"{total:.0f} s", "900 s", total / 900.0, 1.0),
        Row(
            f"{figure}: most memory in use on the whole machine (more than at the start) / 20 GiB",
            f"{peak:.2f} GiB ({more:.2f} GiB)",
            "20 GiB",
            peak / 20.0,
            1.0,
        ),
        Row(f"{figure}, once more / 10 seconds", f"{again:.1f} s", "10 s", again / 10.0, 1.0),
    ]
    for name, wall in walls.items():
        loaded = data.load(name)
        for how, per_evaluation in (
            ("by scikit-learn's rbf_kernel", library_seconds(loaded, SIGMA2[name])),
            ("by this core", core_seconds(loaded, SIGMA2[name], NU[name])),
        ):
            fly = evaluations[name] * per_evaluation / cores
            what = (
                f"{name}: {evaluations[name]:.3g} kernel evaluations on {cores} cores, each row computed when it is "
                f"needed {how} ({SLICE} rows timed, extrapolated) / the data set's part of the figure"
            )
            made.append(Row(what, f"{fly:.0f} s", f"{wall:.0f} s", fly / wall, None, at_most=False))
    return made
