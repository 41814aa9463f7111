"""Corrects estimates of time by what finished runs of this machine took."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from datasets import training_rows
from experiments import provenance
from experiments.configuration.budget import Budget
from experiments.configuration.schema import kernel_name
from experiments.configuration.settings import RunSettings
from experiments.reproduction.cost import estimate
from experiments.store import Store
from experiments.store.serialize import flatten

NEAREST: Final = 10
"""Runs with other settings that correct an estimate; more where several have the same estimate."""
FAR: Final = 3.0
"""Runs whose estimates differ by more than this factor are not compared: other parts of a run take their time."""


@dataclasses.dataclass(frozen=True)
class _Timed:
    """A finished run: its settings as recorded, what it took, and its estimate, in seconds of one core."""

    recorded: Mapping[str, Any]
    seconds: float
    estimated: float


class Calibration:
    """Seconds of runs, by estimate, corrected by finished runs of the same solver on the same data and processor.

    An estimate is multiplied by what the runs with the same settings and other seeds took, over their estimates. If
    there are none, by the mean over the `NEAREST` runs with other settings whose estimates are nearest, within `FAR`.

    Parameters
    ----------
    store : Store
        With the finished runs, of any build.
    """

    def __init__(self, store: Store) -> None:
        self._durations = store.durations(provenance.cpu_model())
        self._timed: dict[tuple[Any, ...], list[_Timed]] = {}
        self._factors: dict[str, float] = {}

    def seconds(self, run: RunSettings) -> float:
        """Return the seconds that a run will probably take on one core, without the Gram matrix."""
        series = repr(dataclasses.replace(run, seed=0))
        if series not in self._factors:
            self._factors[series] = self._factor(run)
        cost = estimate(run)
        return cost.start + self._factors[series] * cost.seconds

    def _factor(self, run: RunSettings) -> float:
        """Return what comparable runs took, over their estimates; 1 if there are none."""
        known = self._timed_like(run)
        near = [timed for timed in known if _same(run, timed.recorded)]
        if not near:
            wanted = estimate(run).seconds
            distances = [abs(math.log(timed.estimated / wanted)) for timed in known]
            limit = min([math.log(FAR), *sorted(distances)[NEAREST - 1 : NEAREST]])
            near = [timed for timed, distance in zip(known, distances, strict=True) if distance <= limit]
        return sum(timed.seconds for timed in near) / sum(timed.estimated for timed in near) if near else 1.0

    def _timed_like(self, run: RunSettings) -> list[_Timed]:
        """Return the finished runs of the same solver on the same data, with the same kernel and engine."""
        key = run.algo, run.dataset.name, training_rows(run.dataset), kernel_name(run.kernel), run.engine, run.ranks
        if key not in self._timed:
            durations = self._durations.get((run.algo, run.dataset.name), ())
            self._timed[key] = [timed for file in durations if (timed := _timed(run, *file))]
        return self._timed[key]


def _timed(run: RunSettings, path: Path, elapsed: float) -> _Timed | None:
    """Return what a run took; None if it is not comparable, or its result.json is damaged or of an older version."""
    try:
        result: dict[str, Any] = json.loads(path.read_bytes())
        if not _comparable(run, result):
            return None
        like = _with_settings(run, result["settings"])
        seconds = max(elapsed, result["wall_seconds"]) * _share(result)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return _Timed(result["settings"], seconds, estimate(like).seconds)


def _share(result: Mapping[str, Any]) -> float:
    """Return the share of the time in which a run had its core."""
    wall = float(result["wall_seconds"])
    return min(1.0, float(result["cpu_seconds"]) / wall) if wall > 0 else 1.0


def _comparable(run: RunSettings, result: Mapping[str, Any]) -> bool:
    """Whether a record has the kernel, the engine and the number of training examples of a run."""
    engine = result["settings"].get("engine", {"name": "local", "ranks": 1})
    n = result["provenance"]["data"]["counts"]["train"]["n"]
    return (
        result["kernel"] == kernel_name(run.kernel)
        and engine == {"name": run.engine, "ranks": run.ranks}
        and training_rows(run.dataset) in (None, n)
    )


def _same(run: RunSettings, recorded: Mapping[str, Any]) -> bool:
    """Whether a record has the settings of a run, apart from the seed; what follows from the data is not compared."""
    values = dict(flatten(recorded))
    given = {name: value for name, value in flatten(run.identity()) if value is not None and name != "seed"}
    return all(values.get(name) == value for name, value in given.items())


def _with_settings(run: RunSettings, recorded: Mapping[str, Any]) -> RunSettings:
    """Return the run with those recorded settings on which an estimate depends."""
    algo = {name: value for name, value in recorded["algo"].items() if name != "name"}
    problem = {name: recorded["problem"][name] for name in ("lambda_", "C", "bias")}
    return dataclasses.replace(
        run,
        solver_settings=dataclasses.replace(run.solver_settings, **algo),
        problem=dataclasses.replace(run.problem, **problem),
        budget=Budget.of_identity(recorded["budget"]),
    )
