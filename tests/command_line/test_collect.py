"""What a cluster's jobs have left, as the command that started them finds it at the end."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from experiments.command_line.sweep import SweepCallback, draw, stop
from experiments.processes.job_queue import Folder
from experiments.processes.outcome import Outcome
from experiments.processes.stopping import ASKED


class Crew:
    """A cluster that has made two runs, one of them on a machine with files of its own."""

    def __init__(self, here: Path) -> None:
        self.asked: list[signal.Signals] = []
        self.closed = False
        self._here = here

    def outcomes(self) -> dict[int, Outcome]:
        elsewhere = Outcome("there", "finished", algo="sbp", dataset="toy", result_path="/no/such/result.json", key="k")
        return {2: elsewhere, 0: Outcome("here", "finished", algo="sbp", dataset="toy", result_path=str(self._here))}

    def stop(self, asked: signal.Signals) -> None:
        self.asked.append(asked)
        raise KeyboardInterrupt  # who asks again

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def crew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Crew:
    crew = Crew(tmp_path)
    monkeypatch.setattr(SweepCallback, "cluster", crew)
    monkeypatch.setattr(SweepCallback, "directory", tmp_path)
    monkeypatch.setattr(SweepCallback, "_store", (str(tmp_path / "store"), None), raising=False)
    return crew


def test_outcomes_come_into_the_folder_and_no_file_is_named_that_is_not_here(crew: Crew, tmp_path: Path) -> None:
    SweepCallback.collect()
    here, there = Folder(tmp_path).outcomes()
    assert (here.label, here.result_path) == ("here", str(tmp_path))
    assert (there.label, there.result_path) == ("there", None)
    assert crew.closed
    assert not (tmp_path / "store").exists()
    assert draw([there], tmp_path, "a command") == []


@pytest.mark.parametrize("asked", [signal.SIGINT, signal.SIGTERM])
def test_a_cluster_is_asked_for_what_was_asked_for_and_a_second_time_nobody_waits(
    crew: Crew, asked: signal.Signals, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(SweepCallback, "asked", None)
    before = signal.getsignal(signal.SIGINT)
    try:
        with pytest.raises(ASKED[asked]):
            stop(tmp_path, asked)
    finally:
        signal.signal(signal.SIGINT, before)
    assert type(SweepCallback.stop(KeyboardInterrupt())) is ASKED[asked]
    assert crew.asked == [asked]
