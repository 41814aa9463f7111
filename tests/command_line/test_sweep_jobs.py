"""How many jobs of a sweep run at a time."""

from __future__ import annotations

from typing import Any

import pytest

from svm_cost_curves.experiments.command_line import sweep_jobs
from svm_cost_curves.experiments.command_line.sweep_jobs import parallel_jobs
from svm_cost_curves.solvers import SettingsError


@pytest.mark.parametrize(("n_jobs", "jobs"), [(1, 1), (3, 3), (-1, 4), (-2, 3), (-4, 1), (-9, 1)])
def test_negative_numbers_count_down_from_all_cores(n_jobs: int, jobs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweep_jobs, "available_cores", lambda: 4)
    assert parallel_jobs(n_jobs) == jobs


@pytest.mark.parametrize("n_jobs", [0, 2.0, True, None, "two"])
def test_other_values_are_refused(n_jobs: Any) -> None:
    with pytest.raises(SettingsError, match=r"hydra\.launcher\.n_jobs must be a whole number other than 0"):
        parallel_jobs(n_jobs)
