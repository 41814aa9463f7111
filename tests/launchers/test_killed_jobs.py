"""A job of a sweep whose process is killed is retried; the others go on, and the store has the finished runs only."""

from __future__ import annotations

from pathlib import Path

import pytest
from run_cases import statuses
from sweep_cases import outcomes, swept

from svm_cost_curves.experiments.processes.pool import ATTEMPTS


@pytest.mark.parametrize(("times", "status"), [(1, 0), pytest.param(99, 1, marks=pytest.mark.slow)])
def test_a_sweep_goes_on_without_the_worker_that_was_killed(tmp_path: Path, times: int, status: int) -> None:
    done = swept(tmp_path, "seed=range(3)", "hydra.launcher.n_jobs=2", killed=f"1 {times}")
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    assert f"killed; attempt 2 of {ATTEMPTS}" in done.stderr
    ends = outcomes(tmp_path)
    assert len(ends) == 3
    others = [end for number, end in enumerate(ends) if number != 1]
    assert {end.status for end in others} == {"finished"}
    if status:
        assert (ends[1].status, ends[1].attempts) == ("killed", ATTEMPTS)
        assert "killed: its process ended with status -9" in done.stderr
    else:
        assert ends[1].status == "finished"
    assert statuses(tmp_path / "results") == ["finished"] * (2 if status else 3)
