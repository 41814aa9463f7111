"""What a ledger in a folder records of the jobs of a sweep."""

from __future__ import annotations

from pathlib import Path

from experiments.processes.job_ledger import ATTEMPTS, FolderLedger
from experiments.processes.outcome import Outcome


def outcome(status: str, attempts: int = 1) -> Outcome:
    return Outcome("a run", status, attempts=attempts)  # type: ignore[arg-type]


def test_a_killed_job_may_begin_again_and_one_that_ended_may_not(tmp_path: Path) -> None:
    ledger = FolderLedger(tmp_path)
    assert ledger.begin(3, outcome("killed")) is None
    assert [end.attempts for end in ledger.outcomes()] == [1]
    assert ledger.begin(3, outcome("killed")) is None
    assert ledger.outcomes()[0].message == "its process was killed 2 times"
    ledger.end(3, outcome("finished"))
    assert ledger.begin(3, outcome("killed")) == outcome("finished")


def test_a_job_is_given_up_after_so_many_attempts(tmp_path: Path) -> None:
    ledger = FolderLedger(tmp_path)
    for _ in range(ATTEMPTS):
        assert ledger.begin(4, outcome("killed")) is None
    last = ledger.begin(4, outcome("killed"))
    assert last is not None
    assert (last.status, last.attempts) == ("killed", ATTEMPTS)
