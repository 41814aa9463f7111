"""The figures of a sweep."""

from __future__ import annotations

from pathlib import Path

import pytest
from store_records import make_curve

from experiments.command_line.sweep_results import draw, groups
from experiments.processes.outcome import Outcome


def outcome(folder: Path, seed: int, points: int) -> Outcome:
    """The outcome of a run whose curve has so many points, the first of them at no cost."""
    place = folder / f"{seed}"
    place.mkdir()
    make_curve(points).to_parquet(place / "curve.parquet")
    return Outcome("a run", "finished", algo="sbp", dataset="toy", seed=seed, result_path=str(place / "result.json"))


def test_runs_that_ended_before_any_cost_have_no_figure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert draw([outcome(tmp_path, seed, 1) for seed in range(2)], tmp_path, "a command") == []
    assert "no figure: no curve has both" in capsys.readouterr().err


def test_other_runs_are_drawn(tmp_path: Path) -> None:
    (path,) = draw([outcome(tmp_path, seed, 5) for seed in range(2)], tmp_path, "a command")
    assert path.read_bytes().startswith(b"\x89PNG")


def test_files_of_one_name_are_told_apart_by_their_paths() -> None:
    words = ["dataset=file:a/x.csv", "dataset=file:b/x.csv"]
    done = [Outcome("a run", "finished", algo="sbp", dataset="x", seed=0, overrides=(word,)) for word in words]
    assert [group.dataset for group in groups(done)] == ["x (a/x.csv)", "x (b/x.csv)"]
    assert [group.dataset for group in groups(done[:1])] == ["x"]
