"""What a cluster's jobs have left, as the command that started them finds it at the end."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from experiments.command_line.sweep import Sweep
from experiments.command_line.sweep_figures import draw
from experiments.processes.job_ledger import FolderLedger
from experiments.processes.outcome import Outcome
from experiments.processes.stopping import STOP_SIGNALS


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
def crew(tmp_path: Path) -> Crew:
    return Crew(tmp_path)


@pytest.fixture
def sweep(crew: Crew, tmp_path: Path) -> Sweep:
    return Sweep(tmp_path, str(tmp_path / "store"), None, crew)  # type: ignore[arg-type]


def test_outcomes_come_into_the_folder_and_no_file_is_named_that_is_not_here(
    crew: Crew, sweep: Sweep, tmp_path: Path
) -> None:
    sweep.collect()
    here, there = FolderLedger(tmp_path).outcomes()
    assert (here.label, here.result_path) == ("here", str(tmp_path))
    assert (there.label, there.result_path) == ("there", None)
    assert crew.closed
    assert not (tmp_path / "store").exists()
    assert draw([there], tmp_path, "a command") == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_cluster_gets_the_signal_that_came_and_a_second_ctrl_c_does_not_wait(
    crew: Crew, sweep: Sweep, number: signal.Signals
) -> None:
    before = signal.getsignal(signal.SIGINT)
    try:
        with pytest.raises(STOP_SIGNALS[number]):
            sweep.stop(number)
    finally:
        signal.signal(signal.SIGINT, before)
    assert type(sweep.stopped(KeyboardInterrupt())) is STOP_SIGNALS[number]
    assert crew.asked == [number]
