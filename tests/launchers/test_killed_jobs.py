"""A job whose process is killed is made again, so often; the others go on, and nothing stays running in the store."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from sweep_cases import ROOT, outcomes, statuses, swept

from experiments.processes.job_queue import ATTEMPTS, Folder, Turn
from experiments.processes.outcome import Outcome


@pytest.mark.parametrize(("times", "status"), [(1, 0), pytest.param(99, 1, marks=pytest.mark.slow)])
def test_joblib_goes_on_without_the_worker_that_was_killed(tmp_path: Path, times: int, status: int) -> None:
    done = swept(tmp_path, "seed=range(3)", "hydra.launcher.n_jobs=2", killed=f"1 {times}")
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    assert "a worker was killed: what is missing is made again" in done.stderr
    ends = outcomes(tmp_path)
    assert len(ends) == 3
    others = [end for number, end in enumerate(ends) if number != 1]
    assert {end.status for end in others} == {"finished"}
    if status:
        assert (ends[1].status, ends[1].attempts) == ("killed", ATTEMPTS)
        assert "killed seed" not in done.stderr
        assert f"its process was killed {ATTEMPTS} times" in done.stderr
    else:
        assert ends[1].status == "finished"
    kept = statuses(tmp_path)
    assert kept.count(("finished", "FINISHED")) == (2 if status else 3)
    assert {pair for pair in kept if pair[0] != "finished"} == {("killed", "KILLED")}


def outcome(status: str, attempts: int = 1) -> Outcome:
    return Outcome("a run", status, attempts=attempts)  # type: ignore[arg-type]


def test_a_folder_knows_what_has_ended(tmp_path: Path) -> None:
    desk = Folder(tmp_path)
    assert desk.begin(3, outcome("killed")) is None
    assert [end.attempts for end in desk.outcomes()] == [1]
    assert desk.begin(3, outcome("killed")) is None  # what was killed may begin again
    assert desk.outcomes()[0].message == "its process was killed 2 times"
    desk.end(3, outcome("finished"))
    assert desk.begin(3, outcome("killed")) == outcome("finished")
    for _ in range(ATTEMPTS):
        assert desk.begin(4, outcome("killed")) is None
    given_up = desk.begin(4, outcome("killed"))
    assert given_up is not None
    assert (given_up.status, given_up.attempts) == ("killed", ATTEMPTS)


def test_a_sweep_goes_on_with_the_rest_and_then_with_what_was_killed(tmp_path: Path) -> None:
    desk = Folder(tmp_path)
    assert desk.next_turn([], broken=True) is None  # nothing had begun: it would break again
    assert desk.begin(0, outcome("killed")) is None
    desk.begin(1, outcome("killed"))
    desk.end(1, outcome("finished"))
    known = desk.next_turn([], broken=True)
    assert known is not None
    assert desk._turn() is Turn.REST
    assert desk.begin(0, outcome("killed")) == outcome("killed")  # later
    assert desk.begin(2, outcome("killed")) is None
    desk.end(2, outcome("finished"))
    known = desk.next_turn(known, broken=False)
    assert known is not None
    assert desk._turn() is Turn.KILLED
    assert desk.begin(0, outcome("killed")) is None
    known = desk.next_turn(known, broken=True)
    assert known is not None
    assert desk._turn() is Turn.KILLED
    assert desk.next_turn(known, broken=True) is None  # no getting on
    desk.end(0, outcome("finished"))
    assert desk.next_turn(known, broken=False) is None


def test_those_that_were_killed_are_made_one_at_a_time(tmp_path: Path) -> None:
    for number in range(2):
        Folder(tmp_path).begin(number, outcome("killed"))
    assert Folder(tmp_path).next_turn([outcome("finished")], broken=False) is not None
    first, second = (
        Folder(tmp_path),
        "import sys, pathlib; from experiments.processes.job_queue import Folder; "
        + (
            "from experiments.processes.outcome import Outcome; print('waits', flush=True); "
            "Folder(pathlib.Path(sys.argv[1])).begin(1, Outcome('', 'killed')); print('begins', flush=True)"
        ),
    )
    first.begin(0, outcome("killed"))
    other = subprocess.Popen([sys.executable, "-c", second, str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert other.stdout is not None
    assert other.stdout.readline() == "waits\n"
    with pytest.raises(subprocess.TimeoutExpired):
        other.wait(1.0)
    assert [end.attempts for end in first.outcomes()] == [2, 1]
    first.end(0, outcome("finished"))
    assert other.stdout.readline() == "begins\n"
    other.communicate(timeout=60)
