"""Comparisons of made-up runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from evidence_cases import finished_run, panel

from svm_cost_curves.experiments.reproduction.evidence import Evidence, Panel
from svm_cost_curves.experiments.reproduction.series_spec import SeriesSpec
from svm_cost_curves.experiments.reproduction.spec import OptionSpec, read_figure

OPTIMUM = 0.25
"""Of every objective; known to 1e-7."""
STEPS = 21


def gaps(rate: float, start: float = 10.0) -> Callable[[int], float]:
    """Excess that falls by a factor at each evaluation."""
    return lambda step: start * rate**step


def rows(
    excess: Callable[[int], float], *, unit: int = 1000, counted: bool = True, **extra: Any
) -> list[dict[str, Any]]:
    """Evaluations 1, 2, ... after this many times `unit` kernel evaluations."""
    return [
        {
            "iterations": step,
            "kernel_evaluations": step * unit if counted else None,
            "epochs": step / 10,
            "cpu_seconds": step * 1e-3,
            "primal": OPTIMUM * (1 + excess(step)),
            "test_error": min(0.5, 0.1 + excess(step) / 10),
            **extra,
        }
        for step in range(1, STEPS)
    ]


def race_panel(
    folder: Path, runs: Mapping[str, list[list[dict[str, Any]]]], name: str = "adult", **fields: Any
) -> Panel:
    """A data set on which each entrant has these runs, by seed; the optimum is known."""
    made = {
        who: [finished_run(algo=who, dataset=name, seed=seed, rows=curve) for seed, curve in enumerate(curves)]
        for who, curves in runs.items()
    }
    certain = [{"iterations": 1, "epochs": 1.0, "cpu_seconds": 1.0, "dual": OPTIMUM, "primal": OPTIMUM * (1 + 1e-7)}]
    made["optimum"] = [finished_run(algo="optimum", dataset=name, rows=certain)]
    return panel(name, made, **{"settings": dict.fromkeys([*made, *fields.pop("none", [])]), **fields})


def arena_evidence(panels: list[Panel], names: list[str], *, seeds: int = 2, **options: str) -> Evidence:
    """What the arena's maker gets."""
    spec = read_figure("arena")
    specs = {name: OptionSpec(options.get(name, option.value)) for name, option in spec.options.items()}
    scales = {"demo": replace(spec.scale("demo"), seeds=seeds)}
    series = [SeriesSpec(name, [f"algo={name}"]) for name in [*names, "optimum"]]
    return Evidence(replace(spec, options=specs, scales=scales, series=series), "demo", tuple(panels))
